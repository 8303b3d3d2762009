//! Threads that block on a resource, a condition variable, or a runtime that shuts down.

use std::panic::Location;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use super::holding::Holding;
use super::record::Record;
use super::wait_cell::{WaitCell, WaitEnd, WaitMode, WaitStart};
use super::wait_future::{WaitInfo, WaitTarget};
use crate::clock;
use crate::live::Memory;
use crate::recorder;
use crate::switch;

/// A blocked thread, in the queue of its resource until this guard is dropped.
#[derive(Debug)]
pub(crate) struct BlockedThread(&'static WaitCell);

impl BlockedThread {
    /// Records that the thread is about to block. Returns `None` while recording is off.
    #[cold]
    pub(crate) fn begin(
        record: Option<&'static Record>,
        mode: WaitMode,
        units: u64,
        at: &'static Location<'static>,
    ) -> Option<Self> {
        Self::list(WaitInfo::on(record, mode, units, at), 0)
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
        Self::list(WaitInfo::on(record, mode, units, at), clock::due_in(limit))
    }

    /// Records that the thread is about to wait for the blocking code of these tasks, because their
    /// runtime shuts down. Returns `None` while recording is off, or if `tasks` is empty.
    #[cold]
    pub(crate) fn begin_shutdown(tasks: Vec<u64>, at: &'static Location<'static>) -> Option<Self> {
        if tasks.is_empty() {
            return None;
        }
        Self::list(WaitInfo::new(WaitTarget::Tasks(tasks), WaitMode::Shutdown, 1, at), 0)
    }

    /// `gives_up` is when the thread gives up, by [`clock::instant_ns`]; 0 if it never does.
    fn list(info: WaitInfo, gives_up: u64) -> Option<Self> {
        if info.is_nothing() || !switch::records() {
            return None;
        }
        // The thread needs a tree, because the tree's number identifies it.
        recorder::own_tree_number();
        let wait = WaitCell::take()?;
        let record = info.record();
        let asked = record.map_or(0, Record::queued);
        let start = WaitStart { gives_up, asked, is_pinned: false, memory: Memory::UNKNOWN };
        wait.begin(info, start, None);
        if let Some(record) = record {
            record.blocked.fetch_add(1, Relaxed);
        }
        Some(Self(wait))
    }
}

impl Drop for BlockedThread {
    fn drop(&mut self) {
        if let Some(record) = self.0.record() {
            record.blocked.fetch_sub(1, Relaxed);
        }
        self.0.end(WaitEnd::Ready);
    }
}

/// A call that waits for a condition variable. While it waits, it has no holding in the mutex.
/// After a notification the mutex may still block it; that counts as the same wait.
#[derive(Debug)]
pub(crate) struct CondvarWait {
    condvar: Option<&'static Record>,
    mutex: Option<&'static Record>,
    at: &'static Location<'static>,
    /// The maximum duration of a call's wait, if there is one.
    limit: Option<Duration>,
    is_waiting: bool,
    blocked: Option<BlockedThread>,
    holding: Holding,
}

impl CondvarWait {
    /// Begins a call. `holding` belongs to the mutex guard.
    pub(crate) fn begin(
        condvar: Option<&'static Record>,
        mutex: Option<&'static Record>,
        holding: Holding,
        limit: Option<Duration>,
        at: &'static Location<'static>,
    ) -> Self {
        let mut notified = Self { condvar, mutex, at, limit, is_waiting: false, blocked: None, holding };
        notified.wait();
        notified
    }

    fn wait(&mut self) {
        self.is_waiting = true;
        self.holding = Holding::NONE;
        let (condvar, mode, at) = (self.condvar, WaitMode::Notified, self.at);
        self.blocked = match self.limit {
            Some(limit) => BlockedThread::begin_for(condvar, mode, 1, limit, at),
            None => BlockedThread::begin(condvar, mode, 1, at),
        };
    }

    fn hold(&mut self) {
        if self.is_waiting {
            self.is_waiting = false;
            self.blocked = None;
            self.holding = Holding::hold_after(self.mutex, 1, self.at, false, true);
        }
    }

    /// Checks the condition with the mutex held. If that returns `true`, the thread waits again.
    pub(crate) fn look(&mut self, condition: impl FnOnce() -> bool) -> bool {
        self.hold();
        let waits = condition();
        if waits {
            self.wait();
        }
        waits
    }

    /// Ends the call. The thread has the mutex again, whose holding is returned.
    pub(crate) fn end(mut self) -> Holding {
        self.hold();
        self.holding
    }
}
