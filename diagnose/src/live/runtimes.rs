//! The runtimes built through this crate, numbered 1, 2, …
//!
//! A runtime is listed while its wrapper exists, or while a thread that it has started runs. Tasks
//! and threads store its number.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::task_origin::SpawnRuntime;
use crate::sync::Mutex;

/// A listed runtime.
#[derive(Debug, Clone)]
pub(crate) struct ListedRuntime {
    pub(crate) number: u16,
    pub(crate) runtime: SpawnRuntime,
    pub(crate) name: Option<String>,
    /// Number of worker threads.
    pub(crate) workers: u64,
    /// Maximum number of threads for blocking code; `None` if unknown.
    pub(crate) max_blocking: Option<u64>,
    /// Number of running threads that it has started, including those for blocking code.
    pub(crate) threads: u64,
}

#[derive(Debug)]
struct RuntimeEntry {
    listed: ListedRuntime,
    /// The id that the runtime gives itself.
    own_id: u64,
    /// Whether its wrapper exists.
    is_held: bool,
}

struct Runtimes {
    all: Vec<RuntimeEntry>,
    /// Number of runtimes so far, which is the last one's number.
    count: u16,
}

static RUNTIMES: Mutex<Runtimes> = Mutex::new(Runtimes { all: Vec::new(), count: 0 });

/// Number of changes of the table. It shows a thread that caches a runtime's number when to look it
/// up again.
static CHANGES: AtomicU64 = AtomicU64::new(0);

/// Number of times that a runtime was added or removed.
#[inline]
pub(crate) fn changes() -> u64 {
    CHANGES.load(Relaxed)
}

/// The number of the runtime with the id `own_id`; zero if it is not listed.
pub(crate) fn find(own_id: u64) -> u16 {
    let runtimes = RUNTIMES.lock();
    runtimes.all.iter().find(|entry| entry.own_id == own_id).map_or(0, |entry| entry.listed.number)
}

/// Counts a thread that the runtime has started, and lists the runtime if needed. Returns its
/// number.
pub(crate) fn begin_thread(own_id: u64, listed: impl FnOnce() -> ListedRuntime) -> u16 {
    with(own_id, listed, |entry| entry.listed.threads += 1)
}

/// Ends a thread of the runtime.
pub(crate) fn end_thread(number: u16) {
    let mut runtimes = RUNTIMES.lock();
    if let Some(entry) = runtimes.all.iter_mut().find(|entry| entry.listed.number == number) {
        entry.listed.threads = entry.listed.threads.saturating_sub(1);
        runtimes.forget(number);
    }
}

/// Lists the runtime until the returned handle is dropped.
pub(crate) fn hold(
    own_id: u64,
    max_blocking: Option<u64>,
    listed: impl FnOnce() -> ListedRuntime,
) -> RuntimeHandle {
    RuntimeHandle(with(own_id, listed, |entry| {
        entry.listed.max_blocking = max_blocking;
        entry.is_held = true;
    }))
}

/// The listed runtimes, sorted by number.
pub(crate) fn all_runtimes() -> Vec<ListedRuntime> {
    RUNTIMES.lock().all.iter().map(|entry| entry.listed.clone()).collect()
}

/// Lists a runtime until it is dropped with the runtime's wrapper.
#[derive(Debug)]
pub(crate) struct RuntimeHandle(u16);

impl RuntimeHandle {
    pub(crate) fn number(&self) -> u16 {
        self.0
    }
}

impl Drop for RuntimeHandle {
    fn drop(&mut self) {
        let mut runtimes = RUNTIMES.lock();
        if let Some(entry) = runtimes.all.iter_mut().find(|entry| entry.listed.number == self.0) {
            entry.is_held = false;
            runtimes.forget(self.0);
        }
    }
}

/// Changes the entry of a runtime, adding it if needed.
fn with(own_id: u64, listed: impl FnOnce() -> ListedRuntime, change: impl FnOnce(&mut RuntimeEntry)) -> u16 {
    let mut runtimes = RUNTIMES.lock();
    if let Some(entry) = runtimes.all.iter_mut().find(|entry| entry.own_id == own_id) {
        change(entry);
        return entry.listed.number;
    }
    // A runtime past the last number gets none.
    let Some(number) = runtimes.count.checked_add(1) else { return 0 };
    let mut entry = RuntimeEntry { listed: ListedRuntime { number, ..listed() }, own_id, is_held: false };
    change(&mut entry);
    runtimes.all.push(entry);
    runtimes.count = number;
    CHANGES.fetch_add(1, Relaxed);
    number
}

impl Runtimes {
    /// Removes the runtime once its wrapper and its threads are gone.
    fn forget(&mut self, number: u16) {
        let before = self.all.len();
        self.all.retain(|entry| entry.listed.number != number || entry.is_held || entry.listed.threads > 0);
        if self.all.len() != before {
            CHANGES.fetch_add(1, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ListedRuntime, all_runtimes, begin_thread, end_thread, find, hold};
    use crate::live::SpawnRuntime;

    fn listed() -> ListedRuntime {
        ListedRuntime {
            number: 0,
            runtime: SpawnRuntime::Tokio,
            name: None,
            workers: 2,
            max_blocking: None,
            threads: 0,
        }
    }

    #[test]
    fn a_runtime_is_listed_while_its_wrapper_or_a_thread_of_it_is_there() {
        let own_id = u64::MAX - 1;
        assert_eq!(find(own_id), 0);
        // A thread may run its hook before the wrapper exists.
        let number = begin_thread(own_id, listed);
        let held = hold(own_id, None, listed);
        assert_eq!((find(own_id), held.0), (number, number));
        drop(held);
        let threads = |number| {
            let all = all_runtimes();
            all.iter().find(|listed| listed.number == number).map(|listed| listed.threads)
        };
        assert_eq!(threads(number), Some(1));
        end_thread(number);
        assert_eq!((find(own_id), threads(number)), (0, None));
        let later = hold(own_id, None, listed);
        assert_ne!(later.0, number, "no number is used twice");
    }
}
