//! Wakers that primitives still store once a future is ready.

use std::ptr;

use super::capture_context::TaskTable;
use super::confined::Confined;
use crate::live;
use crate::site::{FutureKind, SiteKind};
use crate::waits::WaitCopy;

/// Waits that are over, and whose wakers are still stored.
#[derive(Debug, Default)]
pub(super) struct Leftovers(pub(super) Vec<WaitCopy>);

/// The clones of a task's waker that waits have left which are over.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LeftWakers {
    /// The primitive does not use them any more.
    pub(super) resting: u64,
    /// They wake the task in vain: the body is at an await that does not poll the primitive.
    pub(super) in_vain: u64,
    /// They most likely wake the task in vain: the await is over.
    pub(super) likely_in_vain: u64,
}

impl Leftovers {
    /// Counts them by task index.
    pub(super) fn count(&self, tasks: &TaskTable, confined: &Confined<'_>) -> Vec<LeftWakers> {
        let mut counts = vec![LeftWakers::default(); tasks.all.len()];
        for wait in &self.0 {
            let Some(index) = tasks.position(wait.polled.task).filter(|_| has_task_waker(wait)) else {
                continue;
            };
            let count = &mut counts[index];
            if wait.rests {
                count.resting += 1;
                continue;
            }
            match next_await(wait, confined) {
                NextAwait::Own => count.in_vain += 1,
                NextAwait::Other => count.likely_in_vain += 1,
                NextAwait::Unknown => {}
            }
        }
        counts
    }
}

/// Returns whether the wait still has a waker stored, and with it one of its task.
fn has_task_waker(left: &WaitCopy) -> bool {
    left.read() == left.polled && left.polled.wakers > 0 && !left.polled.is_indirect
}

/// What the body awaits after the await that has left a waker.
enum NextAwait {
    /// A future of a primitive, which polls nothing else.
    Own,
    /// Another await, or the body has ended.
    Other,
    /// The await may go on: it may create the future anew for each poll.
    Unknown,
}

fn next_await(left: &WaitCopy, confined: &Confined<'_>) -> NextAwait {
    let Some(node) = left.polled_in.filter(|node| node.site.kind == SiteKind::Await) else {
        return NextAwait::Unknown;
    };
    match confined.last_polled(left.polled.span) {
        Some(span) => match span.at {
            Some(at) if ptr::eq(at, node.site) || !node.site.is_direct => NextAwait::Unknown,
            Some(at) if at.polls_at_most(FutureKind::Own) => NextAwait::Own,
            None if !node.site.is_direct => NextAwait::Unknown,
            _ => NextAwait::Other,
        },
        // A span that is not listed has ended.
        None if left.polled.span != 0 && live::over() == 0 => NextAwait::Other,
        None => NextAwait::Unknown,
    }
}
