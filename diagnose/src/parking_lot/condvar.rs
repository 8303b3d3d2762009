//! `parking_lot::Condvar`, with who waits for it and when it was notified.

use std::panic::Location;
use std::time::{Duration, Instant};

use ::parking_lot::WaitTimeoutResult;

use super::MutexGuard;
use crate::waits::{CondvarWait, Holding, Notifiers, Resource, ResourceKind, ResourceType};
use crate::wrap::{convert, debug, default, share};

static WHAT: ResourceType = ResourceType::new(ResourceKind::Condvar, "parking_lot");

/// `parking_lot`'s `Condvar`. It is known with the place where it was made, from its first use on.
pub struct Condvar {
    resource: Resource,
    /// Who has waited or notified.
    users: Notifiers,
    inner: ::parking_lot::Condvar,
}

impl Condvar {
    /// Creates a condition variable without waiters.
    #[inline]
    #[track_caller]
    pub const fn new() -> Self {
        Self {
            resource: Resource::new(&WHAT, 0, Location::caller()),
            users: Notifiers::new(),
            inner: ::parking_lot::Condvar::new(),
        }
    }

    /// Wakes one that waits. Returns whether there was one.
    #[track_caller]
    pub fn notify_one(&self) -> bool {
        self.users.tell(&self.resource, Location::caller(), false);
        self.inner.notify_one()
    }

    /// Wakes all that wait. Returns how many there were.
    #[track_caller]
    pub fn notify_all(&self) -> usize {
        self.users.tell(&self.resource, Location::caller(), true);
        self.inner.notify_all()
    }

    /// Frees the mutex, blocks this thread until a notification, and acquires the mutex again.
    #[track_caller]
    pub fn wait<T: ?Sized>(&self, mutex_guard: &mut MutexGuard<'_, T>) {
        let notified = self.begin(mutex_guard, Location::caller());
        self.inner.wait(&mut mutex_guard.guard);
        mutex_guard.holding = notified.end();
    }

    /// [`wait`](Self::wait), but not for longer than until then.
    #[track_caller]
    pub fn wait_until<T: ?Sized>(
        &self,
        mutex_guard: &mut MutexGuard<'_, T>,
        timeout: Instant,
    ) -> WaitTimeoutResult {
        let notified = self.begin(mutex_guard, Location::caller());
        let result = self.inner.wait_until(&mut mutex_guard.guard, timeout);
        mutex_guard.holding = notified.end();
        result
    }

    /// [`wait`](Self::wait), but not for longer than that.
    #[track_caller]
    pub fn wait_for<T: ?Sized>(
        &self,
        mutex_guard: &mut MutexGuard<'_, T>,
        timeout: Duration,
    ) -> WaitTimeoutResult {
        let notified = self.begin(mutex_guard, Location::caller());
        let result = self.inner.wait_for(&mut mutex_guard.guard, timeout);
        mutex_guard.holding = notified.end();
        result
    }

    /// Waits until `condition` is false, which is looked at with the mutex held, first of all.
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

    /// [`wait_while`](Self::wait_while), but not for longer than until then.
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
        // The loop is the original's, because only that can make a `WaitTimeoutResult`.
        let mut notified = self.begin(mutex_guard, Location::caller());
        let condition = |value: &mut T| notified.look(|| condition(value));
        let result = self.inner.wait_while_until(&mut mutex_guard.guard, condition, timeout);
        mutex_guard.holding = notified.end();
        result
    }

    /// [`wait_while`](Self::wait_while), but not for longer than that.
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
        let mut notified = self.begin(mutex_guard, Location::caller());
        let condition = |value: &mut T| notified.look(|| condition(value));
        let result = self.inner.wait_while_for(&mut mutex_guard.guard, condition, timeout);
        mutex_guard.holding = notified.end();
        result
    }

    fn begin<T: ?Sized>(&self, guard: &mut MutexGuard<'_, T>, at: &'static Location<'static>) -> CondvarWait {
        let holding = std::mem::replace(&mut guard.holding, Holding::NONE);
        CondvarWait::begin(
            self.users.used(&self.resource, at),
            MutexGuard::mutex(guard).resource.record(),
            holding,
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
        resource: Resource::new(&WHAT, 0, Location::caller()),
        users: Notifiers::new(),
        inner: condvar,
    },
    |it| it.inner
);
