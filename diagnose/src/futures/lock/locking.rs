//! The futures of a `Mutex`: the original's, the wait, and in the end the original's guard with a holding.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use ::futures::future::FusedFuture;
use ::futures::lock as real;
use pin_project_lite::pin_project;

use super::owned::{Locked, Locking};
use super::{Mutex, MutexGuard, OwnedMutexGuard};
use crate::waits::{Holding, WaitFuture, WaitInfo};
use crate::wrap::Owned;

pin_project! {
    /// The future of [`Mutex::lock`].
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct MutexLockFuture<'a, T: ?Sized> {
        #[pin]
        waited: WaitFuture<real::MutexLockFuture<'a, T>>,
    }
}

impl<'a, T: ?Sized> MutexLockFuture<'a, T> {
    pub(super) fn new(future: real::MutexLockFuture<'a, T>, leaf: WaitInfo) -> Self {
        Self { waited: WaitFuture::new(future, leaf) }
    }
}

impl<'a, T: ?Sized> Future for MutexLockFuture<'a, T> {
    type Output = MutexGuard<'a, T>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut waited = self.project().waited;
        let guard = ready!(waited.as_mut().poll(context));
        Poll::Ready(MutexGuard::new(waited.hold(false), guard))
    }
}

impl<T: ?Sized> FusedFuture for MutexLockFuture<'_, T> {
    fn is_terminated(&self) -> bool {
        self.waited.future().is_terminated()
    }
}

impl<T: ?Sized> fmt::Debug for MutexLockFuture<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.waited.future().fmt(f)
    }
}

/// How far a future is that keeps its mutex.
enum State<T: ?Sized> {
    /// Not polled yet.
    New(Arc<Mutex<T>>, WaitInfo),
    Waiting(Owned<Mutex<T>, Locking<T>>),
    /// It has its guard.
    Ready,
}

/// The future of [`Mutex::lock_owned`].
///
/// Unlike the original it is `Sync` only where what is locked is `Send`.
#[must_use = "futures do nothing unless you `.await` or poll them"]
pub struct OwnedMutexLockFuture<T: ?Sized> {
    state: State<T>,
}

impl<T: ?Sized> OwnedMutexLockFuture<T> {
    pub(super) fn new(mutex: Arc<Mutex<T>>, leaf: WaitInfo) -> Self {
        Self { state: State::New(mutex, leaf) }
    }
}

impl<T: ?Sized> Future for OwnedMutexLockFuture<T> {
    type Output = OwnedMutexGuard<T>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let state = &mut self.get_mut().state;
        let waiting: Owned<Mutex<T>, Locking<T>> = match std::mem::replace(state, State::Ready) {
            State::New(mutex, leaf) => {
                let took = Owned::try_new(mutex, |it| match it.mutex.try_lock() {
                    Some(guard) => Ok((guard, leaf.hold(true, false))),
                    None => Err(leaf),
                });
                match took {
                    Ok(guard) => return Poll::Ready(OwnedMutexGuard::of(guard)),
                    Err((mutex, leaf)) => {
                        Owned::new(mutex, |it| (Box::pin(WaitFuture::new(it.mutex.lock(), leaf)), ())).0
                    }
                }
            }
            State::Waiting(waiting) => waiting,
            State::Ready => panic!("polled OwnedMutexLockFuture after completion"),
        };
        let mut holding = Holding::NONE;
        let turned = waiting.try_turn::<Locked<T>>(|mut waited, _| match waited.as_mut().poll(context) {
            Poll::Ready(guard) => {
                holding = waited.hold(true);
                Ok(guard)
            }
            Poll::Pending => Err(waited),
        });
        match turned {
            Ok(guard) => Poll::Ready(OwnedMutexGuard::new(holding, guard)),
            Err(waiting) => {
                *state = State::Waiting(waiting);
                Poll::Pending
            }
        }
    }
}

impl<T: ?Sized> FusedFuture for OwnedMutexLockFuture<T> {
    fn is_terminated(&self) -> bool {
        matches!(self.state, State::Ready)
    }
}

impl<T: ?Sized> fmt::Debug for OwnedMutexLockFuture<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnedMutexLockFuture")
            .field("was_acquired", &self.is_terminated())
            .finish_non_exhaustive()
    }
}
