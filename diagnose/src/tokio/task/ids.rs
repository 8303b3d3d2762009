//! Detects tasks of tokio that are not on record, by the ids that tokio has given out and by the
//! vtable of their wakers.
//!
//! A `LocalSet` does not count its tasks. But every spawn takes the next id, and so does every
//! worker thread of a runtime.

use std::future::{Future as _, poll_fn};
use std::pin::pin;
use std::ptr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::task::{Context, Poll, Waker};

use ::tokio::runtime::Handle;
use ::tokio::task::LocalSet;

use crate::number::shown;
use crate::spawned::RecordedTask;
use crate::sync::Mutex;

/// Number of ids of recorded tasks and of workers of recorded runtimes.
static RECORDED: AtomicU64 = AtomicU64::new(0);
/// Number of ids that this module has taken itself.
static OWN: Mutex<u64> = Mutex::new(0);
/// See [`waker_vtable`].
static VTABLE: AtomicUsize = AtomicUsize::new(0);

/// Counts the id of a task that was just spawned, if the task is on record.
#[inline]
pub(super) fn count(task: RecordedTask) {
    if task.id().is_some() {
        RECORDED.fetch_add(1, Relaxed);
    }
}

/// Builds a runtime with `build`. Counts the ids of its workers, of which `workers` returns the
/// number. An id that another thread takes at the same time counts as unrecorded.
pub(in crate::tokio) fn count_workers<T, E>(
    build: impl FnOnce() -> Result<T, E>,
    workers: impl FnOnce(&T) -> u64,
) -> Result<T, E> {
    learn_waker_vtable();
    let before = taken();
    let runtime = build()?;
    let new = before.zip(taken()).map_or(0, |(before, after)| after.saturating_sub(before));
    RECORDED.fetch_add(new.min(workers(&runtime)), Relaxed);
    Ok(runtime)
}

/// Returns the number of spawns that are not on record, so far; `None` if unknown.
pub(crate) fn unrecorded() -> Option<u64> {
    // Read first, so that a spawn between the two reads can only make the result too high, not too
    // low.
    let recorded = RECORDED.load(Relaxed);
    taken()?.checked_sub(recorded)
}

/// Returns the address of the vtable that the wakers of all of tokio's tasks have; `None` before
/// the first runtime was built through this crate.
pub(crate) fn waker_vtable() -> Option<usize> {
    Some(VTABLE.load(Relaxed)).filter(|&address| address != 0)
}

/// Finds the address. Not called by a snapshot, because a thread that is ending cannot run a
/// `LocalSet`.
fn learn_waker_vtable() {
    if VTABLE.load(Relaxed) != 0 {
        return;
    }
    let mut own = OWN.lock();
    let set = pin!(LocalSet::new());
    *own += 1;
    set.spawn_local(poll_fn(|context| {
        VTABLE.store(ptr::from_ref(context.waker().vtable()).addr(), Relaxed);
        Poll::Ready(())
    }));
    let _ = set.poll(&mut Context::from_waker(Waker::noop()));
}

/// Returns the number of ids that tokio has given out, without those of this module; `None` if
/// unknown, as on a thread whose storage is being destroyed.
fn taken() -> Option<u64> {
    // `LocalSet::new` would panic there.
    if Handle::try_current().is_err_and(|error| error.is_thread_local_destroyed()) {
        return None;
    }
    let mut own = OWN.lock();
    let set = LocalSet::new();
    *own += 1;
    let id = set.spawn_local(async {}).id();
    shown(id)?.checked_sub(*own)
}
