//! A thread that waits for a condition variable. It either waits or holds the mutex, never both.

use std::panic::Location;
use std::time::Duration;

use super::blocked_thread::BlockedThread;
use super::holding::Holding;
use super::record::Record;
use super::wait_cell::WaitMode;

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
