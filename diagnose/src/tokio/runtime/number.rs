//! Numbers of runtimes, which tasks and threads store.
//!
//! A runtime is looked up by tokio's runtime id. Each thread caches its last look-up.

use std::cell::Cell;

use ::tokio::runtime::{Handle, Id, RuntimeFlavor};

use crate::live::runtimes::{self, ListedRuntime, RuntimeHandle};
use crate::live::{SpawnRuntime, SpawnTarget};
use crate::number::shown;
use crate::sync::Mutex;
use crate::text_limit;

thread_local! {
    /// The last look-up: tokio's id, the number, and the count of changes at that time.
    static LAST: Cell<Option<(Id, u16, u64)>> = const { Cell::new(None) };
}

/// Target of a spawn on the current runtime.
pub(crate) fn here() -> SpawnTarget {
    SpawnTarget { number: current(), ..SpawnRuntime::Tokio.into() }
}

/// Target of a spawn on the runtime of `handle`.
pub(crate) fn on(handle: &Handle) -> SpawnTarget {
    SpawnTarget { number: number(handle), ..SpawnRuntime::Tokio.into() }
}

/// Target of a task that stays on its thread, whichever runtime that thread drives.
pub(crate) fn local() -> SpawnTarget {
    SpawnTarget { is_local: true, ..SpawnRuntime::Tokio.into() }
}

/// Target of a `block_on`. Its future drives the runtime itself if that is a current-thread
/// runtime.
pub(in crate::tokio) fn around(handle: &Handle) -> SpawnTarget {
    let is_driver = handle.runtime_flavor() == RuntimeFlavor::CurrentThread;
    SpawnTarget { number: if is_driver { number(handle) } else { 0 }, ..local() }
}

/// Returns the number of the current runtime; 0 if it has none.
pub(in crate::tokio) fn current() -> u16 {
    // No runtime was ever listed, so none has a number.
    if runtimes::changes() == 0 {
        return 0;
    }
    Handle::try_current().map_or(0, |handle| number(&handle))
}

/// Records that a thread of the current runtime starts. Returns the runtime's number, 0 if none.
pub(super) fn begin_thread() -> u16 {
    let Ok(handle) = Handle::try_current() else { return 0 };
    shown(handle.id()).map_or(0, |id| runtimes::begin_thread(id, || listed(&handle)))
}

/// Lists the runtime until the returned value is dropped.
pub(super) fn hold(handle: &Handle, max_blocking: Option<u64>) -> Option<Listed> {
    let held = shown(handle.id()).map(|id| runtimes::hold(id, max_blocking, || listed(handle)))?;
    HANDLES.lock().push((held.number(), handle.clone()));
    Some(Listed(held))
}

/// Handles of the runtimes whose wrapper exists, by runtime number.
static HANDLES: Mutex<Vec<(u16, Handle)>> = Mutex::new(Vec::new());

/// Keeps a runtime and its handle listed; owned by the runtime's wrapper.
#[derive(Debug)]
pub(super) struct Listed(RuntimeHandle);

impl Listed {
    pub(super) fn number(&self) -> u16 {
        self.0.number()
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        let mut handles = HANDLES.lock();
        let place = handles.iter().position(|(number, _)| *number == self.number());
        let handle = place.map(|place| handles.swap_remove(place));
        drop(handles);
        // It may be the last handle, so it is dropped outside of the lock.
        drop(handle);
    }
}

/// Returns number, kind and task count of each live runtime. The kind is `true` for a
/// current-thread runtime.
pub(crate) fn counted_tasks() -> Vec<(u16, bool, u64)> {
    let handles = HANDLES.lock().clone();
    let counted = handles.iter().map(|(number, handle)| {
        let is_current_thread = handle.runtime_flavor() == RuntimeFlavor::CurrentThread;
        (*number, is_current_thread, handle.metrics().num_alive_tasks() as u64)
    });
    counted.collect()
}

fn number(handle: &Handle) -> u16 {
    let (id, changes) = (handle.id(), runtimes::changes());
    let last = LAST.try_with(Cell::get).ok().flatten();
    if let Some((_, number, _)) = last.filter(|(last, _, then)| (*last, *then) == (id, changes)) {
        return number;
    }
    let number = shown(id).map_or(0, runtimes::find);
    let _ = LAST.try_with(|last| last.set(Some((id, number, changes))));
    number
}

fn listed(handle: &Handle) -> ListedRuntime {
    ListedRuntime {
        number: 0,
        runtime: SpawnRuntime::Tokio,
        name: handle.name().map(|name| text_limit::cut(name).to_owned()),
        workers: handle.metrics().num_workers() as u64,
        max_blocking: None,
        threads: 0,
    }
}
