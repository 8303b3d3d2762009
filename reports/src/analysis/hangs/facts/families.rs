//! Families of tasks: tasks with a common ancestor, who may have been handed the same things.
//!
//! One task can take from a map what another task put there only if both were given the map: by the
//! task that spawned them, or by an ancestor of that one. A task spawned by a thread outside of all
//! tasks founds a family. All tasks with an unknown ancestor are one family, together with every
//! task that a thread runs in `block_on`.

use super::lookup::Facts;
use super::predicates::is_block_on_main;

/// The families of all tasks.
#[derive(Debug, Default)]
pub(crate) struct Families {
    /// By task index: the index of its family.
    pub(crate) of: Vec<usize>,
    /// By family index: its tasks.
    pub(crate) members: Vec<Vec<usize>>,
}

impl Families {
    pub(crate) fn new(facts: &Facts<'_>) -> Self {
        let mut families = Self { of: Vec::new(), members: vec![Vec::new()] };
        for (index, task) in facts.snapshot.tasks.iter().enumerate() {
            let is_first = || {
                let is_spawned = !task.is_unspawned && task.spawned_at.is_some();
                is_spawned && !is_block_on_main(facts.snapshot, task)
            };
            let family = match task.spawned_by {
                // A task is younger than its parent, so the parent's family is known.
                Some(by) => facts.task(by).and_then(|by| families.of.get(by)).copied().unwrap_or(0),
                None if is_first() => {
                    families.members.push(Vec::new());
                    families.members.len() - 1
                }
                None => 0,
            };
            families.of.push(family);
            families.members[family].push(index);
        }
        families
    }
}
