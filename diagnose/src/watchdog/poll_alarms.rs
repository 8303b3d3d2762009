//! Decides which alarms about polls and queued tasks are over.
//!
//! ```text
//! a poll, or all workers in polls   over when one of the polls has ended
//! tasks that are late in the queue  over when all of them have been polled
//! ```
//! A poll is identified by its task and the number of polls before it.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use diagnose_reports::model::{Alarm, RunState, Task};

use super::looks::Finding;
use crate::alarms::resolve;
use crate::live;

/// The state and the number of finished polls of each task that an alarm is about.
type CurrentPolls = HashMap<u64, (RunState, u64)>;

/// An alarm about polls or queued tasks that is not over.
#[derive(Debug)]
pub(super) struct PollAlarm {
    /// The alarm as it was raised.
    alarm: Alarm,
    /// When its snapshot was taken, and how long the alarm had lasted then.
    taken: Instant,
    age: Duration,
    /// Id and state of each task, and the number of its finished polls.
    tasks: Vec<(u64, RunState, u64)>,
    /// Whether it lasts until all tasks have changed, and not only one of them.
    lasts_for_any: bool,
}

impl PollAlarm {
    /// `taken`: when the snapshot of the finding was taken.
    pub(super) fn new(alarm: Alarm, finding: &Finding<'_>, taken: Instant) -> Self {
        let tasks = finding.tasks();
        let lasts_for_any = matches!(finding, Finding::Uneven { .. } | Finding::Starved(_));
        // All workers have been in polls since the youngest of these polls began.
        let ages = || tasks.iter().map(|task| task.since_ns);
        let age_ns = if lasts_for_any { ages().max() } else { ages().min() };
        let state = |task: &&Task| (task.id.get(), task.state, task.polls);
        Self {
            alarm,
            taken,
            age: Duration::from_nanos(age_ns.unwrap_or_default()),
            tasks: tasks.iter().map(state).collect(),
            lasts_for_any,
        }
    }

    fn is_over(&self, polls: &CurrentPolls) -> bool {
        let lasts = |(id, state, before): &(u64, RunState, u64)| polls.get(id) == Some(&(*state, *before));
        if self.lasts_for_any { !self.tasks.iter().any(lasts) } else { !self.tasks.iter().all(lasts) }
    }
}

/// Reports the alarms that are over, and removes them.
pub(super) fn resolve_ended(open: &mut Vec<PollAlarm>) {
    if open.is_empty() {
        return;
    }
    let polls = current(open);
    let (ended, lasting): (Vec<PollAlarm>, _) =
        std::mem::take(open).into_iter().partition(|alarm| alarm.is_over(&polls));
    *open = lasting;
    for over in ended {
        let lasted = (over.age + over.taken.elapsed()).as_millis();
        resolve(over.alarm, format!("over after about {lasted} ms"));
    }
}

/// Returns the alarms that are open, which nobody will end.
pub(super) fn close(open: &mut Vec<PollAlarm>) -> Vec<Alarm> {
    std::mem::take(open).into_iter().map(|open| open.alarm).collect()
}

/// Returns the current state of all tasks of these alarms.
fn current(alarms: &[PollAlarm]) -> CurrentPolls {
    let wanted: HashSet<u64> =
        alarms.iter().flat_map(|alarm| alarm.tasks.iter().map(|(id, ..)| *id)).collect();
    let tasks = live::all_tasks().map(|task| (task.id(), task));
    let tasks = tasks.filter(|(id, _)| wanted.contains(id));
    tasks.map(|(id, task)| (id, (task.doing().0, task.polls.load(Relaxed)))).collect()
}

#[cfg(test)]
mod tests {
    use super::{Alarm, CurrentPolls, Duration, Instant, PollAlarm, RunState};

    fn alarm(state: RunState, lasts_for_any: bool) -> PollAlarm {
        let tasks = vec![(7, state, 3), (8, state, 0)];
        PollAlarm {
            alarm: Alarm::default(),
            taken: Instant::now(),
            age: Duration::ZERO,
            tasks,
            lasts_for_any,
        }
    }

    fn polls(seven: (RunState, u64), eight: (RunState, u64)) -> CurrentPolls {
        CurrentPolls::from([(7, seven), (8, eight)])
    }

    #[test]
    fn blocked_workers_are_over_with_the_first_poll_that_ends() {
        let alarm = alarm(RunState::Running, false);
        assert!(!alarm.is_over(&polls((RunState::Running, 3), (RunState::Running, 0))));
        assert!(alarm.is_over(&polls((RunState::Waiting, 4), (RunState::Running, 0))));
        assert!(alarm.is_over(&polls((RunState::Running, 3), (RunState::Running, 1))), "its next poll");
        assert!(alarm.is_over(&CurrentPolls::default()), "the tasks have ended");
    }

    #[test]
    fn a_full_queue_is_over_when_all_of_it_was_polled() {
        let alarm = alarm(RunState::Queued, true);
        assert!(!alarm.is_over(&polls((RunState::Waiting, 4), (RunState::Queued, 0))));
        assert!(alarm.is_over(&polls((RunState::Waiting, 4), (RunState::Running, 0))));
        assert!(alarm.is_over(&CurrentPolls::default()), "the tasks have ended");
    }
}
