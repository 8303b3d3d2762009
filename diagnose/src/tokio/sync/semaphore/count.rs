//! `tokio::sync::Semaphore`.

use std::future::Future;
use std::panic::Location;
use std::sync::atomic::Ordering::Relaxed;

use ::tokio::sync as real;
use ::tokio::sync::{AcquireError, TryAcquireError};

use super::SemaphorePermit;
use crate::tokio::sync::is_forced;
use crate::waits::{Notifiers, Record, Resource, ResourceKind, ResourceType};
use crate::wrap::{convert, debug, delegate, share};

static TYPE: ResourceType = ResourceType::fair(ResourceKind::Semaphore, "tokio").granted_if(is_forced);

/// tokio's `Semaphore`, which also records its holders, its waiters and its calls of `add_permits`.
///
/// Recorded from its first use, under its place of creation. Permits added or forgotten before
/// that, while recording is off, are not counted. It behaves exactly like tokio's.
pub struct Semaphore {
    pub(super) resource: Resource,
    /// Tasks that have added permits.
    notifiers: Notifiers,
    pub(super) permits: real::Semaphore,
}

impl Semaphore {
    /// The maximum number of permits.
    pub const MAX_PERMITS: usize = real::Semaphore::MAX_PERMITS;

    /// Creates a semaphore with `permits` permits.
    ///
    /// # Panics
    /// If `permits` exceeds [`MAX_PERMITS`](Self::MAX_PERMITS).
    #[track_caller]
    pub fn new(permits: usize) -> Self {
        let mut semaphore = Self::around(real::Semaphore::new(permits), permits);
        semaphore.resource = semaphore.resource.with_creation();
        semaphore
    }

    /// Creates a semaphore with `permits` permits. Can be used in a `const` or `static`.
    #[track_caller]
    pub const fn const_new(permits: usize) -> Self {
        Self::around(real::Semaphore::const_new(permits), permits)
    }

    #[track_caller]
    const fn around(semaphore: real::Semaphore, permits: usize) -> Self {
        let resource = Resource::new(&TYPE, permits as u64, Location::caller());
        Self { resource, notifiers: Notifiers::new(), permits: semaphore }
    }

    /// Returns tokio's own semaphore, for crates that expect it.
    ///
    /// With the feature `on` only; `.into()` works without it, too.
    pub fn into_tokio(self) -> real::Semaphore {
        self.permits
    }

    /// Adds `n` permits.
    ///
    /// # Panics
    /// If the semaphore then has more than [`MAX_PERMITS`](Self::MAX_PERMITS).
    #[track_caller]
    pub fn add_permits(&self, n: usize) {
        if let Some(record) = self.record() {
            record.capacity.fetch_add(n as u64, Relaxed);
            record.is_refilled.store(true, Relaxed);
            self.notifiers.note(Some(record), Location::caller());
        }
        self.permits.add_permits(n);
    }

    /// Removes up to `n` free permits for good. Returns the number of removed permits.
    #[track_caller]
    pub fn forget_permits(&self, n: usize) -> usize {
        let forgotten = self.permits.forget_permits(n);
        self.forget(forgotten, Location::caller());
        forgotten
    }

    /// Acquires a permit, waiting if necessary. The first waiter gets the first permit. Cancel
    /// safe, but a cancelled call loses its place in the queue.
    ///
    /// # Errors
    /// If the semaphore is closed.
    #[track_caller]
    pub fn acquire(&self) -> impl Future<Output = Result<SemaphorePermit<'_>, AcquireError>> {
        let permit = move |permit, holding| SemaphorePermit::new(holding, permit, self);
        self.enter(1, Location::caller(), false, permit)
    }

    /// Acquires `n` permits, as [`acquire`](Self::acquire) does. Later waiters get none before it
    /// has all of them.
    ///
    /// # Errors
    /// If the semaphore is closed.
    #[track_caller]
    pub fn acquire_many(&self, n: u32) -> impl Future<Output = Result<SemaphorePermit<'_>, AcquireError>> {
        let permit = move |permit, holding| SemaphorePermit::new(holding, permit, self);
        self.enter(n, Location::caller(), false, permit)
    }

    /// Acquires a permit if one is free.
    ///
    /// # Errors
    /// If no permit is free, or the semaphore is closed.
    #[track_caller]
    pub fn try_acquire(&self) -> Result<SemaphorePermit<'_>, TryAcquireError> {
        self.try_acquire_many(1)
    }

    /// Acquires `n` permits if they are free.
    ///
    /// # Errors
    /// If fewer permits are free, or the semaphore is closed.
    #[track_caller]
    pub fn try_acquire_many(&self, n: u32) -> Result<SemaphorePermit<'_>, TryAcquireError> {
        let permit = self.permits.try_acquire_many(n)?;
        let holding = self.resource.hold(n.into(), Location::caller(), false, false);
        Ok(SemaphorePermit::new(holding, permit, self))
    }

    /// Blocks the current thread until a permit is acquired.
    ///
    /// # Errors
    /// If the semaphore is closed.
    ///
    /// # Panics
    /// If called within an async context.
    #[track_caller]
    pub fn blocking_acquire(&self) -> Result<SemaphorePermit<'_>, AcquireError> {
        self.blocking_acquire_many(1)
    }

    /// Blocks the current thread until `n` permits are acquired.
    ///
    /// # Errors
    /// If the semaphore is closed.
    ///
    /// # Panics
    /// If called within an async context.
    #[track_caller]
    pub fn blocking_acquire_many(&self, n: u32) -> Result<SemaphorePermit<'_>, AcquireError> {
        let (permit, holding) = self.block(n, Location::caller(), false)?;
        Ok(SemaphorePermit::new(holding, permit, self))
    }

    /// Closes the semaphore. It issues no more permits, and all waiters get an error.
    pub fn close(&self) {
        if let Some(record) = self.record() {
            record.is_closed.store(true, Relaxed);
        }
        self.permits.close();
    }

    #[inline]
    pub(super) fn record(&self) -> Option<&'static Record> {
        self.resource.located_record()
    }

    /// Records permits that were removed for good.
    pub(super) fn forget(&self, n: usize, at: &'static Location<'static>) {
        if let Some(record) = self.record().filter(|_| n > 0) {
            record.forget(n as u64, at);
        }
    }

    delegate! { permits:
        /// Returns the number of free permits.
        pub fn available_permits(&self) -> usize;
        /// Returns whether the semaphore is closed.
        pub fn is_closed(&self) -> bool;
    }
}

share!([] Semaphore, permits: real::Semaphore);
convert!(
    [] Semaphore: real::Semaphore,
    |semaphore| {
        let permits = semaphore.available_permits();
        let semaphore = Self::around(semaphore, permits);
        if semaphore.is_closed() {
            semaphore.close();
        }
        semaphore
    },
    |it| it.permits
);
debug!([] Semaphore, permits: real::Semaphore);
