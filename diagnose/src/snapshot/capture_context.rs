//! Shared input of a capture's parts: the tasks by number, the threads, the time.

use std::collections::HashSet;

use diagnose_reports::model::{NodeIndex, Text};

use super::confined::Confined;
use super::numbers::{Index, Table};
use super::task_copy::TaskCopy;
use super::texts::Texts;
use crate::clock::Scale;
use crate::switch;
use crate::tree::Node;

/// The tasks of a capture, in order of creation.
#[derive(Debug)]
pub(super) struct TaskTable {
    pub(super) all: Vec<TaskCopy>,
    /// Maps task numbers to indexes of `all`.
    by_id: Index,
    /// Numbers of living tasks in whose stead a root inside them is listed.
    hidden: HashSet<u64>,
}

impl TaskTable {
    pub(super) fn new(all: Vec<TaskCopy>, hidden: HashSet<u64>) -> Self {
        let by_id = Index::new(all.iter().map(|task| task.id));
        Self { all, by_id, hidden }
    }

    /// Returns whether the task with this number is done. `polled_at` is a tick at which it was
    /// known to be alive. A task that is polled while recording is off may lose its record.
    pub(super) fn is_done(&self, id: u64, polled_at: u64) -> bool {
        self.get(id).is_none() && polled_at > switch::last_off() && !self.hidden.contains(&id)
    }

    /// Returns the task with this number.
    pub(super) fn get(&self, id: u64) -> Option<&TaskCopy> {
        self.all.get(self.position(id)?)
    }

    /// Returns the index of the task with this number.
    pub(super) fn position(&self, id: u64) -> Option<usize> {
        self.by_id.get(id)
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
    /// `now` as `clock::instant_ns` shows it, to compare deadlines with.
    pub(super) instant_ns: u64,
    pub(super) tasks: &'a TaskTable,
    pub(super) confined: &'a Confined<'a>,
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
