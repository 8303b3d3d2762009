//! Which tasks may have been handed the same things: those with a common ancestor.
//!
//! What one task puts into a table, another can take out only if somebody has given both of them the table: who spawned them,
//! or whoever spawned those. A task that a thread spawned outside of all tasks is an ancestor of its own. Where an ancestor is
//! not known, it is one with all others of which that is not known, and with all that a thread runs in a `block_on`.

use super::lookup::Facts;
use super::predicates::is_block_on_main;

/// The families of all tasks.
#[derive(Debug, Default)]
pub(crate) struct Families {
    /// By the index of the task: the index of its family.
    pub(crate) of: Vec<usize>,
    /// By the index of the family: its tasks.
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
                // A task is younger than who spawned it.
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
