//! Threads that block on a resource or on a runtime that shuts down.

use std::panic::Location;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use super::record::Record;
use super::wait_cell::{WaitCell, WaitEnd, WaitMode, WaitStart};
use crate::clock;
use crate::live::Memory;
use crate::recorder;
use crate::switch;

/// A blocked thread, in the queue of its resource until this guard is dropped.
#[derive(Debug)]
pub(crate) struct BlockedThread {
    record: &'static Record,
    wait: &'static WaitCell,
}

impl BlockedThread {
    /// Records that the thread is about to block. Returns `None` while recording is off.
    #[cold]
    pub(crate) fn begin(
        record: Option<&'static Record>,
        mode: WaitMode,
        units: u64,
        at: &'static Location<'static>,
    ) -> Option<Self> {
        Self::list(record, mode, units, 0, at)
    }

    /// Records that the thread is about to block for at most `limit`. Returns `None` while
    /// recording is off.
    #[cold]
    pub(crate) fn begin_for(
        record: Option<&'static Record>,
        mode: WaitMode,
        units: u64,
        limit: Duration,
        at: &'static Location<'static>,
    ) -> Option<Self> {
        Self::list(record, mode, units, clock::tick_in(limit), at)
    }

    /// `due` is the tick at which the thread gives up; 0 if it never does.
    fn list(
        record: Option<&'static Record>,
        mode: WaitMode,
        units: u64,
        due: u64,
        at: &'static Location<'static>,
    ) -> Option<Self> {
        let record = record.filter(|_| switch::records())?;
        // The thread needs a tree, because the tree's number identifies it.
        recorder::own_tree_number();
        let wait = WaitCell::take()?;
        wait.begin(WaitStart { due, ..wait_start(Some(record), mode, units, Vec::new(), at) }, None);
        record.blocked.fetch_add(1, Relaxed);
        Some(Self { record, wait })
    }
}

/// A thread that waits for blocking code while a runtime shuts down.
#[derive(Debug)]
pub(crate) struct RuntimeShutdown(&'static WaitCell);

impl RuntimeShutdown {
    /// Records that the thread is about to wait for these tasks. Returns `None` while recording is
    /// off, or if `tasks` is empty.
    #[cold]
    pub(crate) fn begin(tasks: Vec<u64>, at: &'static Location<'static>) -> Option<Self> {
        if tasks.is_empty() || !switch::records() {
            return None;
        }
        // The thread needs a tree, as above.
        recorder::own_tree_number();
        let wait = WaitCell::take()?;
        wait.begin(wait_start(None, WaitMode::Shutdown, 1, tasks, at), None);
        Some(Self(wait))
    }
}

impl Drop for RuntimeShutdown {
    fn drop(&mut self) {
        self.0.end(WaitEnd::Ready);
    }
}

impl Drop for BlockedThread {
    fn drop(&mut self) {
        self.record.blocked.fetch_sub(1, Relaxed);
        self.wait.end(WaitEnd::Ready);
    }
}

fn wait_start(
    record: Option<&'static Record>,
    mode: WaitMode,
    units: u64,
    tasks: Vec<u64>,
    at: &'static Location<'static>,
) -> WaitStart {
    let asked = record.map_or(0, Record::queued);
    let memory = Memory::UNKNOWN;
    let (is_blocking, is_pinned) = (true, false);
    WaitStart { record, mode, units, tasks, due: 0, at, awaited: None, asked, is_blocking, is_pinned, memory }
}
