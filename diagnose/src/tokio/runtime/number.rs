//! The numbers that tasks and threads get of their runtime.
//!
//! A spawn asks for it with tokio's number of the current runtime in hand, of which each thread remembers the last.

use std::cell::Cell;

use ::tokio::runtime::{Handle, Id, RuntimeFlavor};

use crate::live::runtimes::{self, ListedRuntime, RuntimeHandle};
use crate::live::{SpawnRuntime, SpawnTarget};
use crate::number::shown;
use crate::sync::Mutex;

thread_local! {
    /// The runtime whose number was asked for last, the number, and when that was.
    static LAST: Cell<Option<(Id, u16, u64)>> = const { Cell::new(None) };
}

/// Where a task goes that is spawned on the current runtime.
pub(in crate::tokio) fn here() -> SpawnTarget {
    SpawnTarget { number: current(), ..SpawnRuntime::Tokio.into() }
}

/// Where a task goes that is spawned on that one.
pub(in crate::tokio) fn on(handle: &Handle) -> SpawnTarget {
    SpawnTarget { number: number(handle), ..SpawnRuntime::Tokio.into() }
}

/// Where a task goes that stays on its thread, whatever runtime that drives.
pub(in crate::tokio) fn local() -> SpawnTarget {
    SpawnTarget { is_local: true, ..SpawnRuntime::Tokio.into() }
}

/// Where the future of a `block_on` goes, which drives the runtime if that has no other thread.
pub(super) fn around(handle: &Handle) -> SpawnTarget {
    let is_driver = handle.runtime_flavor() == RuntimeFlavor::CurrentThread;
    SpawnTarget { number: if is_driver { number(handle) } else { 0 }, ..local() }
}

/// The number of the current runtime; zero if it has none.
pub(in crate::tokio) fn current() -> u16 {
    // No runtime has one, so there is nothing to ask.
    if runtimes::changes() == 0 {
        return 0;
    }
    Handle::try_current().map_or(0, |handle| number(&handle))
}

/// A thread of the current runtime begins.
pub(super) fn begin_thread() -> u16 {
    let Ok(handle) = Handle::try_current() else { return 0 };
    shown(handle.id()).map_or(0, |id| runtimes::begin_thread(id, || listed(&handle)))
}

/// Lists the runtime until what is returned is dropped.
pub(super) fn hold(handle: &Handle, max_blocking: Option<u64>) -> Option<Listed> {
    let held = shown(handle.id()).map(|id| runtimes::hold(id, max_blocking, || listed(handle)))?;
    HANDLES.lock().push((held.number(), handle.clone()));
    Some(Listed(held))
}

/// The handles of the runtimes that are held, by their numbers.
static HANDLES: Mutex<Vec<(u16, Handle)>> = Mutex::new(Vec::new());

/// Lists a runtime, and its handle, for as long as its wrapper has it.
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
        // It may be the last.
        drop(handle);
    }
}

/// Returns number, kind and task count of each live runtime. `true` stands for a current-thread
/// runtime.
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
        name: handle.name().map(str::to_owned),
        workers: handle.metrics().num_workers() as u64,
        max_blocking: None,
        threads: 0,
    }
}
