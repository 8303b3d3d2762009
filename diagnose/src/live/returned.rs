//! Finished tasks whose output may contain a guard: those that `block_on` ran.
//!
//! A borrowed guard that outlives its task was forgotten there, or it is in the output:
//! ```text
//! let guard = runtime.block_on(async { lock.lock().await });
//! ```

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

const IDS: usize = 512;

/// The last `IDS` tasks that returned a value that is dropped later; 0 for an unused entry.
static RETURNED: [AtomicU64; IDS] = [const { AtomicU64::new(0) }; IDS];
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// Records that the task has ended, and has returned something that is dropped later.
pub(crate) fn note_return(task: u64) {
    RETURNED[NEXT.fetch_add(1, Relaxed) % IDS].store(task, Relaxed);
}

/// Whether the task is one of the last that returned a value that is dropped later.
pub(crate) fn has_returned(task: u64) -> bool {
    RETURNED.iter().any(|id| id.load(Relaxed) == task)
}
