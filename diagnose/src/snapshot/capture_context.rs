//! What the parts of a capture are seen with: the tasks by number, the threads, the moment.

use diagnose_reports::model::Text;

use super::numbers::{Index, Table};
use super::task_copy::TaskCopy;
use super::texts::Texts;
use crate::clock::Scale;
use crate::live;

/// What a capture knows of a task.
#[derive(Debug, Clone, Copy)]
pub(super) struct KnownTask {
    pub(super) id: u64,
    pub(super) task: &'static live::Task,
    /// When the last poll that is over began; zero if none is.
    pub(super) entered: u64,
    pub(super) made: u64,
    pub(super) spawned_by: u64,
    /// Whether it was met without being spawned through this crate.
    pub(super) is_stranger: bool,
}

/// The tasks of a capture, in the order in which they were made.
#[derive(Debug)]
pub(super) struct TaskTable {
    pub(super) all: Vec<KnownTask>,
    by_id: Index,
}

impl TaskTable {
    /// `by_id`: where their numbers stand in the list.
    pub(super) fn new(listings: Vec<TaskCopy>, by_id: Index) -> Self {
        // Collected in place, they would take as much as the listings did.
        let mut all = Vec::with_capacity(listings.len());
        all.extend(listings.iter().map(TaskCopy::known));
        drop(listings);
        Self { all, by_id }
    }

    /// The task of that number.
    pub(super) fn get(&self, id: u64) -> Option<&KnownTask> {
        self.all.get(self.by_id.get(id)?)
    }
}

/// What all parts of a capture are seen with.
pub(super) struct CaptureContext<'a> {
    pub(super) now: u64,
    pub(super) scale: Scale,
    pub(super) tasks: &'a TaskTable,
    /// Names and kernel's numbers of threads, by the numbers of their trees.
    pub(super) threads: &'a Table<u32, (Text, u64)>,
    pub(super) texts: &'a Texts,
}

impl CaptureContext<'_> {
    pub(super) fn ago(&self, tick: u64) -> u64 {
        self.scale.ns(self.now.saturating_sub(tick))
    }

    /// The first task that was made after that tick: a number that none has, if there is none. `None` for zero.
    pub(super) fn first_task_since(&self, born: u64) -> Option<u64> {
        let tasks = &self.tasks.all;
        let first = tasks.partition_point(|task| task.made < born);
        (born != 0).then(|| tasks.get(first).map_or(u64::MAX, |task| task.id))
    }

    pub(super) fn thread_id(&self, tree: Option<u32>) -> Option<u64> {
        tree.and_then(|tree| self.threads.get(&tree)).map(|(_, id)| *id).filter(|id| *id != 0)
    }
}
