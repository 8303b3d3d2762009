//! Wakers that lead to the future of a `block_on`, though no poll of that future had them.
//!
//! The wakers of all futures that one thread runs in `block_on` unpark that thread, and those of a
//! current-thread runtime its driver. So a clone that is left of an earlier `block_on` polls the
//! future of the current one. On a current-thread runtime that another thread drives, so does the
//! end of that thread's `block_on`, which hands the runtime over.
//!
//! So does each wake of a task in a `LocalSet` that the `block_on` runs.
//!
//! The thread that gets the runtime may need a while until it polls, and no record says that it was
//! woken.

use std::sync::atomic::Ordering::Relaxed;

use super::local_sets;
use super::task_copy::{TaskCopy, is_block_on};
use crate::live;
use crate::live::SpawnTarget;
use crate::site::Site;

/// The futures in a `block_on`, and the wakers that are left of earlier ones.
#[derive(Debug)]
pub(super) struct BlockOns {
    running: Vec<BlockOnPlace>,
    left: Vec<(BlockOnPlace, u32)>,
    /// Those that ended less than [`HANDED_OVER_NS`] ago.
    ended: Vec<BlockOnPlace>,
    /// The tasks of sets that a `block_on` runs: each wake of one polls the future of that too.
    in_sets: Vec<&'static live::Task>,
}

/// How long after a `block_on`, or after the last use of a waker that is left of one, another one
/// may not have been polled yet, in ns.
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
        // Most programs have none, and a million other tasks.
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

    /// Returns the number of wakers that lead to this task too.
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
