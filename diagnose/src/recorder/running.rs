//! Access to the running poll for code outside the recorder.

use super::local;
use crate::site::{Site, SiteKind};
use crate::tree::Node;

/// The await or arm that polls the running future, if recorded.
pub(crate) fn awaited() -> Option<&'static Site> {
    local::current().map(|node| node.site).filter(|site| site.kind == SiteKind::Await)
}

/// The running node: the path that led to the current call.
#[inline]
pub(crate) fn current_node() -> Option<&'static Node> {
    local::current()
}

/// Withdraws the reading that was handed down, because the body resumes earlier than the future
/// that it awaits.
pub(crate) fn hand_nothing_down() {
    if local::is_reading(local::down()) {
        local::hand_down(None, local::AGAIN);
    }
}

/// Withdraws the reading that was handed up, because the body returns later than the future that it
/// awaits.
pub(crate) fn hand_nothing_up() {
    local::hand_up(0, false);
}

/// The number of the thread's tree. Leases a tree if there is none. The number of no tree if the
/// thread is ending: its tree is another thread's by the time that the number is looked up.
pub(crate) fn own_tree_number() -> u32 {
    let place = local::place();
    if place.lent {
        local::end_loan();
        return u32::MAX;
    }
    place.tree.root.tree
}

/// The running nodes of this thread, from the root of the task down.
pub(crate) fn running_path() -> Vec<&'static Node> {
    let nodes = std::iter::successors(local::current(), |node| node.parent);
    let mut path: Vec<&'static Node> = nodes.take_while(|node| !node.is_root()).collect();
    path.reverse();
    path
}
