//! A thread that is blocked by a resource.

use std::panic::Location;
use std::sync::atomic::Ordering::Relaxed;

use super::record::Record;
use super::wait_cell::{WaitCell, WaitMode, WaitStart};
use crate::recorder;
use crate::switch;

/// For as long as the thread is blocked: it stands in the queue of the resource.
#[derive(Debug)]
pub(crate) struct BlockedThread {
    record: &'static Record,
    wait: &'static WaitCell,
}

impl BlockedThread {
    /// The thread is about to block. `None` while recording is off.
    #[cold]
    pub(crate) fn begin(
        record: Option<&'static Record>,
        mode: WaitMode,
        units: u64,
        at: &'static Location<'static>,
    ) -> Option<Self> {
        let record = record.filter(|_| switch::records())?;
        // A thread that has recorded nothing yet is known by its tree from now on.
        recorder::own_tree_number();
        let wait = WaitCell::take()?;
        wait.begin(begun(Some(record), mode, units, Vec::new(), at), None);
        record.blocked.fetch_add(1, Relaxed);
        Some(Self { record, wait })
    }
}

/// For as long as a runtime goes away: the thread waits for blocking code.
#[derive(Debug)]
pub(crate) struct RuntimeShutdown(&'static WaitCell);

#[allow(dead_code)]
impl RuntimeShutdown {
    /// The thread is about to wait for these tasks. `None` while recording is off, and if there are none.
    #[cold]
    pub(crate) fn begin(tasks: Vec<u64>, at: &'static Location<'static>) -> Option<Self> {
        if tasks.is_empty() || !switch::records() {
            return None;
        }
        // See above.
        recorder::own_tree_number();
        let wait = WaitCell::take()?;
        wait.begin(begun(None, WaitMode::Shutdown, 1, tasks, at), None);
        Some(Self(wait))
    }
}

impl Drop for RuntimeShutdown {
    fn drop(&mut self) {
        self.0.end(false);
    }
}

impl Drop for BlockedThread {
    fn drop(&mut self) {
        self.record.blocked.fetch_sub(1, Relaxed);
        self.wait.end(false);
    }
}

fn begun(
    record: Option<&'static Record>,
    mode: WaitMode,
    units: u64,
    tasks: Vec<u64>,
    at: &'static Location<'static>,
) -> WaitStart {
    let asked = record.map_or(0, Record::queued);
    WaitStart { record, mode, units, tasks, due: 0, at, awaited: None, asked, is_blocking: true }
}
