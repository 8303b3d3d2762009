//! The futures of a `Mutex`. Each polls the original's future and records the wait.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use ::futures::future::FusedFuture;
use ::futures::lock as real;

use super::owned::{Locked, Locking};
use super::{Mutex, MutexGuard, OwnedMutexGuard};
use crate::waits::WaitInfo;
use crate::wrap::{Acquiring, future, poll_acquiring};

future! {
    /// The future returned by [`Mutex::lock`].
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct MutexLockFuture<'a, T: ?Sized> {
        #[pin]
        waited: WaitFuture<real::MutexLockFuture<'a, T>>,
    }
    -> MutexGuard<'a, T>;
    after |this, guard| MutexGuard::new(this.waited.hold(false), guard);
}

impl<T: ?Sized> FusedFuture for MutexLockFuture<'_, T> {
    fn is_terminated(&self) -> bool {
        self.waited.future().is_terminated()
    }
}

/// The future returned by [`Mutex::lock_owned`].
///
/// Unlike the original, it is `Sync` only if the data is `Send`.
#[must_use = "futures do nothing unless you `.await` or poll them"]
pub struct OwnedMutexLockFuture<T: ?Sized> {
    state: Acquiring<Mutex<T>, Locking<T>>,
}

impl<T: ?Sized> OwnedMutexLockFuture<T> {
    pub(super) fn new(mutex: Arc<Mutex<T>>, info: WaitInfo) -> Self {
        Self { state: Acquiring::New(mutex, info) }
    }
}

impl<T: ?Sized> Future for OwnedMutexLockFuture<T> {
    type Output = OwnedMutexGuard<T>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let acquired = poll_acquiring!(
            &mut self.get_mut().state,
            context,
            Locked<T>,
            |it| it.mutex.try_lock(),
            it.mutex.lock(),
            "polled OwnedMutexLockFuture after completion"
        );
        acquired.map(OwnedMutexGuard::of)
    }
}

impl<T: ?Sized> FusedFuture for OwnedMutexLockFuture<T> {
    fn is_terminated(&self) -> bool {
        matches!(self.state, Acquiring::Ready)
    }
}

impl<T: ?Sized> fmt::Debug for OwnedMutexLockFuture<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnedMutexLockFuture")
            .field("was_acquired", &self.is_terminated())
            .finish_non_exhaustive()
    }
}
