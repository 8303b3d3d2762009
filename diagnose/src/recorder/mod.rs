//! The recorder: the thread-local writer, and the only code that runs in a user's poll.
//!
//! ```text
//! Timed::poll ─ Span::enter ─ the node: cached, or found among the parent's children, or appended
//!             │               a wait ends; the poll starts
//!             ├ the user's future
//!             └ Running::leave ─ the poll ends; a wait begins, or the call is over
//! ```
//! In a release build most of it is inlined into each future's poll, where a call would cost as much as it does; in a debug
//! build nothing is, because every inlined function would take its part of the stack for the length of the poll.
//!
//! A poll of a known path takes no lock and allocates nothing; where a lock is taken, on the first visit of something,
//! no one holds it for more than a few instructions. No lock and no borrow is held while user code runs.

mod awaits;
mod cost;
mod frame;
mod local;
mod moved;
mod point;
mod root;
mod running;
mod span;
mod visit;

use crate::clock;
use crate::live::Task;
use crate::site::{Kind, Site};
use crate::tree::Node;

pub(crate) use awaits::{begin_await, end_await, leave_macro};
pub(crate) use cost::poll_cost;
pub use frame::Frame;
pub(crate) use local::{Here, here, with_places, with_records};
pub(crate) use point::{AwaitEntry, Awaiting, Point};
pub(crate) use root::RootPoll;
pub(crate) use running::{Entry, Running};
pub use span::Span;

/// The number of the task whose poll is running on this thread; zero if there is none.
pub(crate) fn current_task() -> u64 {
    local::task().map_or(0, Task::id)
}

/// The number of the span whose poll is running on this thread; zero if there is none.
#[inline]
pub(crate) fn current_span() -> u64 {
    local::id()
}

/// The await, or arm, through which the running future is polled, if that is on record.
pub(crate) fn awaited() -> Option<&'static Site> {
    local::current().map(|node| node.site).filter(|site| site.kind == Kind::Await)
}

/// Who uses something now: the task whose poll is running on this thread, or the thread; zero if it has no tree.
#[inline]
pub(crate) fn user() -> u64 {
    match local::task() {
        Some(task) => task.id(),
        None => local::current().map_or(0, |node| u64::from(node.tree) | 1 << 63),
    }
}

/// A number that no span has had.
pub(crate) fn new_span() -> u64 {
    local::new_id()
}

/// When the running poll began; now, if there is none.
pub(crate) fn stamp() -> u64 {
    match local::here().stamp {
        0 => clock::now(),
        stamp => stamp,
    }
}

/// The running task spawns something, and may give away what it has.
pub(crate) fn note_spawn() {
    if let Some(task) = local::task() {
        task.note_spawn();
    }
}

/// The running task sends something that can carry away what it has, as the message of that number of a resource.
#[allow(dead_code)] // By channels, which are a feature.
pub(crate) fn note_send(resource: u64, message: u64) {
    let here = local::here();
    if let Some(task) = here.task {
        task.note_send(resource, message, here.stamp);
    }
}

/// The number of the thread's tree, if it has one.
#[cfg(feature = "tokio")]
pub(crate) fn tree_number() -> Option<u32> {
    local::current().map(|node| node.tree)
}

/// The number of the thread's tree, which it gets if it has none.
pub(crate) fn own_tree_number() -> u32 {
    local::with_records(|_| ());
    local::current().map_or(u32::MAX, |node| node.tree)
}

/// Says which task is running on this thread. Returns the one before.
pub(crate) fn replace_task(task: Option<&'static Task>) -> Option<&'static Task> {
    local::replace_task(task)
}

/// Says which task the next root on this thread belongs to. Returns what was said last, if no root has come since.
pub(crate) fn set_spawned(task: Option<&'static Task>) -> Option<&'static Task> {
    let last = local::take_spawned();
    local::set_spawned(task);
    last
}

/// The nodes that run on this thread, from a root down.
pub(crate) fn running_path() -> Vec<&'static Node> {
    let nodes = std::iter::successors(local::current(), |node| node.parent);
    let mut path: Vec<&'static Node> = nodes.take_while(|node| !node.is_root()).collect();
    path.reverse();
    path
}
