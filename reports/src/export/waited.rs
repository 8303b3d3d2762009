//! Describes what a task waits for, in the line of the task.
//!
//! ```text
//! task 3 transfer [waiting 1.95 s for Mutex#1]
//! 200 × task conn [waiting 1.00 s to 4.20 s for Semaphore#2 `pool`]    all for the same one
//! task 9 main [waiting 1.95 s for task 3]
//! ```
//! A wait that was set aside is left out, because the task waits for something else.

use crate::analysis::hangs::words::resource_name;
use crate::index::Index;
use crate::lists::Lists;
use crate::model::{ResourceId, Snapshot, Task, TaskId, Wait};
use crate::units::counted;

/// Maximum number of waits named per task.
const MAX_NAMED: usize = 3;

/// The waits of each task.
#[derive(Debug)]
pub(super) struct Waited<'a> {
    snapshot: &'a Snapshot,
    resources: Index<ResourceId>,
    tasks: Index<TaskId>,
    /// By task index: the indices of its waits.
    waits: Lists,
}

impl<'a> Waited<'a> {
    pub(super) fn new(snapshot: &'a Snapshot) -> Self {
        let tasks = Index::new(snapshot.tasks.iter().map(|task| task.id));
        let waits = snapshot.waits.iter().enumerate();
        let waits = waits.filter(|(_, wait)| !wait.is_set_aside && !wait.is_wake_ignored);
        let waits = waits.filter(|(_, wait)| wait.resource.is_some() || !wait.tasks.is_empty());
        let waits = waits.filter_map(|(number, wait)| Some((tasks.get(wait.task?)?, number)));
        let waits = Lists::new(snapshot.tasks.len(), waits);
        Self { snapshot, resources: Index::new(snapshot.resources.iter().map(|it| it.id)), tasks, waits }
    }

    /// ` for Mutex#1, task 7`: the resources and tasks that all these tasks wait for. The text is
    /// empty if the tasks wait for different ones, or if their waits are unknown.
    pub(super) fn words(&self, group: &[&Task]) -> String {
        let Some((first, others)) = group.split_first() else { return String::new() };
        let first = self.waits_of(first);
        let is_same =
            |(one, other): (&Wait, &Wait)| one.resource == other.resource && one.tasks == other.tasks;
        let are_same = |task: &&&Task| {
            let other = self.waits_of(task);
            other.len() == first.len() && self.get(first).zip(self.get(other)).all(is_same)
        };
        if first.is_empty() || first.len() > MAX_NAMED || !others.iter().all(|task| are_same(&task)) {
            return String::new();
        }
        let names: Option<Vec<String>> = self.get(first).map(|wait| self.name(wait)).collect();
        names.map(|names| format!(" for {}", names.join(", "))).unwrap_or_default()
    }

    fn waits_of(&self, task: &Task) -> &[usize] {
        self.tasks.get(task.id).map_or(&[], |task| self.waits.of(task))
    }

    fn get(&self, numbers: &[usize]) -> impl Iterator<Item = &'a Wait> {
        numbers.iter().map(|&number| &self.snapshot.waits[number])
    }

    fn name(&self, wait: &Wait) -> Option<String> {
        match (wait.resource, &wait.tasks[..]) {
            (Some(id), _) => {
                let resource = self.resources.get(id)?;
                Some(resource_name(&self.snapshot.resources[resource]))
            }
            (None, [task]) => Some(format!("task {task}")),
            (None, tasks) => Some(counted(tasks.len() as u64, "task")),
        }
    }
}
