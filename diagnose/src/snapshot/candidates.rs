//! Candidate owners of a moved holding: the tasks that were spawned since.

use std::cell::Cell;

use diagnose_reports::sort::sort;

use super::numbers::Table;

/// Creation tick and number of a task.
type TaskAge = (u64, u64);

/// Tasks by their spawner, each list ordered by age.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    spawned: Table<u64, Vec<TaskAge>>,
    /// Tasks that no known task has spawned, such as those of a `block_on` on a thread of its own.
    of_unknown_spawner: Vec<TaskAge>,
    /// Remaining number of candidates that can be listed.
    room: Cell<usize>,
}

impl Candidates {
    /// Takes number, spawner (`None` if unknown or no task) and creation tick of each task. All
    /// lists together hold at most `room` candidates: a task that makes a hundred thousand
    /// channels, and spawns as many tasks for them, would otherwise have billions.
    pub(super) fn new(tasks: impl Iterator<Item = (u64, Option<u64>, u64)>, room: usize) -> Self {
        let mut candidates = Self { room: Cell::new(room), ..Self::default() };
        for (id, by, made) in tasks {
            let tasks = match by {
                Some(by) => candidates.spawned.entry(by).or_default(),
                None => &mut candidates.of_unknown_spawner,
            };
            tasks.push((made, id));
        }
        candidates.spawned.values_mut().for_each(|tasks| sort(tasks));
        sort(&mut candidates.of_unknown_spawner);
        candidates
    }

    /// Returns `true` if `task` or an unknown spawner has spawned a task since `since` other than
    /// `but`.
    pub(super) fn has_since(&self, task: u64, since: u64, but: u64) -> bool {
        let own = later(self.spawned.get(&task).map_or(&[], Vec::as_slice), since);
        own.iter().chain(later(&self.of_unknown_spawner, since)).any(|(_, id)| *id != but)
    }

    /// Returns `true` if an unknown spawner has spawned a task since `since`.
    pub(super) fn has_unknown_since(&self, since: u64) -> bool {
        !later(&self.of_unknown_spawner, since).is_empty()
    }

    /// Returns the tasks spawned since `since` by `task` or by an unknown spawner, sorted by
    /// number. `None` if they exceed the limit of `room`.
    pub(super) fn since(&self, task: u64, since: u64) -> Option<Vec<u64>> {
        let own = later(self.spawned.get(&task).map_or(&[], Vec::as_slice), since);
        let unknown = later(&self.of_unknown_spawner, since);
        self.room.set(self.room.get().checked_sub(own.len() + unknown.len())?);
        let all = own.iter().chain(unknown).map(|(_, id)| *id);
        let mut all: Vec<u64> = all.filter(|id| *id != task).collect();
        sort(&mut all);
        Some(all)
    }
}

fn later(tasks: &[TaskAge], since: u64) -> &[TaskAge] {
    &tasks[tasks.partition_point(|(made, _)| *made < since)..]
}

#[cfg(test)]
mod tests {
    use super::Candidates;

    const TASKS: [(u64, Option<u64>, u64); 5] =
        [(1, Some(0), 1), (2, Some(1), 20), (3, Some(1), 30), (4, None, 25), (5, Some(2), 40)];

    #[test]
    fn candidates_are_tasks_spawned_since_by_the_task_or_an_unknown_spawner() {
        let candidates = Candidates::new(TASKS.into_iter(), 100);
        assert_eq!(candidates.since(1, 10), Some(vec![2, 3, 4]));
        assert_eq!(candidates.since(1, 25), Some(vec![3, 4]), "the same moment counts");
        assert_eq!(candidates.since(4, 10), Some(vec![]), "not the task itself");
    }

    #[test]
    fn only_tasks_of_an_unknown_spawner_count_for_every_task() {
        let candidates = Candidates::new(TASKS.into_iter(), 100);
        assert!(candidates.has_unknown_since(25), "the same moment counts");
        assert!(!candidates.has_unknown_since(26));
    }

    #[test]
    fn candidates_past_the_bound_are_unknown() {
        let candidates = Candidates::new(TASKS.into_iter(), 4);
        assert!(candidates.since(1, 10).is_some());
        assert_eq!(candidates.since(1, 10), None);
        assert_eq!(candidates.since(1, 30), Some(vec![3]), "there is room for one");
    }
}
