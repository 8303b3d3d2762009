//! `std::sync::Condvar`, with who waits for it and when it was notified.
//!
//! Who waits does not hold the mutex meanwhile, so its stake ends with the call, and another begins when it has the mutex
//! again. That it may be blocked by the mutex after it was notified is not told apart.

use std::fmt;
use std::ops::Deref;
use std::panic::Location;
use std::sync::{LockResult, WaitTimeoutResult};
use std::time::Duration;

use super::{MutexGuard, poisoned};
use crate::waits::{Blocked, Kind, Mode, Record, Resource, Stake, What};

static WHAT: What = What { kind: Kind::Condvar, library: "std", is_fair: false, is_forced: || false };

/// The standard library's `Condvar`. It is known with the place where it was made, from its first use on.
pub struct Condvar {
    resource: Resource,
    condvar: ::std::sync::Condvar,
}

impl Condvar {
    /// A condition variable for which nobody waits.
    #[inline]
    #[track_caller]
    pub const fn new() -> Self {
        Self { resource: Resource::new(&WHAT, 0, Location::caller()), condvar: ::std::sync::Condvar::new() }
    }

    /// Frees the mutex, blocks this thread until a notification, and acquires the mutex again. It may return without one.
    ///
    /// # Errors
    /// If the mutex is poisoned when it is acquired again, with the guard.
    #[track_caller]
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        let (wait, guard) = Waits::begin(self, guard, Location::caller());
        poisoned::map(self.condvar.wait(guard), |guard| wait.end(guard))
    }

    /// Waits until `condition` is false, which is looked at with the mutex held, first of all.
    ///
    /// # Errors
    /// If the mutex is poisoned when it is acquired again, with the guard.
    #[track_caller]
    pub fn wait_while<'a, T, F>(
        &self,
        mut guard: MutexGuard<'a, T>,
        mut condition: F,
    ) -> LockResult<MutexGuard<'a, T>>
    where
        F: FnMut(&mut T) -> bool,
    {
        while condition(&mut *guard) {
            guard = self.wait(guard)?;
        }
        Ok(guard)
    }

    /// [`wait`](Self::wait), for so many milliseconds at most. Returns whether that was not the end of it.
    ///
    /// # Errors
    /// If the mutex is poisoned when it is acquired again, with the same.
    #[track_caller]
    #[deprecated(note = "replaced by `std::sync::Condvar::wait_timeout`")]
    pub fn wait_timeout_ms<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        ms: u32,
    ) -> LockResult<(MutexGuard<'a, T>, bool)> {
        let result = self.wait_timeout(guard, Duration::from_millis(u64::from(ms)));
        poisoned::map(result, |(guard, result)| (guard, !result.timed_out()))
    }

    /// [`wait`](Self::wait), for that long at most.
    ///
    /// # Errors
    /// If the mutex is poisoned when it is acquired again, with the same.
    #[track_caller]
    pub fn wait_timeout<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        dur: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        let (wait, guard) = Waits::begin(self, guard, Location::caller());
        poisoned::map(self.condvar.wait_timeout(guard, dur), |(guard, result)| (wait.end(guard), result))
    }

    /// [`wait_while`](Self::wait_while), for that long at most.
    ///
    /// # Errors
    /// If the mutex is poisoned when it is acquired again, with the same.
    #[track_caller]
    pub fn wait_timeout_while<'a, T, F>(
        &self,
        guard: MutexGuard<'a, T>,
        dur: Duration,
        mut condition: F,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)>
    where
        F: FnMut(&mut T) -> bool,
    {
        // The loop is the original's, because only that can make a `WaitTimeoutResult`.
        let (mut wait, guard) = Waits::begin(self, guard, Location::caller());
        let condition = |value: &mut T| {
            wait.hold();
            let waits = condition(value);
            if waits {
                wait.wait();
            }
            waits
        };
        let result = self.condvar.wait_timeout_while(guard, dur, condition);
        poisoned::map(result, |(guard, result)| (wait.end(guard), result))
    }

    /// Wakes one that waits.
    #[track_caller]
    pub fn notify_one(&self) {
        self.tell(Location::caller(), false);
        self.condvar.notify_one();
    }

    /// Wakes all that wait.
    #[track_caller]
    pub fn notify_all(&self) {
        self.tell(Location::caller(), true);
        self.condvar.notify_all();
    }

    fn tell(&self, at: &'static Location<'static>, all: bool) {
        if let Some(record) = self.resource.record() {
            record.tell(at, all);
        }
    }
}

/// The call of somebody who waits: blocked by the condition variable, or holding the mutex.
struct Waits {
    condvar: Option<&'static Record>,
    mutex: Option<&'static Record>,
    at: &'static Location<'static>,
    blocked: Option<Blocked>,
    stake: Stake,
}

impl Waits {
    fn begin<'a, T: ?Sized>(
        condvar: &Condvar,
        guard: MutexGuard<'a, T>,
        at: &'static Location<'static>,
    ) -> (Self, ::std::sync::MutexGuard<'a, T>) {
        let MutexGuard { stake, guard } = guard;
        let mutex = stake.record();
        let mut wait = Self { condvar: condvar.resource.record(), mutex, at, blocked: None, stake };
        wait.wait();
        (wait, guard)
    }

    /// It does not have the mutex any more, or will not at once.
    fn wait(&mut self) {
        self.stake = Stake::NONE;
        self.blocked = Blocked::begin(self.condvar, Mode::Notified, 1, self.at);
    }

    /// It has the mutex.
    fn hold(&mut self) {
        if self.blocked.take().is_some() {
            self.stake = Stake::hold_after(self.mutex, 1, self.at, false, true);
        }
    }

    fn end<T: ?Sized>(mut self, guard: ::std::sync::MutexGuard<'_, T>) -> MutexGuard<'_, T> {
        self.hold();
        MutexGuard { stake: self.stake, guard }
    }
}

impl Deref for Condvar {
    type Target = ::std::sync::Condvar;

    fn deref(&self) -> &Self::Target {
        &self.condvar
    }
}

impl fmt::Debug for Condvar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.condvar.fmt(f)
    }
}

impl Default for Condvar {
    #[track_caller]
    fn default() -> Self {
        Self::new()
    }
}

impl From<::std::sync::Condvar> for Condvar {
    #[track_caller]
    fn from(condvar: ::std::sync::Condvar) -> Self {
        Self { resource: Resource::new(&WHAT, 0, Location::caller()), condvar }
    }
}

impl From<Condvar> for ::std::sync::Condvar {
    fn from(condvar: Condvar) -> Self {
        condvar.condvar
    }
}
