//! A thread that waits for a condition variable: it has the mutex, or waits, never both.

use std::panic::Location;

use super::blocked_thread::BlockedThread;
use super::holding::Holding;
use super::record::Record;
use super::wait_cell::WaitMode;

/// The call of somebody who waits. Meanwhile it does not hold the mutex: its holding ends, and another begins when it has
/// the mutex again. That it may be blocked by the mutex after it was notified is not told apart.
#[derive(Debug)]
pub(crate) struct CondvarWait {
    condvar: Option<&'static Record>,
    mutex: Option<&'static Record>,
    at: &'static Location<'static>,
    is_waiting: bool,
    blocked: Option<BlockedThread>,
    holding: Holding,
}

impl CondvarWait {
    /// It is about to wait. `holding` is that in the mutex.
    pub(crate) fn begin(
        condvar: Option<&'static Record>,
        mutex: Option<&'static Record>,
        holding: Holding,
        at: &'static Location<'static>,
    ) -> Self {
        let mut notified = Self { condvar, mutex, at, is_waiting: false, blocked: None, holding };
        notified.wait();
        notified
    }

    fn wait(&mut self) {
        self.is_waiting = true;
        self.holding = Holding::NONE;
        self.blocked = BlockedThread::begin(self.condvar, WaitMode::Notified, 1, self.at);
    }

    fn hold(&mut self) {
        if self.is_waiting {
            self.is_waiting = false;
            self.blocked = None;
            self.holding = Holding::hold_after(self.mutex, 1, self.at, false, true);
        }
    }

    /// It has the mutex to look at a condition; if that is true, it waits again.
    pub(crate) fn look(&mut self, condition: impl FnOnce() -> bool) -> bool {
        self.hold();
        let waits = condition();
        if waits {
            self.wait();
        }
        waits
    }

    /// It has the mutex again.
    pub(crate) fn end(mut self) -> Holding {
        self.hold();
        self.holding
    }
}
