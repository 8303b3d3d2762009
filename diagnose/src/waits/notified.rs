//! A thread that waits for a condition variable: it has the mutex, or waits, never both.

use std::panic::Location;

use super::blocked::Blocked;
use super::record::Record;
use super::stake::Stake;
use super::wait::Mode;

/// The call of somebody who waits. Meanwhile it does not hold the mutex: its stake ends, and another begins when it has
/// the mutex again. That it may be blocked by the mutex after it was notified is not told apart.
#[derive(Debug)]
pub(crate) struct Notified {
    condvar: Option<&'static Record>,
    mutex: Option<&'static Record>,
    at: &'static Location<'static>,
    is_waiting: bool,
    blocked: Option<Blocked>,
    stake: Stake,
}

impl Notified {
    /// It is about to wait. `stake` is that in the mutex.
    pub(crate) fn begin(
        condvar: Option<&'static Record>,
        mutex: Option<&'static Record>,
        stake: Stake,
        at: &'static Location<'static>,
    ) -> Self {
        let mut notified = Self { condvar, mutex, at, is_waiting: false, blocked: None, stake };
        notified.wait();
        notified
    }

    fn wait(&mut self) {
        self.is_waiting = true;
        self.stake = Stake::NONE;
        self.blocked = Blocked::begin(self.condvar, Mode::Notified, 1, self.at);
    }

    fn hold(&mut self) {
        if self.is_waiting {
            self.is_waiting = false;
            self.blocked = None;
            self.stake = Stake::hold_after(self.mutex, 1, self.at, false, true);
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
    pub(crate) fn end(mut self) -> Stake {
        self.hold();
        self.stake
    }
}
