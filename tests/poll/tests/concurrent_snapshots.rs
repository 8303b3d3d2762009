//! Snapshots taken while several threads poll, begin and end calls are each consistent.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;

use diagnose::diagnose;
use diagnose::model::{Node, SiteKind};
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::{Busy, Wait};
use diagnose_poll_tests::{Task, steps};

const THREADS: usize = 3;
const TASKS: u64 = 5_000;

#[diagnose]
async fn outer() {
    for _ in 0..3 {
        inner().await;
    }
}

#[diagnose]
async fn inner() {
    steps([Busy(1), Wait, Busy(1)]).await;
}

/// Returns the number of calls of a node that are over or open.
fn ends(node: &Node) -> i128 {
    let Node { completed, cancelled, panicked, pending, running, .. } = *node;
    [completed, cancelled, panicked, pending, running].into_iter().map(i128::from).sum()
}

#[test]
fn children_are_never_busier_than_their_parent() {
    isolated!();
    let running = AtomicUsize::new(THREADS);
    let mut snapshots = 0;
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for _ in 0..TASKS {
                    Task::new(outer()).run(1);
                }
                running.fetch_sub(1, SeqCst);
            });
        }
        while running.load(SeqCst) > 0 || snapshots < 10 {
            let is_over = running.load(SeqCst) == 0;
            let snapshot = diagnose::snapshot();
            // A thread suspended during a change hides its node, and the snapshot counts that.
            if snapshot.dropped.unreadable > 0 && !is_over {
                continue;
            }
            snapshots += 1;
            assert_eq!(snapshot.dropped.unreadable, 0);
            for node in &snapshot.nodes {
                let parent = node.parent.map(|parent| snapshot.nodes[parent].busy_ns);
                assert!(parent.is_none_or(|parent| node.busy_ns <= parent), "{snapshot:#?}");
                assert!(node.pending <= THREADS as u64 && node.running <= THREADS as u64);
                assert_eq!(i128::from(node.calls), ends(node) + i128::from(node.unsettled), "{snapshot:#?}");
                assert!(!is_over || node.unsettled == 0, "{snapshot:#?}");
            }
        }
    });
    let snapshot = diagnose::snapshot().without(&[SiteKind::Await]);
    let [outer, inner] = &snapshot.nodes[..] else { panic!("two paths: {snapshot:#?}") };
    let tasks = THREADS as u64 * TASKS;
    assert_eq!((outer.completed, inner.completed, inner.polls), (tasks, tasks * 3, tasks * 6));
    assert_eq!(outer.pending + inner.pending + outer.running + inner.running, 0);
}
