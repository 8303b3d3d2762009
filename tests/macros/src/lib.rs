//! Tools for the tests: an executor, a snapshot's records of one name, and a log of drops.

use std::cell::RefCell;
use std::future::Future;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use diagnose::Snapshot;
use diagnose::model::{NodeIndex, SiteKind};

/// Polls a future until it is ready.
pub fn run<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(value) = poll(future.as_mut()) {
            return value;
        }
    }
}

/// Polls a future once.
pub fn poll<F: Future + ?Sized>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

/// A future that is pending once.
pub async fn pause() {
    let mut paused = false;
    std::future::poll_fn(
        |_| if std::mem::replace(&mut paused, true) { Poll::Ready(()) } else { Poll::Pending },
    )
    .await;
}

/// The sites of this name with nodes in the snapshot, awaits left out, in source order, as
/// `kind name module file:line:column`.
#[must_use]
pub fn sites(name: &str) -> Vec<String> {
    let snapshot = diagnose::snapshot().without(&[SiteKind::Await]);
    let named = snapshot.sites.iter().filter(|site| site.name == name);
    named
        .map(|site| {
            let kind = format!("{:?}", site.kind).to_lowercase();
            format!("{kind} {name} {} {}", site.module, site.place)
        })
        .collect()
}

/// The calls of a name, on all paths but without awaits, as
/// `calls name{label} < parent < grandparent`, sorted.
#[must_use]
pub fn calls(name: &str) -> Vec<String> {
    let snapshot = diagnose::snapshot().without(&[SiteKind::Await]);
    let mut lines: Vec<String> = (0..snapshot.nodes.len())
        .filter(|&number| snapshot.sites[snapshot.nodes[number].site].name == name)
        .map(|number| format!("{} {}", snapshot.nodes[number].calls, path(&snapshot, NodeIndex::new(number))))
        .collect();
    lines.sort();
    lines
}

fn path(snapshot: &Snapshot, number: NodeIndex) -> String {
    let node = &snapshot.nodes[number];
    let label = node.label.as_ref().map(|label| format!("{{{label}}}")).unwrap_or_default();
    let parent = node.parent.map(|parent| format!(" < {}", path(snapshot, parent))).unwrap_or_default();
    format!("{}{label}{parent}", snapshot.sites[node.site].name)
}

thread_local! {
    static DROPS: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) };
}

/// A value that adds its name to the log when it is dropped.
#[derive(Debug)]
pub struct Noisy(pub &'static str);

impl Drop for Noisy {
    fn drop(&mut self) {
        DROPS.with_borrow_mut(|drops| drops.push(self.0));
    }
}

/// Adds an entry to the log of drops.
pub fn note(value: &'static str) {
    DROPS.with_borrow_mut(|drops| drops.push(value));
}

/// Returns this thread's log of drops since the last call, oldest first.
#[must_use]
pub fn drops() -> Vec<&'static str> {
    DROPS.take()
}
