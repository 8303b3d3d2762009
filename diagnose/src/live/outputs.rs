//! Outputs of finished tasks: which task got them, maybe with a guard inside.
//!
//! ```text
//! let guard = tokio::spawn(async { LOCK.lock().await }).await.unwrap();
//! ```

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU64, AtomicUsize, fence};

use super::current_poll;
use super::transfers::TransferCounts;

const OUTPUTS: usize = 512;

static LAST: [OutputEntry; OUTPUTS] = [const { OutputEntry::new() }; OUTPUTS];
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// One of the last outputs. Older ones are overwritten: which task has them is then unknown.
#[derive(Debug)]
struct OutputEntry {
    /// The finished task; 0 while the entry is unused or being written.
    task: AtomicU64,
    joiner: AtomicU64,
    span: AtomicU64,
    transfers: AtomicU64,
}

/// The task that got an output.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output {
    pub(crate) joiner: u64,
    /// The span of the joiner that got it.
    pub(crate) span: u64,
    /// Counts of the joiner's spawns and sends until then.
    pub(crate) transfers: TransferCounts,
}

impl OutputEntry {
    const fn new() -> Self {
        Self {
            task: AtomicU64::new(0),
            joiner: AtomicU64::new(0),
            span: AtomicU64::new(0),
            transfers: AtomicU64::new(0),
        }
    }

    /// Returns the output of the finished task `task`, if this is its entry.
    fn read(&self, task: u64) -> Option<Output> {
        // Acquire pairs with the Release in `note_output`: a reader that sees the number sees the
        // fields.
        let is_its = self.task.load(Acquire) == task;
        let output = Output {
            joiner: self.joiner.load(Relaxed),
            span: self.span.load(Relaxed),
            transfers: TransferCounts(self.transfers.load(Relaxed)),
        };
        // Pairs with the Release fence in `note_output`: if a field is of a later output, the
        // number has changed.
        fence(Acquire);
        (is_its && self.task.load(Relaxed) == task).then_some(output)
    }
}

/// Records that the running task gets the output of the finished task `task`.
pub(crate) fn note_output(task: u64) {
    let here = current_poll();
    let entry = &LAST[NEXT.fetch_add(1, Relaxed) % OUTPUTS];
    entry.task.store(0, Relaxed);
    // Pairs with the Acquire fence in `read`.
    fence(Release);
    entry.joiner.store(here.task, Relaxed);
    entry.span.store(here.span, Relaxed);
    entry.transfers.store(here.registered.map_or(0, |task| task.transfer_counts().0), Relaxed);
    // Release pairs with the Acquire in `read`.
    entry.task.store(task, Release);
}

/// Returns the output of the finished task `task`. Returns `None` if no task got it, or if that was
/// too long ago.
pub(crate) fn output_of(task: u64) -> Option<Output> {
    LAST.iter().find_map(|entry| entry.read(task)).filter(|output| output.joiner != 0)
}
