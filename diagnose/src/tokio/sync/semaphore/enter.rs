//! Acquiring permits, borrowed and owned.

use std::future::Future;
use std::panic::Location;
use std::pin::pin;
use std::sync::Arc;

use ::tokio::sync as real;
use ::tokio::sync::{AcquireError, TryAcquireError};

use super::{OwnedSemaphorePermit, Semaphore};
use crate::waits::{Holding, LazyWaitFuture, WaitInfo, WaitMode};

type Caller = &'static Location<'static>;

impl Semaphore {
    /// Like [`acquire`](Self::acquire). The permit owns the semaphore.
    ///
    /// # Errors
    /// If the semaphore is closed.
    #[track_caller]
    pub fn acquire_owned(
        self: Arc<Self>,
    ) -> impl Future<Output = Result<OwnedSemaphorePermit, AcquireError>> {
        self.acquire_many_owned(1)
    }

    /// Like [`acquire_many`](Self::acquire_many). The permit owns the semaphore.
    ///
    /// # Errors
    /// If the semaphore is closed.
    #[track_caller]
    pub fn acquire_many_owned(
        self: Arc<Self>,
        n: u32,
    ) -> impl Future<Output = Result<OwnedSemaphorePermit, AcquireError>> {
        self.acquire_many_owned_at(n, Location::caller())
    }

    /// Like [`acquire_many_owned`](Self::acquire_many_owned), recorded at `at`.
    pub(crate) async fn acquire_many_owned_at(
        self: Arc<Self>,
        n: u32,
        at: Caller,
    ) -> Result<OwnedSemaphorePermit, AcquireError> {
        let forget = |permit: real::SemaphorePermit<'_>, holding| {
            permit.forget();
            holding
        };
        let holding = self.enter(n, at, true, forget).await?;
        Ok(OwnedSemaphorePermit::new(holding, self, n as usize))
    }

    /// Acquires a permit if one is free. The permit owns the semaphore.
    ///
    /// # Errors
    /// If no permit is free, or the semaphore is closed.
    #[track_caller]
    pub fn try_acquire_owned(self: Arc<Self>) -> Result<OwnedSemaphorePermit, TryAcquireError> {
        self.try_acquire_many_owned(1)
    }

    /// Acquires `n` permits if they are free. The permit owns the semaphore.
    ///
    /// # Errors
    /// If fewer permits are free, or the semaphore is closed.
    #[track_caller]
    pub fn try_acquire_many_owned(self: Arc<Self>, n: u32) -> Result<OwnedSemaphorePermit, TryAcquireError> {
        self.try_acquire_many_owned_at(n, Location::caller())
    }

    /// Like [`try_acquire_many_owned`](Self::try_acquire_many_owned), recorded at `at`.
    pub(crate) fn try_acquire_many_owned_at(
        self: Arc<Self>,
        n: u32,
        at: Caller,
    ) -> Result<OwnedSemaphorePermit, TryAcquireError> {
        self.permits.try_acquire_many(n)?.forget();
        Ok(OwnedSemaphorePermit::new(self.resource.hold(n.into(), at, true, false), self, n as usize))
    }

    /// Blocks the current thread until a permit is acquired. The permit owns the semaphore.
    ///
    /// # Errors
    /// If the semaphore is closed.
    ///
    /// # Panics
    /// If called within an async context.
    #[track_caller]
    pub fn blocking_acquire_owned(self: Arc<Self>) -> Result<OwnedSemaphorePermit, AcquireError> {
        self.blocking_acquire_many_owned(1)
    }

    /// Blocks the current thread until `n` permits are acquired. The permit owns the semaphore.
    ///
    /// # Errors
    /// If the semaphore is closed.
    ///
    /// # Panics
    /// If called within an async context.
    #[track_caller]
    pub fn blocking_acquire_many_owned(
        self: Arc<Self>,
        n: u32,
    ) -> Result<OwnedSemaphorePermit, AcquireError> {
        let (permit, holding) = self.block(n, Location::caller(), true)?;
        permit.forget();
        Ok(OwnedSemaphorePermit::new(holding, self, n as usize))
    }

    /// Acquires `n` permits. `permit` builds the returned value.
    #[inline]
    pub(super) async fn enter<'a, G>(
        &'a self,
        n: u32,
        at: Caller,
        is_movable: bool,
        permit: impl FnOnce(real::SemaphorePermit<'a>, Holding) -> G,
    ) -> Result<G, AcquireError> {
        let record = self.record();
        let info = || WaitInfo::on(record, WaitMode::Acquire, n.into(), at);
        let mut waits = pin!(LazyWaitFuture::in_order(self.permits.acquire_many(n), record, info));
        let real = waits.as_mut().await?;
        let holding = Holding::hold_after(record, n.into(), at, is_movable, waits.has_waited());
        Ok(permit(real, holding.taken_in(waits.memory())))
    }

    #[track_caller]
    pub(super) fn block(
        &self,
        n: u32,
        at: Caller,
        is_movable: bool,
    ) -> Result<(real::SemaphorePermit<'_>, Holding), AcquireError> {
        let is_busy = self.permits.available_permits() < n as usize;
        let blocked = self.resource.blocks_if(is_busy, WaitMode::Acquire, n.into(), at);
        let permit = self.permits.blocking_acquire_many(n)?;
        drop(blocked);
        Ok((permit, self.resource.hold(n.into(), at, is_movable, is_busy)))
    }
}
