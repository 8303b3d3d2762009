//! The threads of runtimes: which there are, which are workers, and whether they are parked.
//!
//! A runtime calls its hooks on the threads for blocking code too, so a thread is a worker from the first time that it
//! parks as one. A thread has a record from its start, or from its first park in a `block_on`, which it finds by a
//! thread-local pointer; a park costs a reading of the clock and two stores. What a worker is running is with the tasks:
//! each knows on which thread it was polled last.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::thread;

use super::runtimes;
use super::task_origin::SpawnRuntime;
use crate::clock;
use crate::context;
use crate::sync::Mutex;

/// One thread. Never freed, only used again for a later one.
#[derive(Debug)]
struct WorkerCell {
    /// `None` while this is nobody's.
    identity: Mutex<Option<WorkerIdentity>>,
    /// Since when it is parked, running or no worker: the tick above two bits.
    since: AtomicU64,
    /// The number of its tree, plus one; zero while it has none.
    tree: AtomicU32,
}

#[derive(Debug, Clone)]
struct WorkerIdentity {
    runtime: SpawnRuntime,
    /// The number of the runtime in this process; zero if it has none.
    number: u16,
    /// Whether the runtime has started it.
    is_started: bool,
    name: String,
    os_id: Option<u64>,
}

/// A copy of what is known of a worker thread.
#[derive(Debug, Clone)]
pub(crate) struct ListedWorker {
    pub(crate) runtime: SpawnRuntime,
    /// The number of the runtime in this process; zero if it has none.
    pub(crate) runtime_number: u16,
    /// The name of the thread; empty if it has none.
    pub(crate) name: String,
    /// The system's number of the thread, where it is told.
    pub(crate) os_id: Option<u64>,
    /// The number of its tree; `None` if nothing was recorded on it yet.
    pub(crate) tree: Option<u32>,
    pub(crate) is_parked: bool,
    /// The tick since when it is, or is not.
    pub(crate) since: u64,
}

static WORKERS: Mutex<Vec<&'static WorkerCell>> = Mutex::new(Vec::new());

thread_local! {
    /// The record of this thread. Without a destructor: hooks may come in the thread's last moments.
    static OWN: Cell<Option<&'static WorkerCell>> = const { Cell::new(None) };
}

const PARKED: u64 = 1;
const WORKER: u64 = 2;

/// A runtime of that number has started this thread, as a worker or for blocking code.
pub(crate) fn started(runtime: SpawnRuntime, number: u16) {
    begin(runtime, number, true);
}

/// The thread is about to park: it is a worker of such a runtime, of the number that `number` gives.
pub(crate) fn parked(runtime: SpawnRuntime, number: impl FnOnce() -> u16) {
    let worker = own().unwrap_or_else(|| begin(runtime, number(), false));
    worker.note(WORKER | PARKED);
}

/// The thread goes on.
pub(crate) fn unparked() {
    if let Some(worker) = own().filter(|worker| worker.is_worker()) {
        worker.note(WORKER);
    }
}

/// Another thread goes on as the worker that this one was. If it gets its place back, it is one when it parks.
pub(crate) fn replaced() {
    if let Some(worker) = own() {
        worker.note(0);
    }
}

/// The thread ends, or is none of the runtime's any more.
pub(crate) fn stopped() {
    if let Some(worker) = OWN.try_with(Cell::take).ok().flatten() {
        worker.end();
    }
}

/// For the length of a `block_on`: a thread that becomes a worker in it is one no longer than that.
pub(crate) fn visit() -> BlockOnGuard {
    BlockOnGuard { around: OWN.try_with(Cell::take).ok().flatten() }
}

#[must_use]
pub(crate) struct BlockOnGuard {
    /// What the thread is to another runtime.
    around: Option<&'static WorkerCell>,
}

impl Drop for BlockOnGuard {
    fn drop(&mut self) {
        stopped();
        let _ = OWN.try_with(|own| own.set(self.around));
    }
}

/// Every worker thread that there is, in no order.
pub(crate) fn all_workers() -> Vec<ListedWorker> {
    let workers = WORKERS.lock().clone();
    workers.into_iter().filter_map(WorkerCell::read).collect()
}

/// The system's numbers of all threads that runtimes have started, those for blocking code included.
pub(crate) fn all_threads() -> Vec<u64> {
    let workers = WORKERS.lock().clone();
    workers.into_iter().filter_map(|worker| worker.identity.lock().as_ref()?.os_id).collect()
}

fn own() -> Option<&'static WorkerCell> {
    OWN.try_with(Cell::get).ok().flatten()
}

#[cold]
fn begin(runtime: SpawnRuntime, number: u16, is_started: bool) -> &'static WorkerCell {
    let name = thread::current().name().unwrap_or_default().to_owned();
    let identity = WorkerIdentity { runtime, number, is_started, name, os_id: os_id() };
    let mut workers = WORKERS.lock();
    let free = workers.iter().copied().find(|worker| worker.identity.lock().is_none());
    let worker = free.unwrap_or_else(|| {
        let worker = Box::leak(Box::new(WorkerCell::new()));
        workers.push(worker);
        worker
    });
    worker.tree.store(0, Relaxed);
    worker.since.store(clock::now() << 2, Relaxed);
    *worker.identity.lock() = Some(identity);
    drop(workers);
    // If it fails, the thread's storage is gone, and `stopped` will not come: then the record stays with what it says.
    let _ = OWN.try_with(|own| own.set(Some(worker)));
    worker
}

impl WorkerCell {
    fn new() -> Self {
        Self { identity: Mutex::new(None), since: AtomicU64::new(0), tree: AtomicU32::new(0) }
    }

    fn note(&self, state: u64) {
        self.since.store(clock::now() << 2 | state, Relaxed);
        self.tree.store(context::context().tree.map_or(0, |tree| tree.saturating_add(1)), Relaxed);
    }

    fn is_worker(&self) -> bool {
        self.since.load(Relaxed) & WORKER != 0
    }

    fn end(&self) {
        let identity = self.identity.lock().take();
        if let Some(identity) = identity.filter(|identity| identity.is_started) {
            runtimes::end_thread(identity.number);
        }
    }

    /// What is known of it, if it is a worker.
    fn read(&self) -> Option<ListedWorker> {
        let identity = self.identity.lock();
        let WorkerIdentity { runtime, number, name, os_id, .. } = identity.as_ref()?.clone();
        let since = self.since.load(Relaxed);
        let tree = self.tree.load(Relaxed).checked_sub(1);
        let is_parked = since & PARKED != 0;
        let listed =
            ListedWorker { runtime, runtime_number: number, name, os_id, tree, is_parked, since: since >> 2 };
        (since & WORKER != 0).then_some(listed)
    }
}

/// The system's number of this thread, from its own entry in `/proc`.
#[cfg(target_os = "linux")]
fn os_id() -> Option<u64> {
    let path = std::fs::read_link("/proc/thread-self").ok()?;
    path.file_name()?.to_str()?.parse().ok()
}

#[cfg(not(target_os = "linux"))]
fn os_id() -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::{
        ListedWorker, all_threads, all_workers, parked, replaced, started, stopped, unparked, visit,
    };
    use crate::live::SpawnRuntime;

    fn named(name: &str) -> Option<ListedWorker> {
        all_workers().into_iter().find(|worker| worker.name == name)
    }

    fn on_thread(name: &str, test: impl FnOnce() + Send + 'static) {
        thread::Builder::new().name(name.to_owned()).spawn(test).unwrap().join().unwrap();
    }

    #[test]
    fn a_thread_is_a_worker_from_its_first_park_to_its_end() {
        on_thread("worker-a", || {
            unparked();
            assert!(named("worker-a").is_none());
            parked(SpawnRuntime::Tokio, || 7);
            let first = named("worker-a").unwrap();
            assert!(first.is_parked);
            assert_eq!((first.runtime, first.runtime_number), (SpawnRuntime::Tokio, 7));
            assert_eq!(first.os_id.is_some(), cfg!(target_os = "linux"));
            unparked();
            let second = named("worker-a").unwrap();
            assert!(!second.is_parked);
            assert!(second.since >= first.since);
            stopped();
            assert!(named("worker-a").is_none());
            stopped();
        });
    }

    #[test]
    fn a_thread_that_parks_in_block_on_is_a_worker_no_longer_than_that() {
        on_thread("worker-b", || {
            let visit_around = visit();
            parked(SpawnRuntime::Tokio, || 7);
            drop(visit());
            assert!(named("worker-b").is_some());
            drop(visit_around);
            assert!(named("worker-b").is_none());
        });
    }

    #[test]
    fn a_thread_for_blocking_code_is_known_and_no_worker() {
        on_thread("worker-c", || {
            let own = super::os_id();
            let is_known = || own.is_none() || all_threads().into_iter().any(|id| Some(id) == own);
            started(SpawnRuntime::Tokio, 0);
            unparked();
            assert!(is_known() && named("worker-c").is_none());
            parked(SpawnRuntime::Tokio, || 7);
            assert!(named("worker-c").is_some());
            replaced();
            assert!(is_known() && named("worker-c").is_none());
            unparked();
            assert!(named("worker-c").is_none(), "another is the worker");
            stopped();
            assert!(own.is_none() || !is_known());
        });
    }

    #[test]
    fn a_runtime_in_a_thread_of_another_is_that_threads_for_its_length_only() {
        on_thread("worker-d", || {
            started(SpawnRuntime::Tokio, 1);
            parked(SpawnRuntime::Tokio, || 1);
            let inside = visit();
            parked(SpawnRuntime::Tokio, || 2);
            let numbers = || {
                let own = all_workers().into_iter().filter(|worker| worker.name == "worker-d");
                own.map(|worker| worker.runtime_number).collect::<Vec<_>>()
            };
            assert!(numbers().contains(&2));
            drop(inside);
            assert_eq!(numbers(), [1]);
            stopped();
        });
    }
}
