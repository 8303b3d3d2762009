//! `parking_lot::Condvar`, with a record of its waiters and its last notification.

use std::panic::Location;
use std::time::{Duration, Instant};

use ::parking_lot::WaitTimeoutResult;

use super::MutexGuard;
use super::mutex::left;
use crate::waits::{CondvarWait, Holding, Notifiers, Resource, ResourceKind, ResourceType};
use crate::wrap::{convert, debug, default, share};

static TYPE: ResourceType = ResourceType::new(ResourceKind::Condvar, "parking_lot");

/// `parking_lot`'s `Condvar`, recorded from its first use on with the place of its creation.
pub struct Condvar {
    resource: Resource,
    /// The tasks and threads that have waited or notified.
    notifiers: Notifiers,
    inner: ::parking_lot::Condvar,
}

impl Condvar {
    /// Creates a condition variable without waiters.
    #[inline]
    #[track_caller]
    pub const fn new() -> Self {
        Self {
            resource: Resource::new(&TYPE, 0, Location::caller()),
            notifiers: Notifiers::new(),
            inner: ::parking_lot::Condvar::new(),
        }
    }

    /// Wakes one waiting thread. Returns `true` if there was one.
    #[track_caller]
    pub fn notify_one(&self) -> bool {
        self.notifiers.record_notify(&self.resource, Location::caller(), false);
        self.inner.notify_one()
    }

    /// Wakes all waiting threads. Returns their number.
    #[track_caller]
    pub fn notify_all(&self) -> usize {
        self.notifiers.record_notify(&self.resource, Location::caller(), true);
        self.inner.notify_all()
    }

    /// Releases the mutex, blocks the current thread until notified, and acquires the mutex again.
    #[track_caller]
    pub fn wait<T: ?Sized>(&self, mutex_guard: &mut MutexGuard<'_, T>) {
        let notified = self.begin(mutex_guard, None, Location::caller());
        self.inner.wait(&mut mutex_guard.guard);
        mutex_guard.holding = notified.end();
    }

    /// Like [`wait`](Self::wait), until `timeout` at most.
    #[track_caller]
    pub fn wait_until<T: ?Sized>(
        &self,
        mutex_guard: &mut MutexGuard<'_, T>,
        timeout: Instant,
    ) -> WaitTimeoutResult {
        let notified = self.begin(mutex_guard, Some(left(timeout)), Location::caller());
        let result = self.inner.wait_until(&mut mutex_guard.guard, timeout);
        mutex_guard.holding = notified.end();
        result
    }

    /// Like [`wait`](Self::wait), for at most `timeout`.
    #[track_caller]
    pub fn wait_for<T: ?Sized>(
        &self,
        mutex_guard: &mut MutexGuard<'_, T>,
        timeout: Duration,
    ) -> WaitTimeoutResult {
        let notified = self.begin(mutex_guard, Some(timeout), Location::caller());
        let result = self.inner.wait_for(&mut mutex_guard.guard, timeout);
        mutex_guard.holding = notified.end();
        result
    }

    /// Waits until `condition` is false. It is checked before the first wait, with the mutex held.
    #[track_caller]
    pub fn wait_while<T, F>(&self, mutex_guard: &mut MutexGuard<'_, T>, mut condition: F)
    where
        T: ?Sized,
        F: FnMut(&mut T) -> bool,
    {
        while condition(&mut *mutex_guard) {
            self.wait(mutex_guard);
        }
    }

    /// Like [`wait_while`](Self::wait_while), until `timeout` at most.
    #[track_caller]
    pub fn wait_while_until<T, F>(
        &self,
        mutex_guard: &mut MutexGuard<'_, T>,
        mut condition: F,
        timeout: Instant,
    ) -> WaitTimeoutResult
    where
        T: ?Sized,
        F: FnMut(&mut T) -> bool,
    {
        // Calls the original's loop, since only that can make a `WaitTimeoutResult`.
        let mut notified = self.begin(mutex_guard, Some(left(timeout)), Location::caller());
        let condition = |value: &mut T| notified.look(|| condition(value));
        let result = self.inner.wait_while_until(&mut mutex_guard.guard, condition, timeout);
        mutex_guard.holding = notified.end();
        result
    }

    /// Like [`wait_while`](Self::wait_while), for at most `timeout`.
    #[track_caller]
    pub fn wait_while_for<T: ?Sized, F>(
        &self,
        mutex_guard: &mut MutexGuard<'_, T>,
        mut condition: F,
        timeout: Duration,
    ) -> WaitTimeoutResult
    where
        F: FnMut(&mut T) -> bool,
    {
        let mut notified = self.begin(mutex_guard, Some(timeout), Location::caller());
        let condition = |value: &mut T| notified.look(|| condition(value));
        let result = self.inner.wait_while_for(&mut mutex_guard.guard, condition, timeout);
        mutex_guard.holding = notified.end();
        result
    }

    fn begin<T: ?Sized>(
        &self,
        guard: &mut MutexGuard<'_, T>,
        limit: Option<Duration>,
        at: &'static Location<'static>,
    ) -> CondvarWait {
        let holding = std::mem::replace(&mut guard.holding, Holding::NONE);
        CondvarWait::begin(
            self.notifiers.used(&self.resource, at),
            MutexGuard::mutex(guard).resource.record(),
            holding,
            limit,
            at,
        )
    }
}

share!([] Condvar, inner: ::parking_lot::Condvar);
debug!([] Condvar, inner: ::parking_lot::Condvar);
default!([] Condvar);
convert!(
    [] Condvar: ::parking_lot::Condvar,
    |condvar| Self {
        resource: Resource::new(&TYPE, 0, Location::caller()),
        notifiers: Notifiers::new(),
        inner: condvar,
    },
    |it| it.inner
);
