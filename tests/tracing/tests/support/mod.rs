//! Snapshots by name, and a future that waits.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use diagnose::Snapshot;
use diagnose::model::Node;

/// Returns the node with this path of names, from its root.
pub(crate) fn node<'a>(snapshot: &'a Snapshot, path: &[&str]) -> &'a Node {
    let names = |number: usize| {
        let mut names = Vec::new();
        let mut at = Some(number);
        while let Some(node) = at.and_then(|at| snapshot.nodes.get(at)) {
            names.push(snapshot.sites[node.site].name.as_str());
            at = node.parent.map(diagnose::model::NodeIndex::get);
        }
        names.reverse();
        names
    };
    let found = (0..snapshot.nodes.len()).find(|number| names(*number) == path);
    let all: Vec<_> = (0..snapshot.nodes.len()).map(names).collect();
    &snapshot.nodes[found.unwrap_or_else(|| panic!("{path:?} is not in {all:#?}"))]
}

/// Calls, polls, completed, canceled, panicked, pending, running.
pub(crate) fn counts(node: &Node) -> [u64; 7] {
    [node.calls, node.polls, node.completed, node.cancelled, node.panicked, node.pending, node.running]
}

/// Returns `Pending` this many times, waking itself each time.
pub(crate) struct Yields(pub(crate) u32);

impl Future for Yields {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.0 == 0 {
            return Poll::Ready(());
        }
        self.0 -= 1;
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

/// Runs a future on the current thread.
pub(crate) fn run<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().build().expect("a runtime").block_on(future)
}

/// Installs the layer for the whole process.
pub(crate) fn install_layer() {
    use tracing_subscriber::layer::SubscriberExt as _;

    let subscriber = tracing_subscriber::registry().with(diagnose::TracingLayer::new());
    tracing::subscriber::set_global_default(subscriber).expect("the only one of this process");
}
