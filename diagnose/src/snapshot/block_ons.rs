//! Wakers that wake the future of a `block_on`, although no poll of that future got them.
//!
//! The waker of a future in `block_on` unparks the future's thread; on a current-thread runtime, it
//! unparks the driver. So a clone that is left from an earlier `block_on` leads to a poll of the
//! current future. So does the end of a `block_on` of another thread that has driven the same
//! current-thread runtime, because it hands the runtime over.
//!
//! Each wake of a task in a `LocalSet` that the `block_on` runs also leads to a poll.
//!
//! The thread that takes over the runtime may need a while until it polls, and no record shows that
//! it was woken.

use std::sync::atomic::Ordering::Relaxed;

use super::local_sets;
use super::task_copy::{TaskCopy, is_block_on};
use crate::live;
use crate::live::SpawnTarget;
use crate::site::Site;

/// The futures in a `block_on`, and the wakers that are left from earlier ones.
#[derive(Debug)]
pub(super) struct BlockOns {
    running: Vec<BlockOnPlace>,
    left: Vec<(BlockOnPlace, u32)>,
    /// Those that ended less than [`HANDED_OVER_NS`] ago.
    ended: Vec<BlockOnPlace>,
    /// The tasks of sets that a `block_on` runs: each wake of such a task also polls the future of
    /// the `block_on`.
    in_sets: Vec<&'static live::Task>,
}

/// Time in ns after the end of a `block_on`, or after the last use of a waker left from one, during
/// which another `block_on` may not have been polled yet.
const HANDED_OVER_NS: u64 = 1_000_000_000;

/// Where a `block_on` runs: the thread, and the number of the current-thread runtime that it
/// drives, or zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct BlockOnPlace {
    thread: u32,
    runtime: u16,
}

impl BlockOnPlace {
    /// Returns the place of a task if it is the future of a `block_on`.
    fn of(task: &live::Task, target: SpawnTarget, site: &Site) -> Option<Self> {
        let is_root = target.is_local && is_block_on(task, site);
        is_root.then(|| Self { thread: task.thread.load(Relaxed), runtime: target.number })
    }

    fn shares_runtime(self, other: Self) -> bool {
        self.runtime != 0 && self.runtime == other.runtime
    }
}

fn place(task: &TaskCopy) -> Option<BlockOnPlace> {
    BlockOnPlace::of(task.task, task.origin.target, task.origin.site)
}

impl BlockOns {
    pub(super) fn new(tasks: &[TaskCopy], ago: impl Fn(u64) -> u64) -> Self {
        let running: Vec<BlockOnPlace> = tasks.iter().filter_map(place).collect();
        let (mut left, mut ended) = (Vec::new(), Vec::new());
        // Most programs have no such future, but may have a million tasks.
        let over = live::all_tasks().filter(|_| !running.is_empty());
        for task in over {
            let Some(place) = task.ended().and_then(|(target, site)| BlockOnPlace::of(task, target, site))
            else {
                continue;
            };
            let was_left = |tick: u64| u32::from(ago(tick) < HANDED_OVER_NS);
            left.push((place, task.live_wakers() + task.left_waker_until().map_or(0, was_left)));
            if ago(task.since()) < HANDED_OVER_NS {
                ended.push(place);
            }
        }
        let in_set = |task: &&TaskCopy| task.origin.target.is_local && place(task).is_none();
        let in_sets = if local_sets::is_any_entered() {
            tasks.iter().filter(in_set).map(|task| task.task).collect()
        } else {
            Vec::new()
        };
        Self { running, left, ended, in_sets }
    }

    /// Returns the number of additional wakers that wake this task.
    pub(super) fn more_wakers(&self, task: &TaskCopy) -> u64 {
        let Some(here) = place(task) else { return 0 };
        let is_near = |it: BlockOnPlace| it.thread == here.thread || it.shares_runtime(here);
        let left = self.left.iter().filter(|(it, _)| is_near(*it));
        let others = self.running.iter().chain(&self.ended);
        let others = others.filter(|it| it.thread != here.thread && it.shares_runtime(here));
        let in_set = self.in_sets.iter().any(|task| task.may_be_in_set_on(Some(here.thread)));
        let left = left.map(|(_, clones)| u64::from(*clones)).sum::<u64>();
        left + others.count() as u64 + u64::from(in_set)
    }
}
