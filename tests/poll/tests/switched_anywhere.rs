//! Random programs that switch, reset and read the recording, spawn and panic: no run or wait lasts
//! forever.

use std::any::Any;
use std::future::Future;
use std::panic::{self, AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use diagnose::model::{NodeIndex, SiteIndex, SiteKind};
use diagnose::{Snapshot, diagnose};
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::{Busy, Panic, Wait};
use diagnose_poll_tests::{block_on, pass, poll, steps, tree_with_awaits};
use proptest::prelude::*;

type Boxed = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Futures that were polled once and set aside.
type Aside = Arc<Mutex<Vec<Boxed>>>;

#[derive(Debug, Clone)]
enum Part {
    Busy(u64),
    Wait,
    Panic,
    /// Calls the surrounding function again.
    Again(Vec<Part>),
    Other(Vec<Part>),
    Join(Vec<Part>, Vec<Part>),
    Select(Vec<Part>, Vec<Part>),
    /// Runs the parts by an executor inside the poll.
    BlockOn(Vec<Part>),
    /// Catches what the parts panic with.
    Catch(Vec<Part>),
    /// Spawns the parts, and sets the task aside without a poll.
    Spawn(Vec<Part>),
    /// Polls the parts once and sets them aside, with the surrounding function.
    SetAside(Vec<Part>),
    /// Continues a future that was set aside, maybe on another thread.
    TakeUp,
    Switch(bool),
    Reset,
    Look,
}

fn part() -> impl Strategy<Value = Part> {
    let leaf = prop_oneof![
        3 => (1..50_u64).prop_map(Part::Busy),
        4 => Just(Part::Wait),
        2 => Just(Part::Panic),
        1 => Just(Part::TakeUp),
        2 => any::<bool>().prop_map(Part::Switch),
        1 => Just(Part::Reset),
        1 => Just(Part::Look),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        let some = || prop::collection::vec(inner.clone(), 1..4);
        prop_oneof![
            3 => some().prop_map(Part::Again),
            2 => some().prop_map(Part::Other),
            2 => (some(), some()).prop_map(|(a, b)| Part::Join(a, b)),
            2 => (some(), some()).prop_map(|(a, b)| Part::Select(a, b)),
            1 => some().prop_map(Part::BlockOn),
            1 => some().prop_map(Part::Catch),
            2 => some().prop_map(Part::Spawn),
            1 => some().prop_map(Part::SetAside),
        ]
    })
}

fn boxed(parts: Vec<Part>, aside: &Aside) -> Boxed {
    Box::pin(all(parts, Arc::clone(aside)))
}

#[diagnose]
async fn all(parts: Vec<Part>, aside: Aside) {
    for part in parts {
        match part {
            Part::Busy(ns) => steps([Busy(ns)]).await,
            Part::Wait => steps([Wait]).await,
            Part::Panic => steps([Panic]).await,
            Part::Again(parts) => Box::pin(all(parts, Arc::clone(&aside))).await,
            Part::Other(parts) => other(parts, Arc::clone(&aside)).await,
            Part::Join(a, b) => {
                tokio::join!(boxed(a, &aside), boxed(b, &aside));
            }
            Part::Select(a, b) => {
                tokio::select! {
                    biased;
                    () = boxed(a, &aside) => {}
                    () = boxed(b, &aside) => steps([Wait]).await,
                }
            }
            Part::BlockOn(parts) => block_on(boxed(parts, &aside), 3),
            Part::Catch(parts) => Caught(boxed(parts, &aside)).await,
            Part::Spawn(parts) => {
                let task = diagnose::spawn_with(|task| task, "spawned", boxed(parts, &aside));
                aside.lock().unwrap().push(Box::pin(task));
            }
            Part::SetAside(parts) => {
                let mut future = boxed(parts, &aside);
                if poll(future.as_mut()).is_pending() {
                    aside.lock().unwrap().push(future);
                }
            }
            Part::TakeUp => {
                let future = aside.lock().unwrap().pop();
                if let Some(future) = future {
                    future.await;
                }
            }
            Part::Switch(on) => diagnose::set_enabled(on),
            Part::Reset => diagnose::reset(),
            Part::Look => check_sums(&diagnose::snapshot()),
        }
    }
}

/// A future that is ready if the inner one panics.
struct Caught(Boxed);

impl Future for Caught {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let poll = catch_unwind(AssertUnwindSafe(|| self.0.as_mut().poll(context)));
        poll.unwrap_or_else(|payload| {
            if !is_of_script(&*payload) {
                resume_unwind(payload);
            }
            Poll::Ready(())
        })
    }
}

/// Whether a panic is a part of the program, and no failed check.
fn is_of_script(payload: &(dyn Any + Send)) -> bool {
    payload.downcast_ref::<&str>() == Some(&"a step of the script")
}

#[diagnose]
async fn other(parts: Vec<Part>, aside: Aside) {
    boxed(parts, &aside).await;
}

/// Checks that a parent's time covers that of its children, and that nothing is counted twice.
fn check_sums(snapshot: &Snapshot) {
    for (number, node) in snapshot.nodes.iter().enumerate() {
        let children = snapshot.nodes.iter().filter(|child| child.parent == Some(NodeIndex::new(number)));
        let nested = children.map(|child| child.busy_ns).sum::<u64>() + node.nested_ns;
        let name = &snapshot.sites[node.site].name;
        assert!(nested <= node.busy_ns, "the children of `{name}` are busier than it is: {snapshot:#?}");
        assert!(node.self_idle_ns <= node.idle_ns);
        assert!(node.running <= 40, "{} polls of `{name}` run", node.running);
        let ended = node.polls_histogram.iter().map(|bucket| bucket.count).sum::<u64>();
        assert!(
            (ended..=ended + node.running).contains(&node.polls),
            "{ended} of {} polls of `{name}`",
            node.polls
        );
        let durations = (node.latency.completed.count(), node.latency.cancelled.count());
        let is_await = snapshot.sites[node.site].kind == SiteKind::Await;
        let ends = if is_await { (0, 0) } else { (node.completed, node.cancelled) };
        assert_eq!(durations, ends, "calls of `{name}` that ended, and their durations");
        let longest = [&node.latency.completed, &node.latency.cancelled].map(|ended| ended.longest_ns);
        assert!(longest.iter().all(|ns| *ns <= 10_000_000), "`{name}` took {longest:?}");
    }
}

/// Checks that each call of a function has ended once, on whichever path it ended.
fn check_calls(snapshot: &Snapshot) {
    for (number, site) in snapshot.sites.iter().enumerate().filter(|(_, site)| site.kind != SiteKind::Await) {
        let nodes = snapshot.nodes.iter().filter(|node| node.site == SiteIndex::new(number));
        let (calls, ends) = nodes.fold((0, 0), |(calls, ends), node| {
            (calls + node.calls, ends + node.completed + node.cancelled + node.panicked)
        });
        assert_eq!(calls, ends, "of `{}`: {}", site.name, tree_with_awaits());
    }
}

/// Returns the times of a snapshot that would grow if a call were still running or waiting.
fn times(snapshot: &Snapshot) -> Vec<[u64; 6]> {
    let nodes = snapshot.nodes.iter();
    nodes
        .map(|node| {
            [node.busy_ns, node.idle_ns, node.self_idle_ns, node.nested_ns, node.pending, node.running]
        })
        .collect()
}

#[test]
fn nothing_runs_or_waits_after_random_programs_end() {
    isolated!();
    let default = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if !is_of_script(info.payload()) {
            default(info);
        }
    }));
    random_programs();
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]
    fn random_programs(parts in prop::collection::vec(part(), 1..6), polls in 1..30_u32) {
        diagnose::manual_clock::install();
        diagnose::set_enabled(true);
        pass(1);
        diagnose::reset();
        let aside = Aside::default();
        let mut task = Box::pin(Caught(boxed(parts, &aside)));
        for _ in 0..polls {
            let is_done = poll(task.as_mut()).is_ready();
            check_sums(&diagnose::snapshot());
            if is_done {
                break;
            }
            pass(7);
            // Others run beside it: spawned tasks, and futures that were set aside.
            let other = aside.lock().unwrap().pop();
            if let Some(other) = other {
                let mut other = Caught(other);
                if poll(Pin::new(&mut other)).is_pending() {
                    aside.lock().unwrap().insert(0, other.0);
                }
                check_sums(&diagnose::snapshot());
            }
        }
        drop(task);
        // A dropped future may set others aside; the futures it holds itself are dropped with it.
        loop {
            let last = aside.lock().unwrap().pop();
            if last.is_none() {
                break;
            }
        }
        let snapshot = diagnose::snapshot();
        check_sums(&snapshot);
        check_calls(&snapshot);
        for node in &snapshot.nodes {
            prop_assert_eq!(node.pending + node.running, 0, "{}", tree_with_awaits());
        }
        pass(1_000);
        prop_assert_eq!(times(&snapshot), times(&diagnose::snapshot()));
        prop_assert!(snapshot.tasks.is_empty(), "{:#?}", snapshot.tasks);
    }
}
