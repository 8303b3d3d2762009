//! Finds tasks and waits that have not moved for the threshold, without a snapshot. Each costs a
//! load or two, once per threshold.
//!
//! A task in its state since `s` is late from `s + threshold` on. A task that changes after a look
//! can be late one threshold after that look at the earliest. So each part of the registry, a chunk
//! of its pool, has a tick before which nothing new can be late in it. Until then it is skipped:
//! ```text
//! part 0   next 1,200   at 1,150: skipped
//! part 1   next 1,140   at 1,150: looked at; its youngest task that is not late has waited
//!                       since 1,080: next 1,180
//! ```
//! A part with a late poll is looked at each time, because that poll may keep other tasks waiting.

use crate::live::{self, RunState, Task, TaskKind};
use crate::waits;

/// The result of a look.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Late {
    /// A future has run, or has been in the queue of its runtime, for the threshold or longer.
    pub(super) polls: bool,
    /// A task has been in its state, or a wait at its resource, for the threshold or longer.
    pub(super) anything: bool,
    /// At least one of these tasks or waits was not late at the last look.
    pub(super) is_new: bool,
}

/// For each part of the registry: the earliest tick at which something new can be late.
#[derive(Debug, Default)]
pub(super) struct Gather {
    tasks: Vec<LatePart>,
    waits: Vec<LatePart>,
    threshold: u64,
}

#[derive(Debug, Clone, Copy, Default)]
struct LatePart {
    /// Tick of the last look; 0 if there was none.
    last_look: u64,
    /// Before this tick, nothing new can be late.
    next: u64,
    has_late: bool,
    has_late_poll: bool,
}

impl Gather {
    /// Looks at all parts at the tick `now`; `threshold` is in ticks. A task or wait is new if it
    /// was not late at the last look.
    pub(super) fn look(&mut self, now: u64, threshold: u64) -> Late {
        // Each measurement of the clock changes the threshold by a few ticks.
        if self.threshold.abs_diff(threshold) > threshold / 1_000 {
            *self = Self { threshold, ..Self::default() };
        }
        let mut late = Late::default();
        let parts = live::task_parts();
        self.tasks.resize(parts.len(), LatePart::default());
        for (part, tasks) in self.tasks.iter_mut().zip(parts) {
            let starts = tasks.iter().filter(|task| task.id() != 0).map(|task| {
                let (doing, since) = task.doing();
                (since, move || is_poll(task, doing))
            });
            part.look(now, threshold, starts, &mut late);
        }
        let parts = waits::wait_parts();
        self.waits.resize(parts.len(), LatePart::default());
        for (part, waits) in self.waits.iter_mut().zip(parts) {
            // Waits for timers and joins are left out, because the tasks that wait for them are
            // late as well.
            let starts = waits.iter().filter(|wait| wait.has_resource()).filter_map(waits::WaitCell::started);
            part.look(now, threshold, starts.map(|since| (since, || false)), &mut late);
        }
        late
    }
}

impl LatePart {
    /// Adds the late entries to `late`. `starts` has the tick since which each is in its state, and
    /// whether that state is a poll or the wait for one.
    fn look(
        &mut self,
        now: u64,
        threshold: u64,
        starts: impl Iterator<Item = (u64, impl Fn() -> bool)>,
        late: &mut Late,
    ) {
        // The clock may have been set back.
        if self.next <= now || now < self.last_look {
            let before = self.last_look;
            *self = Self { last_look: now, next: now.saturating_add(threshold), ..Self::default() };
            for (since, is_poll) in starts {
                let due = since.saturating_add(threshold);
                if due > now {
                    self.next = self.next.min(due);
                    continue;
                }
                self.has_late = true;
                self.has_late_poll = self.has_late_poll || is_poll();
                late.is_new |= due > before;
            }
            if self.has_late_poll {
                self.next = now;
            }
        }
        late.anything |= self.has_late;
        late.polls |= self.has_late_poll;
    }
}

/// Returns whether it is a future in its poll, or one that its runtime has yet to poll.
fn is_poll(task: &Task, doing: RunState) -> bool {
    doing != RunState::Waiting
        && task.origin().is_some_and(|(_, origin)| {
            let is_undriven = doing == RunState::Unpolled && origin.target.number == 0;
            origin.work == TaskKind::Future && !is_undriven
        })
}

#[cfg(test)]
mod tests {
    use super::{Late, LatePart};

    /// Looks at a part with these start ticks. Returns the result, and whether `starts` was read.
    fn look(part: &mut LatePart, now: u64, starts: &[u64]) -> (Late, bool) {
        let (mut late, mut is_read) = (Late::default(), false);
        let starts = starts.iter().inspect(|_| is_read = true).map(|since| (*since, || false));
        part.look(now, 100, starts, &mut late);
        (late, is_read)
    }

    #[test]
    fn a_late_wait_is_new_only_once() {
        let mut part = LatePart::default();
        assert_eq!(look(&mut part, 1_000, &[900, 950]), (late(true), true));
        assert_eq!(
            look(&mut part, 1_049, &[900, 950]),
            (late(false), false),
            "nothing can be late before 1,050"
        );
        assert_eq!(look(&mut part, 1_050, &[900, 950]), (late(true), true), "the second one");
        assert_eq!(look(&mut part, 1_151, &[900, 950]), (late(false), true), "neither is new");
    }

    #[test]
    fn a_wait_that_begins_after_a_look_is_late_after_the_threshold() {
        let mut part = LatePart::default();
        look(&mut part, 1_000, &[800]);
        // The task goes on at 1,001, and waits again.
        assert!(!look(&mut part, 1_099, &[1_001]).1);
        assert_eq!(look(&mut part, 1_100, &[1_001]), (Late::default(), true), "not late, and looked at");
        assert_eq!(look(&mut part, 1_101, &[1_001]), (late(true), true));
    }

    #[test]
    fn a_late_poll_is_looked_at_each_time() {
        let mut part = LatePart::default();
        for now in [1_000, 1_001] {
            let mut is_read = false;
            let starts = [900].into_iter().inspect(|_| is_read = true).map(|since| (since, || true));
            let mut late = Late::default();
            part.look(now, 100, starts, &mut late);
            assert!(late.polls && is_read, "at {now}");
        }
    }

    fn late(is_new: bool) -> Late {
        Late { polls: false, anything: true, is_new }
    }
}
