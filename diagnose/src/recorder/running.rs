//! What runs on this thread now, as code outside of the recorder asks and says.

use super::local;
use crate::live::Task;
use crate::site::{Site, SiteKind};
use crate::tree::Node;

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
