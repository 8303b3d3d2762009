//! Sums of random programs: parents, children and totals add up.

use std::future::Future;
use std::pin::Pin;
use std::task::Poll;

use diagnose::model::NodeIndex;
use diagnose::{FutureExt as _, Snapshot};
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::{Busy, Wait};
use diagnose_poll_tests::{Task, block_on, pass, poll, steps};
use proptest::prelude::*;

type Boxed = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A program of annotated futures.
#[derive(Debug, Clone)]
enum Program {
    Busy(u64),
    Wait,
    /// Runs the parts one after the other, in the span `NAMES[number]`.
    Span(usize, Vec<Program>),
    /// Polls every part in every poll.
    Join(Vec<Program>),
    /// Ends with the first part that ends, and drops the others.
    Select(Vec<Program>),
    /// Runs the part by an executor inside the poll.
    BlockOn(Box<Program>),
    /// Creates the part and drops it.
    Forget(Box<Program>),
}

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

fn program() -> impl Strategy<Value = Program> {
    let leaf = prop_oneof![(1..50_u64).prop_map(Program::Busy), Just(Program::Wait)];
    leaf.prop_recursive(5, 40, 4, |inner| {
        let some = || prop::collection::vec(inner.clone(), 1..4);
        prop_oneof![
            4 => (0..NAMES.len(), some()).prop_map(|(name, parts)| Program::Span(name, parts)),
            1 => some().prop_map(Program::Join),
            1 => some().prop_map(Program::Select),
            1 => inner.clone().prop_map(|part| Program::BlockOn(Box::new(part))),
            1 => inner.clone().prop_map(|part| Program::Forget(Box::new(part))),
        ]
    })
}

fn future(program: Program) -> Boxed {
    match program {
        Program::Busy(ns) => Box::pin(steps([Busy(ns)])),
        Program::Wait => Box::pin(steps([Wait])),
        Program::Span(name, parts) => Box::pin(
            async move {
                for part in parts {
                    future(part).await;
                }
            }
            .diagnose(NAMES[name]),
        ),
        Program::Join(parts) => {
            let mut parts: Vec<Option<Boxed>> = parts.into_iter().map(|part| Some(future(part))).collect();
            Box::pin(std::future::poll_fn(move |_| {
                for part in &mut parts {
                    if part.as_mut().is_some_and(|part| poll(part.as_mut()).is_ready()) {
                        *part = None;
                    }
                }
                if parts.iter().all(Option::is_none) { Poll::Ready(()) } else { Poll::Pending }
            }))
        }
        Program::Select(parts) => {
            let mut parts: Vec<Boxed> = parts.into_iter().map(future).collect();
            Box::pin(std::future::poll_fn(move |_| {
                let done = parts.iter_mut().any(|part| poll(part.as_mut()).is_ready());
                if done {
                    parts.clear();
                }
                if done { Poll::Ready(()) } else { Poll::Pending }
            }))
        }
        Program::BlockOn(part) => Box::pin(async move { block_on(future(*part), 3) }),
        Program::Forget(part) => Box::pin(async move { drop(future(*part)) }),
    }
}

/// Checks that a parent's time covers that of its children, and that the rest is its own.
fn check_sums(snapshot: &Snapshot) {
    let mut own = 0;
    let mut roots = 0;
    for (number, node) in snapshot.nodes.iter().enumerate() {
        let children = snapshot.nodes.iter().filter(|child| child.parent == Some(NodeIndex::new(number)));
        let nested = children.map(|child| child.busy_ns).sum::<u64>() + node.nested_ns;
        assert!(nested <= node.busy_ns, "children of node {number} are busier than it is");
        own += node.busy_ns - nested;
        roots += if node.parent.is_none() { node.busy_ns } else { 0 };
        let nested_elsewhere = node.nested_ns;
        roots -= nested_elsewhere;
        assert!(node.self_idle_ns <= node.idle_ns);
        assert_eq!(node.polls_histogram.iter().map(|bucket| bucket.count).sum::<u64>(), node.polls);
    }
    assert_eq!(own, roots, "own busy times add up to the roots'");
}

fn balance(snapshot: &Snapshot) {
    for node in &snapshot.nodes {
        assert_eq!(node.pending + node.running, 0, "everything is over");
        assert_eq!(node.calls, node.completed + node.cancelled + node.panicked);
    }
}

#[test]
fn own_times_add_up_whatever_the_program() {
    isolated!();
    sums_of_random_programs();
}

proptest! {
    fn sums_of_random_programs(program in program(), between in 0..20_u64, threads in 1..4_usize) {
        diagnose::manual_clock::install();
        pass(1);
        diagnose::reset();
        let whole = Program::Span(0, vec![program]);
        let began = now();
        let mut task = Task::new(future(whole));
        let mut turn = 0;
        loop {
            turn += 1;
            let done;
            (task, done) = if threads > 1 && turn % threads == 0 {
                std::thread::spawn(move || { let done = task.poll().is_ready(); (task, done) }).join().expect("no panic")
            } else {
                let done = task.poll().is_ready();
                (task, done)
            };
            let snapshot = diagnose::snapshot();
            check_sums(&snapshot);
            if done { break; }
            pass(between);
        }
        let snapshot = diagnose::snapshot();
        balance(&snapshot);
        // The root's lifetime is its busy time, its idle time, and the time before its first poll.
        let root = snapshot.nodes.iter().find(|node| node.parent.is_none()).expect("there is a root");
        prop_assert_eq!(root.busy_ns + root.idle_ns + root.unpolled_ns, now() - began);
    }
}

fn now() -> u64 {
    diagnose::snapshot().elapsed_ns
}
