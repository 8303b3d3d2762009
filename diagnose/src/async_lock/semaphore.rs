//! `async_lock::Semaphore`, with who has its permits and who waits for one.

use std::fmt;
use std::future::Future;
use std::marker::PhantomPinned;
use std::panic::Location;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;

use super::futures::Acquire;
use crate::waits::{
    Holding, Notifiers, Resource, ResourceKind, ResourceType, WaitFuture, WaitInfo, WaitMode,
};
use crate::wrap::{convert, debug, share};

static WHAT: ResourceType = ResourceType::new(ResourceKind::Semaphore, "async-lock");

/// async-lock's `Semaphore`. It is known with the place where it was made, from its first use on.
pub struct Semaphore {
    resource: Resource,
    /// Who has added permits.
    users: Notifiers,
    inner: ::async_lock::Semaphore,
}

impl Semaphore {
    /// Creates a semaphore with this number of permits.
    #[track_caller]
    pub const fn new(n: usize) -> Self {
        Self {
            resource: Resource::new(&WHAT, n as u64, Location::caller()),
            users: Notifiers::new(),
            inner: ::async_lock::Semaphore::new(n),
        }
    }

    /// Takes a permit if there is one.
    #[inline]
    #[track_caller]
    pub fn try_acquire(&self) -> Option<SemaphoreGuard<'_>> {
        let guard = self.inner.try_acquire()?;
        Some(SemaphoreGuard::new(self.resource.hold(1, Location::caller(), false, false), guard))
    }

    /// Waits for a permit. Cancel safe, but its place in the queue is lost.
    #[inline]
    #[track_caller]
    pub fn acquire(&self) -> Acquire<'_> {
        Acquire::new(self.inner.acquire(), self.leaf(Location::caller()))
    }

    /// Waits for a permit, and blocks this thread until then.
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

    /// Takes a permit, if there is one, for a guard that keeps the semaphore.
    #[inline]
    #[track_caller]
    pub fn try_acquire_arc(self: &Arc<Self>) -> Option<SemaphoreGuardArc> {
        self.inner.try_acquire()?.forget();
        let holding = self.resource.hold(1, Location::caller(), true, false);
        Some(SemaphoreGuardArc { holding, semaphore: Some(Arc::clone(self)) })
    }

    /// Waits for a permit, for a guard that keeps the semaphore. Cancel safe, but its place in the queue is lost.
    #[inline]
    #[track_caller]
    pub fn acquire_arc(self: &Arc<Self>) -> AcquireArc {
        let leaf = self.leaf(Location::caller());
        AcquireArc { semaphore: Arc::clone(self), leaf: Some(leaf), waiting: None, pinned: PhantomPinned }
    }

    /// The same, and blocks this thread until then.
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
            self.users.note(Some(record), Location::caller());
        }
        self.inner.add_permits(n);
    }

    /// How many permits are free.
    pub fn available_permits(&self) -> usize {
        self.inner.available_permits()
    }

    #[inline]
    fn leaf(&self, at: &'static Location<'static>) -> WaitInfo {
        WaitInfo::on(self.resource.record(), WaitMode::Acquire, 1, at)
    }
}

share!([] Semaphore, inner: ::async_lock::Semaphore);
debug!([] Semaphore, inner: ::async_lock::Semaphore);

// Its permits are those that are free now.
convert!(
    [] Semaphore: ::async_lock::Semaphore,
    |inner| {
        let resource = Resource::new(&WHAT, inner.available_permits() as u64, Location::caller());
        Self { resource, users: Notifiers::new(), inner }
    },
    |it| it.inner
);

/// The guard of a permit, which it gives back when it is dropped.
#[clippy::has_significant_drop]
pub struct SemaphoreGuard<'a> {
    // It ends before the permit is back.
    holding: Holding,
    guard: ::async_lock::SemaphoreGuard<'a>,
}

impl<'a> SemaphoreGuard<'a> {
    #[inline]
    pub(super) fn new(holding: Holding, guard: ::async_lock::SemaphoreGuard<'a>) -> Self {
        Self { holding, guard }
    }

    /// Takes the permit out for ever.
    #[inline]
    #[track_caller]
    pub fn forget(self) {
        count_forgotten(&self.holding, Location::caller());
        self.guard.forget();
    }
}

debug!(['a] SemaphoreGuard<'a>, guard: ::async_lock::SemaphoreGuard<'a>);

/// The guard of a permit that keeps the semaphore. It gives the permit back when it is dropped.
// The permit itself is taken out for ever at first, and one is added in the end: that is what the original's drop does.
#[clippy::has_significant_drop]
pub struct SemaphoreGuardArc {
    holding: Holding,
    semaphore: Option<Arc<Semaphore>>,
}

impl SemaphoreGuardArc {
    /// Takes the permit out for ever.
    #[inline]
    #[track_caller]
    pub fn forget(mut self) {
        count_forgotten(&self.holding, Location::caller());
        self.semaphore = None;
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

fn count_forgotten(holding: &Holding, at: &'static Location<'static>) {
    if let Some(record) = holding.record() {
        record.forget(1, at);
    }
}

pin_project! {
    /// The future of [`Semaphore::acquire_arc`].
    ///
    /// Dropping it gives up its place in the queue, as the original does.
    pub struct AcquireArc {
        semaphore: Arc<Semaphore>,
        leaf: Option<WaitInfo>,
        waiting: Option<WaitFuture<Taken>>,
        #[pin]
        pinned: PhantomPinned,
    }
}

/// A permit is taken out.
type Taken = Pin<Box<dyn Future<Output = ()> + Send + Sync>>;

impl Future for AcquireArc {
    type Output = SemaphoreGuardArc;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let holding = match (this.leaf.take(), this.waiting.as_mut()) {
            (Some(leaf), _) => match this.semaphore.inner.try_acquire() {
                Some(guard) => {
                    guard.forget();
                    leaf.hold(true, false)
                }
                None => {
                    let semaphore = Arc::clone(this.semaphore);
                    let taken = async move { semaphore.inner.acquire().await.forget() };
                    let waiting = this.waiting.insert(WaitFuture::new(Box::pin(taken), leaf));
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
