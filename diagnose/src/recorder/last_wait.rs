//! The last wait of a task that is dropped while it waits, which no later poll can charge.
//!
//! ```text
//! request   ├┤┈┈┈┈┈┈┈┈┈┈✗ drop
//! read      ├┤┈┈┈┈┈┈┈┈┈┈✗          the wait is that of `read`, which had waited by itself
//! ```

use std::cell::Cell;

use super::reparent::on_own_tree;
use super::running::own_tree_number;
use crate::live::{self, RunState, Task};
use crate::sync::add;
use crate::tree::Node;

#[derive(Debug, Clone, Copy)]
struct LastWait {
    /// The node of the task's root, in some tree.
    root: &'static Node,
    ticks: u64,
}

thread_local! {
    /// The wait of the task that is being dropped, if it is not charged yet.
    static LAST_WAIT: Cell<Option<LastWait>> = const { Cell::new(None) };
}

/// Records that a task, whose root is at `node`, is dropped at `now`. Its wait is charged when its
/// paths are dropped, unless it is dropped while another task is.
#[cold]
pub(super) fn begin_drop(task: &Task, node: &'static Node, now: u64) {
    let reset = live::last_reset();
    let (state, since) = task.doing();
    let mut until = now;
    if state == RunState::Queued {
        until = since.max(reset);
        on_own_tree(|place| place.tree.book(node, |own| add(&own.queued, now.saturating_sub(until))));
    }
    let ticks = until.saturating_sub(task.since().max(reset));
    if ticks != 0 && LAST_WAIT.get().is_none() {
        LAST_WAIT.set(Some(LastWait { root: node, ticks }));
    }
    task.run(now, own_tree_number());
}

/// Charges that wait to a path of the task that waited by itself and is dropped, or to its root.
#[cold]
pub(super) fn charge(node: &'static Node) {
    let is_its = |last: &LastWait| last.root.same_path(node.task_root());
    if let Some(last) = LAST_WAIT.get().filter(is_its) {
        LAST_WAIT.set(None);
        add(&node.wall, last.ticks);
    }
}
