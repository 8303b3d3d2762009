//! Shared input of a capture's parts: the tasks by number, the threads, the time.

use diagnose_reports::model::{NodeIndex, Text};

use super::confined::Confined;
use super::numbers::{Index, Table};
use super::texts::Texts;
use crate::clock::Scale;
use crate::live::{self, TaskState};
use crate::tree::Node;

/// The part of a task that a capture needs for other entries.
#[derive(Debug, Clone, Copy)]
pub(super) struct KnownTask {
    pub(super) id: u64,
    pub(super) task: &'static live::Task,
    /// Tick at which the last finished poll began; 0 if none.
    pub(super) entered: u64,
    pub(super) made: u64,
    pub(super) spawned_by: u64,
    /// Whether its spawner is unknown: neither this crate nor a hook of its runtime saw the spawn.
    pub(super) is_spawner_unknown: bool,
    /// Whether it is the future of a `block_on`, which may borrow from the code around.
    pub(super) is_block_on: bool,
}

impl KnownTask {
    /// Returns whether it is in a poll now.
    pub(super) fn is_running(&self) -> bool {
        self.task.doing().0 == TaskState::Running
    }
}

/// The tasks of a capture, in order of creation.
#[derive(Debug)]
pub(super) struct TaskTable {
    pub(super) all: Vec<KnownTask>,
    by_id: Index,
}

impl TaskTable {
    /// `by_id` maps task numbers to indexes of `all`.
    pub(super) fn new(all: Vec<KnownTask>, by_id: Index) -> Self {
        Self { all, by_id }
    }

    /// Returns the task with this number.
    pub(super) fn get(&self, id: u64) -> Option<&KnownTask> {
        self.all.get(self.by_id.get(id)?)
    }
}

/// A thread that has or had a tree.
#[derive(Debug)]
pub(super) struct KnownThread {
    pub(super) name: Text,
    /// The kernel's id; 0 if unknown.
    pub(super) id: u64,
    /// Whether no other thread had its tree before.
    pub(super) is_first: bool,
}

/// Shared input of all parts of a capture.
pub(super) struct CaptureContext<'a> {
    pub(super) now: u64,
    pub(super) scale: Scale,
    pub(super) tasks: &'a TaskTable,
    pub(super) confined: &'a Confined,
    /// The threads, by the numbers of their trees.
    pub(super) threads: &'a Table<u32, KnownThread>,
    pub(super) texts: &'a Texts,
    /// The index of a node's path in the snapshot; `None` if it has none.
    pub(super) node_index: &'a dyn Fn(&'static Node) -> Option<NodeIndex>,
    /// Whether the recorded times are captured too.
    pub(super) is_whole: bool,
}

impl CaptureContext<'_> {
    pub(super) fn ago(&self, tick: u64) -> u64 {
        self.scale.ns(self.now.saturating_sub(tick))
    }

    /// Returns the first task created after the tick `created`, or an unused number if there is
    /// none. `None` if `created` is 0.
    pub(super) fn first_task_since(&self, created: u64) -> Option<u64> {
        let tasks = &self.tasks.all;
        let first = tasks.partition_point(|task| task.made < created);
        (created != 0).then(|| tasks.get(first).map_or(u64::MAX, |task| task.id))
    }

    pub(super) fn thread_id(&self, tree: Option<u32>) -> Option<u64> {
        tree.and_then(|tree| self.threads.get(&tree)).map(|thread| thread.id).filter(|id| *id != 0)
    }

    /// Returns whether no other thread had this tree before.
    pub(super) fn is_first_of(&self, tree: Option<u32>) -> bool {
        tree.and_then(|tree| self.threads.get(&tree)).is_some_and(|thread| thread.is_first)
    }
}
