//! The threads of runtimes: their identities, and which are workers or parked.
//!
//! A runtime calls its hooks on threads for blocking code too, so a thread counts as a worker from
//! its first park as one. A thread gets its record at its start, or at its first park in a
//! `block_on`, and finds it by a thread-local pointer. A park costs a clock reading and two stores.
//! A worker's running task is not stored here: each task knows the thread that polled it last.

use std::cell::Cell;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU32, AtomicU64, fence};
use std::thread;

use super::runtimes;
use super::task_origin::SpawnRuntime;
use crate::clock;
use crate::context;
use crate::os;
use crate::sync::{Mutex, add_relaxed};
use crate::text_limit;

/// One thread. Never freed, only reused for a later thread.
#[derive(Debug, Default)]
struct WorkerCell {
    /// `None` while the record is free.
    identity: Mutex<Option<WorkerIdentity>>,
    /// The tick at which the thread was last started, parked or unparked, above three bits for its
    /// state.
    since: AtomicU64,
    /// Ticks of all parks that have ended, except those of an earlier thread.
    parked: AtomicU64,
    /// The part of `parked` before the last reset, including the part of a park that was open then.
    parked_before: AtomicU64,
    /// The tick at which the thread was listed.
    listed: AtomicU64,
    /// The number of its tree, plus one; zero if it has none.
    tree: AtomicU32,
}

#[derive(Debug, Clone)]
struct WorkerIdentity {
    runtime: SpawnRuntime,
    /// The number of the runtime in this process; zero if it has none.
    number: u16,
    /// Whether the runtime started the thread.
    is_started: bool,
    name: String,
    os_id: Option<u64>,
}

/// A copy of the state of a worker thread.
#[derive(Debug, Clone)]
pub(crate) struct ListedWorker {
    pub(crate) runtime: SpawnRuntime,
    /// The number of the runtime in this process; zero if it has none.
    pub(crate) runtime_number: u16,
    /// The name of the thread; empty if it has none.
    pub(crate) name: String,
    /// The operating system's id of the thread; `None` if unavailable.
    pub(crate) os_id: Option<u64>,
    /// The number of its tree; `None` if nothing was recorded on it yet.
    pub(crate) tree: Option<u32>,
    pub(crate) is_parked: bool,
    /// The tick at which it was last parked or unparked.
    pub(crate) since: u64,
    /// The tick at which it was listed.
    pub(crate) listed: u64,
    /// Ticks parked since it was listed, or since the last reset, up to the copy.
    pub(crate) parked: u64,
}

static WORKERS: Mutex<Vec<&'static WorkerCell>> = Mutex::new(Vec::new());

thread_local! {
    /// The record of this thread. It has no destructor, because hooks may run while the thread
    /// ends.
    static OWN: Cell<Option<&'static WorkerCell>> = const { Cell::new(None) };
    /// Whether the thread stays a worker between its parks: a runtime has started it, or it is in a
    /// recorded `block_on`. Any other thread may have left the runtime since its park.
    static STAYS: Cell<bool> = const { Cell::new(false) };
    /// Ends the record of a thread that no runtime has started, at the end of the thread.
    static AT_END: RecordEnd = const { RecordEnd };
}

struct RecordEnd;

impl Drop for RecordEnd {
    fn drop(&mut self) {
        stopped();
    }
}

const PARKED: u64 = 1;
const WORKER: u64 = 2;
/// The time of the last park is being added.
const CHANGING: u64 = 4;
/// The number of these bits, below a tick.
const STATE_BITS: u32 = 3;

/// Records a thread that a runtime has started, as a worker or for blocking code.
pub(crate) fn started(runtime: SpawnRuntime, number: u16) {
    begin(runtime, number, true);
    set_stays(true);
}

/// Records that the thread is about to park as a worker of `runtime`.
pub(crate) fn parked(runtime: SpawnRuntime, number: impl FnOnce() -> u16) {
    let worker = own().unwrap_or_else(|| begin(runtime, number(), false));
    worker.note(WORKER | PARKED);
}

/// Records that the thread is unparked. In a `block_on` that is not recorded, the thread is a
/// worker only while parked.
pub(crate) fn unparked() {
    if let Some(worker) = own().filter(|worker| worker.is_worker()) {
        let stays = STAYS.try_with(Cell::get).unwrap_or(false);
        worker.note(if stays { WORKER } else { 0 });
    }
}

/// Records that another thread replaces this one as a worker. If this one becomes a worker again,
/// its next park records it.
pub(crate) fn replaced() {
    if let Some(worker) = own() {
        worker.note(0);
    }
}

/// Records that the thread ends, or leaves the runtime.
pub(crate) fn stopped() {
    if let Some(worker) = OWN.try_with(Cell::take).ok().flatten() {
        worker.end();
    }
}

/// Guards a `block_on`: a thread that becomes a worker inside it stops being one at its end.
pub(crate) fn visit() -> BlockOnGuard {
    BlockOnGuard { around: OWN.try_with(Cell::take).ok().flatten(), stayed: set_stays(true) }
}

#[must_use]
pub(crate) struct BlockOnGuard {
    /// The thread's record for another runtime.
    around: Option<&'static WorkerCell>,
    /// Whether it stayed a worker there.
    stayed: bool,
}

impl Drop for BlockOnGuard {
    fn drop(&mut self) {
        stopped();
        let _ = OWN.try_with(|own| own.set(self.around));
        set_stays(self.stayed);
    }
}

/// All worker threads, unordered.
pub(crate) fn all_workers() -> Vec<ListedWorker> {
    let workers = WORKERS.lock().clone();
    workers.into_iter().filter_map(WorkerCell::read).collect()
}

/// Records a reset at the tick `now`: earlier parks no longer count.
pub(crate) fn note_reset(now: u64) {
    let workers = WORKERS.lock().clone();
    for worker in workers {
        let (_, parked) = worker.times(now);
        worker.parked_before.store(parked, Relaxed);
    }
}

/// Operating system ids of all threads that runtimes have started, including those for blocking
/// code.
pub(crate) fn all_threads() -> Vec<u64> {
    let workers = WORKERS.lock().clone();
    workers.into_iter().filter_map(|worker| worker.identity.lock().as_ref()?.os_id).collect()
}

/// Sets whether the thread stays a worker. Returns the previous value.
fn set_stays(stays: bool) -> bool {
    STAYS.try_with(|own| own.replace(stays)).unwrap_or(false)
}

fn own() -> Option<&'static WorkerCell> {
    OWN.try_with(Cell::get).ok().flatten()
}

#[cold]
fn begin(runtime: SpawnRuntime, number: u16, is_started: bool) -> &'static WorkerCell {
    let name = text_limit::cut(thread::current().name().unwrap_or_default()).to_owned();
    let os_id = Some(os::thread_id()).filter(|id| *id != 0);
    let identity = WorkerIdentity { runtime, number, is_started, name, os_id };
    let mut workers = WORKERS.lock();
    let free = workers.iter().copied().find(|worker| worker.identity.lock().is_none());
    let worker = free.unwrap_or_else(|| {
        let worker = Box::leak(Box::default());
        workers.push(worker);
        worker
    });
    worker.tree.store(0, Relaxed);
    let now = clock::now();
    worker.since.store(now << STATE_BITS, Relaxed);
    worker.listed.store(now, Relaxed);
    worker.parked.store(0, Relaxed);
    worker.parked_before.store(0, Relaxed);
    *worker.identity.lock() = Some(identity);
    drop(workers);
    let _ = OWN.try_with(|own| own.set(Some(worker)));
    if !is_started {
        // On failure, the thread's storage is gone and `stopped` will not be called; the record
        // then stays as it is.
        let _ = AT_END.try_with(|_| ());
    }
    worker
}

impl WorkerCell {
    fn note(&self, state: u64) {
        let now = clock::now();
        let since = self.since.load(Relaxed);
        if since & PARKED != 0 {
            self.since.store(since | CHANGING, Relaxed);
            // Pairs with the Acquire fence in `times`: who reads the sum below sees the mark.
            fence(Release);
            add_relaxed(&self.parked, now.saturating_sub(since >> STATE_BITS));
        }
        // Pairs with the Acquire in `times`: who reads this state reads its sum, too.
        self.since.store(now << STATE_BITS | state, Release);
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

    /// A copy, if the thread is a worker.
    fn read(&self) -> Option<ListedWorker> {
        let identity = self.identity.lock();
        let WorkerIdentity { runtime, number, name, os_id, .. } = identity.as_ref()?.clone();
        let (since, parked) = self.times(clock::now());
        let copy = ListedWorker {
            runtime,
            runtime_number: number,
            name,
            os_id,
            tree: self.tree.load(Relaxed).checked_sub(1),
            is_parked: since & PARKED != 0,
            since: since >> STATE_BITS,
            listed: self.listed.load(Relaxed),
            parked: parked.saturating_sub(self.parked_before.load(Relaxed)),
        };
        (since & WORKER != 0).then_some(copy)
    }

    /// The word `since`, and the ticks parked up to `now`. If the thread parks or unparks in
    /// between, reads them again, a few times.
    fn times(&self, now: u64) -> (u64, u64) {
        // Pairs with the Release store in `note`.
        let mut since = self.since.load(Acquire);
        for _ in 0..8 {
            let parked = self.parked.load(Relaxed);
            // Pairs with the Release fence in `note`.
            fence(Acquire);
            let again = self.since.load(Acquire);
            if again == since && since & CHANGING == 0 {
                let open = if since & PARKED == 0 { 0 } else { now.saturating_sub(since >> STATE_BITS) };
                return (since, parked.saturating_add(open));
            }
            since = again;
            if since & CHANGING != 0 {
                thread::yield_now();
            }
        }
        (since, self.parked.load(Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::{
        ListedWorker, WORKERS, WorkerCell, all_threads, all_workers, parked, replaced, started, stopped,
        unparked, visit,
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
            started(SpawnRuntime::Tokio, 7);
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
    fn a_thread_in_an_unrecorded_block_on_is_a_worker_only_while_parked() {
        on_thread("worker-e", || {
            parked(SpawnRuntime::Tokio, || 7);
            assert!(named("worker-e").unwrap().is_parked);
            unparked();
            assert!(named("worker-e").is_none());
            parked(SpawnRuntime::Tokio, || 7);
            assert!(named("worker-e").unwrap().is_parked);
            stopped();
        });
    }

    #[test]
    fn a_thread_that_ends_after_an_unrecorded_block_on_leaves_no_record() {
        for _ in 0..100 {
            on_thread("worker-f", || {
                parked(SpawnRuntime::Tokio, || 7);
                unparked();
            });
        }
        let workers = WORKERS.lock().clone();
        let name = |worker: &WorkerCell| worker.identity.lock().as_ref().map(|it| it.name.clone());
        assert_eq!(workers.into_iter().filter(|it| name(it).as_deref() == Some("worker-f")).count(), 0);
    }

    #[test]
    fn a_thread_for_blocking_code_is_known_and_no_worker() {
        on_thread("worker-c", || {
            let own = crate::os::thread_id();
            let is_known = || own == 0 || all_threads().contains(&own);
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
            assert!(own == 0 || !is_known());
        });
    }

    #[test]
    fn a_thread_belongs_to_a_nested_runtime_only_while_that_runs() {
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
