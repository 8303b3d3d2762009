//! Captures: from the trees of all threads to one [`Snapshot`]. Cold code, on whichever thread asks.
//!
//! ```text
//! trees ── merge ──▶ Merged, by path ── less what stood there at the last reset ── build ──▶ Snapshot
//! ```
//! No thread is stopped, and none is waited for, but for the few instructions in which it changes the very node that is
//! read: one that was preempted there is given up to 50 ms, and then the node is counted as unreadable. Each node is read consistently by itself, children before their
//! parents, so that a parent's time covers its children's.

mod build;
mod merged;
mod reset;

pub use diagnose_reports::Snapshot;
pub use reset::reset;

/// What the program has recorded up to now, over all threads, living and dead.
///
/// It includes what is still open: the running poll of a blocked thread up to now, and the wait of every pending span
/// up to now. Roots, and the children of a node, are sorted by name; times are nanoseconds. No thread is stopped;
/// the cost is a few microseconds per node, on the calling thread.
///
/// # Examples
/// ```
/// #[diagnose::diagnose]
/// fn work() -> u32 { 7 }
///
/// work();
/// let snapshot = diagnose::snapshot();
/// let node = &snapshot.nodes[0];
/// assert_eq!(snapshot.sites[node.site].name, "work");
/// assert_eq!((node.calls, node.polls, node.completed), (1, 1, 1));
/// ```
#[must_use]
pub fn snapshot() -> Snapshot {
    build::build(&merged::Merged::capture())
}
