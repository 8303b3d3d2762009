//! The recorder: the thread-local writer, and the only code that runs in a user's poll.
//!
//! ```text
//! Timed::poll ─ Span::enter ─ the node: cached, or found among the parent's children, or appended
//!             │               a wait ends; the poll starts
//!             ├ the user's future
//!             └ Span::leave ─ the poll ends; a wait begins, or the call is over
//! ```
//! In a release build most of it is inlined into each future's poll, where a call would cost as much as it does; in a debug
//! build nothing is, because every inlined function would take its part of the stack for the length of the poll.
//!
//! A poll of a known path takes no lock and allocates nothing; where a lock is taken, on the first visit of something,
//! no one holds it for more than a few instructions. No lock and no borrow is held while user code runs.

mod arm;
mod await_state;
mod awaits;
mod enter;
mod first_poll;
mod frame;
mod local;
mod poll_entry;
mod reparent;
mod root;
mod running_poll;
mod span;

use crate::live::Task;
use crate::site::{Site, SiteKind};
use crate::tree::Node;

pub use arm::Arm;
pub(crate) use arm::{AwaitEntry, Point, RunningAwait};
pub(crate) use awaits::{begin_await, begin_macro, begin_through, end_await, end_through, leave_macro};
pub use frame::Frame;
pub(crate) use local::apart;
pub(crate) use poll_entry::PollEntry;
pub(crate) use running_poll::RunningPoll;
pub use span::Span;

/// The await, or arm, through which the running future is polled, if that is on record.
pub(crate) fn awaited() -> Option<&'static Site> {
    local::current().map(|node| node.site).filter(|site| site.kind == SiteKind::Await)
}

/// The node that runs on this thread: the path by which a call was reached.
#[inline]
pub(crate) fn current_node() -> Option<&'static Node> {
    local::current()
}

/// What the running body awaits does not begin when the body goes on.
pub(crate) fn hand_nothing_down() {
    if local::is_reading(local::down()) {
        local::hand_down(None, local::AGAIN);
    }
}

/// The running body does not end when what it awaits has returned.
pub(crate) fn hand_nothing_up() {
    local::hand_up(0, 0);
}

/// The number of the thread's tree, which it gets if it has none.
pub(crate) fn own_tree_number() -> u32 {
    let place = local::place();
    if place.lent {
        local::end_loan();
    }
    place.tree.root.tree
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
