//! Wakers that primitives still store once a future is ready.

use std::ptr;

use super::capture_context::TaskTable;
use super::confined::Confined;
use crate::site::{Site, SiteKind};
use crate::tree::Node;
use crate::waits::WaitCopy;

/// Waits that are over, and whose wakers are still stored.
#[derive(Debug, Default)]
pub(super) struct Leftovers(pub(super) Vec<WaitCopy>);

impl Leftovers {
    /// Adds, by task index, the clones of its waker that can only wake the task in vain, to those
    /// that its waits store.
    pub(super) fn add_harmless(
        &self,
        stored: &mut [Option<u32>],
        tasks: &TaskTable,
        confined: &Confined<'_>,
    ) {
        for wait in self.0.iter().filter(|wait| !wait.rests && is_harmless(wait, confined)) {
            let count = tasks.position(wait.polled.task).and_then(|task| stored.get_mut(task));
            // Without another wait, the task may rely on this waker.
            if let Some(Some(count @ 1..)) = count {
                *count += u32::from(has_task_waker(wait));
            }
        }
    }

    /// Returns, by task index, the number of clones of its waker that their primitives do not use
    /// any more.
    pub(super) fn resting(&self, tasks: &TaskTable) -> Vec<u64> {
        let mut resting = vec![0; tasks.all.len()];
        for wait in self.0.iter().filter(|wait| wait.rests && has_task_waker(wait)) {
            if let Some(count) = tasks.position(wait.polled.task).and_then(|task| resting.get_mut(task)) {
                *count += 1;
            }
        }
        resting
    }
}

/// Returns whether the wait still has a waker stored, and with it one of its task.
fn has_task_waker(left: &WaitCopy) -> bool {
    left.read() == left.polled && left.polled.wakers > 0 && !left.polled.is_indirect
}

/// Returns whether the waker can only wake the task in vain, because the await is over. Any other
/// may be that of a future that the task creates anew for each poll.
fn is_harmless(left: &WaitCopy, confined: &Confined<'_>) -> bool {
    let is_over = |node: &'static Node| {
        let last = confined.last_polled(left.polled.span);
        let is_left = |at: Option<&Site>| at.is_none_or(|at| !ptr::eq(at, node.site));
        node.site.kind == SiteKind::Await && node.site.is_direct && last.is_some_and(|span| is_left(span.at))
    };
    left.polled_in.is_some_and(is_over)
}
