//! `async_lock::Semaphore`, with a record of its permits' holders and its waiters.

use std::fmt;
use std::future::Future;
use std::marker::PhantomPinned;
use std::panic::Location;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;

use super::acquiring::waiting;
use super::futures::Acquire;
use crate::waits::{
    Holding, Notifiers, Record, Resource, ResourceKind, ResourceType, WaitFuture, WaitInfo, WaitMode,
};
use crate::wrap::{convert, debug, share};

static TYPE: ResourceType = ResourceType::new(ResourceKind::Semaphore, "async-lock");

/// async-lock's `Semaphore`, recorded from its first use on with the place of its creation.
pub struct Semaphore {
    resource: Resource,
    /// The tasks that have added permits.
    notifiers: Notifiers,
    inner: ::async_lock::Semaphore,
}

impl Semaphore {
    /// Creates a semaphore with `n` permits.
    #[track_caller]
    pub const fn new(n: usize) -> Self {
        Self {
            resource: Resource::new(&TYPE, n as u64, Location::caller()),
            notifiers: Notifiers::new(),
            inner: ::async_lock::Semaphore::new(n),
        }
    }

    /// Attempts to acquire a permit without waiting. Returns `None` if there is none.
    #[inline]
    #[track_caller]
    pub fn try_acquire(&self) -> Option<SemaphoreGuard<'_>> {
        let guard = self.inner.try_acquire()?;
        Some(SemaphoreGuard::new(self.resource.hold(1, Location::caller(), false, false), guard))
    }

    /// Acquires a permit, waiting if necessary. Cancel safe, but loses its place in the queue.
    #[inline]
    #[track_caller]
    pub fn acquire(&self) -> Acquire<'_> {
        Acquire::new(waiting(self.inner.acquire(), self.wait_info(Location::caller())))
    }

    /// Acquires a permit, blocking the current thread until one is available.
    #[inline]
    #[track_caller]
    #[cfg(not(target_family = "wasm"))]
    pub fn acquire_blocking(&self) -> SemaphoreGuard<'_> {
        let at = Location::caller();
        let (guard, has_waited) = match self.inner.try_acquire() {
            Some(guard) => (guard, false),
            None => (self.resource.block(WaitMode::Acquire, 1, at, || self.inner.acquire_blocking()), true),
        };
        SemaphoreGuard::new(self.resource.hold(1, at, false, has_waited), guard)
    }

    /// Attempts to acquire a permit for an owned guard without waiting.
    #[inline]
    #[track_caller]
    pub fn try_acquire_arc(self: &Arc<Self>) -> Option<SemaphoreGuardArc> {
        self.inner.try_acquire()?.forget();
        let holding = self.resource.hold(1, Location::caller(), true, false);
        Some(SemaphoreGuardArc { holding, semaphore: Some(Arc::clone(self)) })
    }

    /// Acquires a permit for an owned guard. Cancel safe, as [`acquire`](Self::acquire).
    #[inline]
    #[track_caller]
    pub fn acquire_arc(self: &Arc<Self>) -> AcquireArc {
        let info = self.wait_info(Location::caller());
        AcquireArc { semaphore: Arc::clone(self), info: Some(info), waiting: None, pinned: PhantomPinned }
    }

    /// Acquires a permit for an owned guard, blocking the current thread.
    #[inline]
    #[track_caller]
    #[cfg(not(target_family = "wasm"))]
    pub fn acquire_arc_blocking(self: &Arc<Self>) -> SemaphoreGuardArc {
        let at = Location::caller();
        let guard = self.inner.try_acquire();
        let has_waited = guard.is_none();
        let block = || self.resource.block(WaitMode::Acquire, 1, at, || self.inner.acquire_blocking());
        guard.unwrap_or_else(block).forget();
        SemaphoreGuardArc {
            holding: self.resource.hold(1, at, true, has_waited),
            semaphore: Some(Arc::clone(self)),
        }
    }

    /// Adds `n` permits.
    #[track_caller]
    pub fn add_permits(&self, n: usize) {
        // Recorded first: no task may be shown with a permit that does not exist yet.
        if let Some(record) = self.resource.record() {
            record.capacity.fetch_add(n as u64, Relaxed);
            record.is_refilled.store(true, Relaxed);
            self.notifiers.note(Some(record), Location::caller());
        }
        self.inner.add_permits(n);
    }

    /// Returns the number of available permits.
    pub fn available_permits(&self) -> usize {
        self.inner.available_permits()
    }

    #[inline]
    fn wait_info(&self, at: &'static Location<'static>) -> WaitInfo {
        WaitInfo::on(self.resource.located_record(), WaitMode::Acquire, 1, at)
    }
}

share!([] Semaphore, inner: ::async_lock::Semaphore);
debug!([] Semaphore, inner: ::async_lock::Semaphore);

// Counts the permits available now: the original does not expose its total.
convert!(
    [] Semaphore: ::async_lock::Semaphore,
    |inner| {
        let resource = Resource::new(&TYPE, inner.available_permits() as u64, Location::caller());
        Self { resource, notifiers: Notifiers::new(), inner }
    },
    |it| it.inner
);

/// A guard that releases its permit when dropped.
#[clippy::has_significant_drop]
pub struct SemaphoreGuard<'a> {
    // Dropped first: the holding ends before the permit is back.
    holding: Holding,
    guard: ::async_lock::SemaphoreGuard<'a>,
}

impl<'a> SemaphoreGuard<'a> {
    #[inline]
    pub(super) fn new(holding: Holding, guard: ::async_lock::SemaphoreGuard<'a>) -> Self {
        Self { holding, guard }
    }

    /// Drops the guard without releasing the permit: the semaphore loses it permanently.
    #[inline]
    #[track_caller]
    pub fn forget(self) {
        count_forgotten(self.holding.record(), Location::caller());
        self.guard.forget();
    }
}

debug!(['a] SemaphoreGuard<'a>, guard: ::async_lock::SemaphoreGuard<'a>);

/// An owned guard that releases its permit when dropped.
// The original's permit is forgotten at once and added again on drop, as the original's drop does.
#[clippy::has_significant_drop]
pub struct SemaphoreGuardArc {
    holding: Holding,
    semaphore: Option<Arc<Semaphore>>,
}

impl SemaphoreGuardArc {
    /// Drops the guard without releasing the permit: the semaphore loses it permanently.
    #[inline]
    #[track_caller]
    pub fn forget(mut self) {
        // The permit may have been acquired while the recording was off.
        let semaphore = self.semaphore.take();
        count_forgotten(semaphore.and_then(|it| it.resource.record()), Location::caller());
    }
}

impl Drop for SemaphoreGuardArc {
    fn drop(&mut self) {
        self.holding = Holding::NONE;
        if let Some(semaphore) = self.semaphore.take() {
            semaphore.inner.add_permits(1);
        }
    }
}

impl fmt::Debug for SemaphoreGuardArc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SemaphoreGuardArc").field(&self.semaphore).finish()
    }
}

fn count_forgotten(record: Option<&'static Record>, at: &'static Location<'static>) {
    if let Some(record) = record {
        record.forget(1, at);
    }
}

pin_project! {
    /// The future returned by [`Semaphore::acquire_arc`].
    ///
    /// Dropping it gives up its place in the queue, as the original does.
    pub struct AcquireArc {
        semaphore: Arc<Semaphore>,
        info: Option<WaitInfo>,
        waiting: Option<WaitFuture<Taken>>,
        #[pin]
        pinned: PhantomPinned,
    }
}

/// The boxed future that takes one permit out of the original.
type Taken = Pin<Box<dyn Future<Output = ()> + Send + Sync>>;

impl Future for AcquireArc {
    type Output = SemaphoreGuardArc;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let holding = match (this.info.take(), this.waiting.as_mut()) {
            (Some(info), _) => match this.semaphore.inner.try_acquire() {
                Some(guard) => {
                    guard.forget();
                    info.hold(true, false)
                }
                None => {
                    let semaphore = Arc::clone(this.semaphore);
                    let taken = async move { semaphore.inner.acquire().await.forget() };
                    let waiting = this.waiting.insert(WaitFuture::new(Box::pin(taken), info));
                    ready!(Pin::new(&mut *waiting).poll(context));
                    waiting.hold(true)
                }
            },
            (None, Some(waiting)) => {
                ready!(Pin::new(&mut *waiting).poll(context));
                waiting.hold(true)
            }
            (None, None) => panic!("future polled after completion"),
        };
        *this.waiting = None;
        Poll::Ready(SemaphoreGuardArc { holding, semaphore: Some(Arc::clone(this.semaphore)) })
    }
}

impl fmt::Debug for AcquireArc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AcquireArc { .. }")
    }
}
