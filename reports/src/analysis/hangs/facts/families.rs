//! Families of tasks: tasks with a common ancestor, who may have been handed the same things.
//!
//! One task can take from a map what another task put there only if both were given the map: by the
//! task that spawned them, by an ancestor of that one, or by the code outside of tasks that spawned
//! both.

use super::lookup::Facts;
use super::predicates::is_block_on_main;
use crate::model::{Task, TaskId};

/// The origin of a task's oldest ancestor.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Family {
    /// A thread runs it, as in a `block_on`.
    Roots,
    /// Code outside of tasks spawned it, before there was any root.
    Outside,
    /// The ancestor is done, a thread that a task may have started, or the unrecorded code around an
    /// unspawned root. It may be of either family.
    #[default]
    Unknown,
}

impl Family {
    /// Whether code may have handed the same thing to a task of each family.
    pub(crate) fn may_share(self, other: Self) -> bool {
        self == other || self == Self::Unknown || other == Self::Unknown
    }
}

/// The family of each task, by its index.
#[derive(Debug, Default)]
pub(crate) struct Families(Vec<Family>);

impl Families {
    pub(crate) fn new(facts: &Facts<'_>) -> Self {
        let mut families = Self::default();
        let mut has_root = false;
        for task in &facts.snapshot.tasks {
            let is_outside = |task: &Task| {
                let is_spawned = !task.is_unspawned && task.spawned_at.is_some();
                is_spawned && !is_block_on_main(facts.snapshot, task)
            };
            let family = match task.spawned_by {
                // A task is younger than its parent, so the parent's family is known.
                Some(by) => families.of(facts, Some(by)),
                // A task may have started the thread that spawned this one.
                None if is_outside(task) && has_root => Family::Unknown,
                None if is_outside(task) => Family::Outside,
                // The code that polls it may have spawned tasks before.
                None if task.is_unspawned => Family::Unknown,
                None => Family::Roots,
            };
            has_root |= family == Family::Roots;
            families.0.push(family);
        }
        families
    }

    /// The family of the task with this id. `None` is a thread outside of tasks.
    pub(crate) fn of(&self, facts: &Facts<'_>, task: Option<TaskId>) -> Family {
        let index = task.and_then(|task| facts.task(task));
        index.and_then(|index| self.0.get(index)).copied().unwrap_or_default()
    }

    /// The indices of the tasks that may have been handed what a task of that family was handed.
    pub(crate) fn relatives(&self, family: Family) -> impl Iterator<Item = usize> + '_ {
        let tasks = self.0.iter().enumerate();
        tasks.filter(move |(_, other)| family.may_share(**other)).map(|(index, _)| index)
    }
}
