//! Spans that are entered in any order, on any thread, and held for too long.

use std::panic::{self, resume_unwind};
use std::sync::Barrier;
use std::thread;

use diagnose::{FutureExt as _, Snapshot, diagnose};
use proptest::prelude::*;
use tracing::{Dispatch, Instrument as _, Span};

use crate::support::{Yields, counts, install_layer, node, run};

/// Returns `true` if every call has ended and nothing runs or waits.
fn is_at_rest(snapshot: &Snapshot) -> bool {
    snapshot.nodes.iter().all(|node| {
        let [calls, _, completed, cancelled, panicked, pending, running] = counts(node);
        let ended = completed + cancelled + panicked;
        let settled = i64::try_from(calls).expect("few") - i64::try_from(ended).expect("few");
        pending == 0 && running == 0 && settled == node.unsettled
    })
}

#[test]
fn guards_that_are_dropped_in_another_order_end_with_the_last() {
    diagnose_isolation::isolated!();
    install_layer();
    let (first, second) = (tracing::info_span!("first"), tracing::info_span!("second"));
    let (a, b) = (first.enter(), second.enter());
    let again = first.enter();
    drop(a);
    drop(b);
    drop(again);
    drop((first, second));
    let snapshot = diagnose::snapshot();
    assert_eq!(counts(node(&snapshot, &["first"])), [1, 1, 1, 0, 0, 0, 0]);
    assert_eq!(counts(node(&snapshot, &["first", "second"])), [1, 1, 1, 0, 0, 0, 0]);
}

#[test]
fn a_span_on_two_threads_is_one_call_with_two_polls() {
    diagnose_isolation::isolated!();
    install_layer();
    let span = tracing::info_span!("shared");
    let both = Barrier::new(2);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| span.in_scope(|| both.wait()));
        }
    });
    let open = diagnose::snapshot();
    assert_eq!(node(&open, &["shared"]).polls, 2);
    drop(span);
    let snapshot = diagnose::snapshot();
    let shared = node(&snapshot, &["shared"]);
    assert_eq!((shared.calls, shared.completed, shared.pending, shared.running), (1, 1, 0, 0));
}

#[diagnose]
async fn annotated() {
    Yields(2).await;
}

async fn holds_a_guard() {
    let span = tracing::info_span!("held");
    let _held = span.enter();
    Yields(2).await;
}

#[diagnose]
async fn annotated_and_holds_a_guard() {
    let span = tracing::info_span!("held");
    let _held = span.enter();
    annotated().await;
    Yields(2).await;
}

#[test]
fn a_guard_held_over_an_await_does_not_take_the_time_of_others() {
    diagnose_isolation::isolated!();
    install_layer();
    let local = tokio::task::LocalSet::new();
    for _ in 0..3 {
        local.spawn_local(holds_a_guard());
        local.spawn_local(annotated_and_holds_a_guard());
        local.spawn_local(annotated());
    }
    run(local);
    let snapshot = diagnose::snapshot();
    assert!(is_at_rest(&snapshot), "{:#?}", snapshot.nodes);
    let annotated = snapshot.nodes.iter().filter(|node| snapshot.sites[node.site].name == "annotated");
    assert_eq!(annotated.map(|node| node.calls).sum::<u64>(), 6);
    run(self::annotated());
    let after = diagnose::snapshot();
    assert!(is_at_rest(&after), "the thread's position is right again");
}

#[tracing::instrument]
async fn traced_inner() {
    Yields(1).await;
}

#[diagnose]
async fn handler() {
    traced_inner().await;
}

#[diagnose]
async fn panics() {
    traced_inner().await;
    let _entered = tracing::info_span!("unwinds").entered();
    resume_unwind(Box::new("as it should"));
}

#[test]
fn a_span_around_a_task_that_enters_another_span_is_entered_until_its_exit() {
    diagnose_isolation::isolated!();
    install_layer();
    for _ in 0..200 {
        run(handler().instrument(tracing::info_span!("request")));
    }
    let snapshot = diagnose::snapshot();
    assert_eq!(counts(node(&snapshot, &["request"])), [200, 400, 200, 0, 0, 0, 0]);
    assert!(node(&snapshot, &["request"]).busy_ns > 0, "its polls have a length");
    assert_eq!(counts(node(&snapshot, &["handler"])), [200, 400, 200, 0, 0, 0, 0]);
    let inner = snapshot.nodes.iter().filter(|node| snapshot.sites[node.site].name == "traced_inner");
    assert_eq!(inner.map(|node| node.calls).collect::<Vec<_>>(), [200], "it has one path");
    assert!(is_at_rest(&snapshot), "{:#?}", snapshot.nodes);
}

#[test]
fn a_span_that_a_task_exits_for_its_caller_ends_with_the_poll_of_the_task() {
    diagnose_isolation::isolated!();
    install_layer();
    let outer = tracing::info_span!("outer");
    let guard = outer.clone().entered();
    let exits = diagnose::block!("exits", async move {
        drop(guard);
        let _left_entered = std::mem::ManuallyDrop::new(tracing::info_span!("kept").entered());
        traced_inner().await;
    });
    run(exits.instrument(tracing::info_span!("around")));
    drop(outer);
    run(annotated());
    let snapshot = diagnose::snapshot();
    assert_eq!(counts(node(&snapshot, &["annotated"])), [1, 3, 1, 0, 0, 0, 0]);
    let open = snapshot.nodes.iter().filter(|node| node.running > 0);
    assert_eq!(open.count(), 0, "{:#?}", snapshot.nodes);
}

/// Polls two tasks, the first of which leaves a span entered.
#[diagnose]
fn executor() -> u64 {
    let (mut first, mut second) = (Box::pin(holds_a_guard()), Box::pin(handler()));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    let mut held = std::pin::pin!(first.as_mut().diagnose("holds"));
    assert!(held.as_mut().poll(&mut context).is_pending());
    assert!(second.as_mut().poll(&mut context).is_pending());
    let snapshot = diagnose::snapshot();
    let held = snapshot.nodes.iter().find(|node| snapshot.sites[node.site].name == "held");
    held.expect("it was entered").running
}

#[test]
fn a_guard_that_a_task_leaves_held_ends_with_its_poll() {
    diagnose_isolation::isolated!();
    install_layer();
    assert_eq!(executor(), 0);
}

#[test]
fn a_thread_that_ends_inside_a_span_harms_nothing() {
    diagnose_isolation::isolated!();
    install_layer();
    let ended = thread::spawn(|| std::mem::forget(tracing::info_span!("forgotten").entered()));
    ended.join().expect("it ends");
    thread::spawn(|| run(annotated())).join().expect("it ends");
    assert_eq!(counts(node(&diagnose::snapshot(), &["annotated"])), [1, 3, 1, 0, 0, 0, 0]);
}

/// An action of a thread on one of the spans.
#[derive(Debug, Clone, Copy)]
enum Step {
    Enter(usize),
    Exit(usize),
    Poll,
    /// Polls a task that enters a span of its own.
    PollInner,
    /// Polls a task that panics inside of a span of its own.
    Panic,
    Reset,
    Switch,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (0_usize..4).prop_map(Step::Enter),
        8 => (0_usize..4).prop_map(Step::Exit),
        4 => Just(Step::Poll),
        4 => Just(Step::PollInner),
        1 => Just(Step::Panic),
        1 => Just(Step::Reset),
        1 => Just(Step::Switch),
    ]
}

/// Runs the steps with spans that all threads share. Every entry is exited at the end.
fn work(steps: &[Step], spans: &[Span], dispatch: &Dispatch) {
    let mut entered = Vec::new();
    for step in steps {
        match *step {
            Step::Enter(number) => {
                let id = spans[number].id().expect("it is enabled");
                dispatch.enter(&id);
                entered.push(id);
            }
            // In any order, even for spans that this thread has not entered.
            Step::Exit(number) => {
                let id = spans[number].id().expect("it is enabled");
                dispatch.exit(&id);
                if let Some(at) = entered.iter().position(|own| *own == id) {
                    entered.remove(at);
                }
            }
            Step::Poll => run(annotated()),
            Step::PollInner => run(handler()),
            Step::Panic => {
                let outcome = panic::catch_unwind(|| run(panics()));
                assert!(outcome.is_err(), "it panics");
            }
            Step::Reset => diagnose::reset(),
            Step::Switch => {
                diagnose::set_enabled(false);
                diagnose::set_enabled(true);
            }
        }
    }
    for id in entered {
        dispatch.exit(&id);
    }
}

#[test]
fn random_entries_and_exits_on_three_threads_leave_nothing_open() {
    diagnose_isolation::isolated!();
    install_layer();
    let dispatch = tracing::dispatcher::get_default(Clone::clone);
    let threads = proptest::array::uniform3(proptest::collection::vec(step(), 0..40));
    let config = ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let outcome = runner.run(&threads, |threads| {
        let spans = [
            tracing::info_span!("a"),
            tracing::info_span!("b"),
            tracing::info_span!("c"),
            tracing::info_span!("d"),
        ];
        thread::scope(|scope| {
            for steps in &threads {
                scope.spawn(|| work(steps, &spans, &dispatch));
            }
        });
        drop(spans);
        let snapshot = diagnose::snapshot();
        let open: Vec<_> = snapshot.nodes.iter().filter(|node| node.pending + node.running > 0).collect();
        prop_assert!(open.is_empty(), "{open:#?}");
        Ok(())
    });
    outcome.expect("nothing is open");
}

#[test]
fn a_poll_of_a_task_inside_a_span_is_one_poll_of_its_worker() {
    diagnose_isolation::isolated!();
    install_layer();
    let runtime = diagnose::tokio::runtime::Builder::new_multi_thread().worker_threads(1).build();
    let runtime = runtime.expect("a runtime");
    for _ in 0..100 {
        let request = handler().instrument(tracing::info_span!("request"));
        let entered = runtime.enter();
        let task = tokio::spawn(request);
        drop(entered);
        futures::executor::block_on(task).expect("it ends");
    }
    let snapshot = diagnose::snapshot();
    let polls: u64 = snapshot.workers.iter().map(|worker| worker.polls).sum();
    assert_eq!(polls, 200, "{:#?}", snapshot.workers);
}
