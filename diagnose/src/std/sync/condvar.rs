//! `std::sync::Condvar`, with a record of its waiters and its last notification.

use std::panic::Location;
use std::sync::{LockResult, WaitTimeoutResult};
use std::time::Duration;

use super::{MutexGuard, poisoned};
use crate::waits::{CondvarWait, Notifiers, Resource, ResourceKind, ResourceType};
use crate::wrap::{convert, debug, default, share};

static TYPE: ResourceType = ResourceType::new(ResourceKind::Condvar, "std");

/// The standard library's `Condvar`, recorded from its first use on with the place of its creation.
pub struct Condvar {
    resource: Resource,
    /// The tasks and threads that have waited or notified.
    notifiers: Notifiers,
    inner: ::std::sync::Condvar,
}

impl Condvar {
    /// Creates a condition variable without waiters.
    #[inline]
    #[track_caller]
    pub const fn new() -> Self {
        Self {
            resource: Resource::new(&TYPE, 0, Location::caller()),
            notifiers: Notifiers::new(),
            inner: ::std::sync::Condvar::new(),
        }
    }

    /// Releases the mutex, blocks the current thread until notified, and acquires the mutex again.
    /// Spurious wakeups are possible.
    ///
    /// # Errors
    /// If the mutex is poisoned when it is acquired again, with the guard.
    #[track_caller]
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        let (notified, guard) = self.begin(guard, None, Location::caller());
        poisoned::map(self.inner.wait(guard), |guard| MutexGuard { holding: notified.end(), guard })
    }

    /// Waits until `condition` is false. It is checked before the first wait, with the mutex held.
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

    /// Like [`wait`](Self::wait), with a timeout in milliseconds. Returns `false` if it elapsed.
    ///
    /// # Errors
    /// If the mutex is poisoned when it is acquired again, with the guard and that result.
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

    /// Like [`wait`](Self::wait), for at most `dur`.
    ///
    /// # Errors
    /// If the mutex is poisoned when it is acquired again, with the guard and the result.
    #[track_caller]
    pub fn wait_timeout<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        dur: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        let (notified, guard) = self.begin(guard, Some(dur), Location::caller());
        poisoned::map(self.inner.wait_timeout(guard, dur), |(guard, result)| {
            (MutexGuard { holding: notified.end(), guard }, result)
        })
    }

    /// Like [`wait_while`](Self::wait_while), for at most `dur`.
    ///
    /// # Errors
    /// If the mutex is poisoned when it is acquired again, with the guard and the result.
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
        // Calls the original's loop, since only that can make a `WaitTimeoutResult`.
        let (mut notified, guard) = self.begin(guard, Some(dur), Location::caller());
        let condition = |value: &mut T| notified.look(|| condition(value));
        let result = self.inner.wait_timeout_while(guard, dur, condition);
        poisoned::map(result, |(guard, result)| (MutexGuard { holding: notified.end(), guard }, result))
    }

    /// Wakes one waiting thread.
    #[track_caller]
    pub fn notify_one(&self) {
        self.notifiers.record_notify(&self.resource, Location::caller(), false);
        self.inner.notify_one();
    }

    /// Wakes all waiting threads.
    #[track_caller]
    pub fn notify_all(&self) {
        self.notifiers.record_notify(&self.resource, Location::caller(), true);
        self.inner.notify_all();
    }

    fn begin<'a, T: ?Sized>(
        &self,
        guard: MutexGuard<'a, T>,
        limit: Option<Duration>,
        at: &'static Location<'static>,
    ) -> (CondvarWait, ::std::sync::MutexGuard<'a, T>) {
        let MutexGuard { holding, guard } = guard;
        let mutex = holding.record();
        (CondvarWait::begin(self.notifiers.used(&self.resource, at), mutex, holding, limit, at), guard)
    }
}

share!([] Condvar, inner: ::std::sync::Condvar);
debug!([] Condvar, inner: ::std::sync::Condvar);
default!([] Condvar);
convert!(
    [] Condvar: ::std::sync::Condvar,
    |condvar| Self {
        resource: Resource::new(&TYPE, 0, Location::caller()),
        notifiers: Notifiers::new(),
        inner: condvar,
    },
    |it| it.inner
);
