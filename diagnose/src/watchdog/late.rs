//! What has not moved for the threshold, seen without a snapshot: a load or two for each task, and the first of each queue.
//!
//! A program in which nothing is late costs no more than this. What is late is found again in the snapshot that follows.

use crate::clock::Scale;
use crate::live::{self, Doing, Work};
use crate::waits;

/// What there is to look at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Late {
    /// A future runs, or is in the queue of its runtime, for the threshold or longer.
    pub(super) polls: bool,
    /// A task is in its state, or something waits for a resource, for the threshold or longer.
    pub(super) anything: bool,
    /// Some of that was not yet, the last time.
    pub(super) is_new: bool,
}

/// What is late now. `last`: the tick of the last time; zero if there was none.
pub(super) fn late(now: u64, last: u64, threshold_ns: u64) -> Late {
    let scale = Scale::measure();
    let ns = |tick: u64| scale.ns(now.saturating_sub(tick));
    let mut late = Late::default();
    let mut add = |since: u64| {
        let is_late = ns(since) >= threshold_ns;
        late.anything |= is_late;
        late.is_new |= is_late && (last == 0 || ns(since) - threshold_ns < ns(last));
        is_late
    };
    let mut polls = false;
    for task in live::all_tasks().filter(|task| task.id() != 0) {
        let (doing, since) = task.doing();
        if add(since) && doing != Doing::Waiting && !polls {
            polls = task.origin().is_some_and(|(_, origin)| {
                let is_nobodys = doing == Doing::Unpolled && origin.home.number == 0;
                origin.work == Work::Future && !is_nobodys
            });
        }
    }
    for wait in waits::all_waits().filter(|wait| wait.resource != 0 && !wait.is_given_up) {
        add(wait.began);
    }
    Late { polls, ..late }
}
