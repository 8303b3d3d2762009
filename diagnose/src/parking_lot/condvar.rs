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
        let waiting = self.begin(mutex_guard, None, Location::caller());
        self.inner.wait(&mut waiting.guard.guard);
    }

    /// Like [`wait`](Self::wait), until `timeout` at most.
    #[track_caller]
    pub fn wait_until<T: ?Sized>(
        &self,
        mutex_guard: &mut MutexGuard<'_, T>,
        timeout: Instant,
    ) -> WaitTimeoutResult {
        let waiting = self.begin(mutex_guard, Some(left(timeout)), Location::caller());
        self.inner.wait_until(&mut waiting.guard.guard, timeout)
    }

    /// Like [`wait`](Self::wait), for at most `timeout`.
    #[track_caller]
    pub fn wait_for<T: ?Sized>(
        &self,
        mutex_guard: &mut MutexGuard<'_, T>,
        timeout: Duration,
    ) -> WaitTimeoutResult {
        let waiting = self.begin(mutex_guard, Some(timeout), Location::caller());
        self.inner.wait_for(&mut waiting.guard.guard, timeout)
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
        let mut waiting = self.begin(mutex_guard, Some(left(timeout)), Location::caller());
        let Waiting { guard, wait } = &mut waiting;
        let condition = |value: &mut T| look(wait, || condition(value));
        self.inner.wait_while_until(&mut guard.guard, condition, timeout)
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
        let mut waiting = self.begin(mutex_guard, Some(timeout), Location::caller());
        let Waiting { guard, wait } = &mut waiting;
        let condition = |value: &mut T| look(wait, || condition(value));
        self.inner.wait_while_for(&mut guard.guard, condition, timeout)
    }

    fn begin<'s, 'a, T: ?Sized>(
        &self,
        guard: &'s mut MutexGuard<'a, T>,
        limit: Option<Duration>,
        at: &'static Location<'static>,
    ) -> Waiting<'s, 'a, T> {
        let holding = std::mem::replace(&mut guard.holding, Holding::NONE);
        let wait = CondvarWait::begin(
            self.notifiers.used(&self.resource, at),
            MutexGuard::mutex(guard).resource.record(),
            holding,
            limit,
            at,
        );
        Waiting { guard, wait: Some(wait) }
    }
}

/// A wait, and the guard that has the lock again at its end, also if the original or a condition
/// panics.
struct Waiting<'s, 'a, T: ?Sized> {
    guard: &'s mut MutexGuard<'a, T>,
    wait: Option<CondvarWait>,
}

impl<T: ?Sized> Drop for Waiting<'_, '_, T> {
    fn drop(&mut self) {
        if let Some(wait) = self.wait.take() {
            self.guard.holding = wait.end();
        }
    }
}

/// Calls the condition of a wait.
fn look(wait: &mut Option<CondvarWait>, condition: impl FnOnce() -> bool) -> bool {
    match wait {
        Some(wait) => wait.look(condition),
        None => condition(),
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
