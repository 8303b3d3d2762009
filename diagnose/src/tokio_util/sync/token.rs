//! `CancellationToken`.

use std::future::{Future, poll_fn};
use std::hash::{Hash, Hasher};
use std::panic::{Location, RefUnwindSafe, UnwindSafe};
use std::pin::pin;
use std::sync::atomic::Ordering::Relaxed;
use std::task::Poll;

use ::tokio_util::sync as real;

use super::{DropGuard, DropGuardRef, WaitForCancellationFuture, WaitForCancellationFutureOwned};
use crate::waits::{ChannelEnd, ResourceKind, ResourceType, Role, WaitFuture, WaitInfo, WaitMode};
use crate::wrap::{around, default};

static TYPE: ResourceType = ResourceType::new(ResourceKind::Cancellation, "tokio-util");

/// tokio-util's `CancellationToken`, which also records owners, waiters and the cancellation.
///
/// A token, its clones and its children are one resource, shown with the place of its creation.
/// Cancelling the first token cancels all of them.
// `inner` is the first field: the token is dropped before its record ends.
pub struct CancellationToken {
    inner: real::CancellationToken,
    end: ChannelEnd,
}

impl UnwindSafe for CancellationToken {}
impl RefUnwindSafe for CancellationToken {}

impl CancellationToken {
    /// Creates a token that is not cancelled.
    #[track_caller]
    pub fn new() -> Self {
        let at = Location::caller();
        Self { inner: real::CancellationToken::new(), end: ChannelEnd::using(&TYPE, at) }
    }

    /// Creates a child token. Cancelling this token cancels the child, but not the reverse.
    #[track_caller]
    #[allow(clippy::return_self_not_must_use)] // As in tokio-util.
    pub fn child_token(&self) -> Self {
        Self { inner: self.inner.child_token(), end: self.end.another(Role::Uses, Location::caller()) }
    }

    /// Returns whether the token is cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.inner.is_cancelled()
    }

    /// Cancels the token and its children, and notifies their waiters.
    #[track_caller]
    pub fn cancel(&self) {
        self.cancel_at(Location::caller());
    }

    /// Cancels the token as [`cancel`](Self::cancel) does, with `at` as the place of the call.
    pub(super) fn cancel_at(&self, at: &'static Location<'static>) {
        self.record_cancel(at);
        self.inner.cancel();
    }

    /// Records a cancellation, before it happens: afterwards no wait remains.
    fn record_cancel(&self, at: &'static Location<'static>) {
        self.end.used(at);
        if let Some(record) = self.end.record() {
            record.set_last_notified(at, true);
            record.entered.fetch_add(1, Relaxed);
        }
    }

    /// Waits until the token is cancelled. Cancel safe.
    #[track_caller]
    pub fn cancelled(&self) -> WaitForCancellationFuture<'_> {
        self.cancelled_at(Location::caller())
    }

    fn cancelled_at(&self, at: &'static Location<'static>) -> WaitForCancellationFuture<'_> {
        let waited = WaitFuture::new(self.inner.cancelled(), self.wait_info(at));
        WaitForCancellationFuture::new(waited, &self.end, at)
    }

    /// Waits until the token is cancelled. Cancel safe. The future owns the token.
    #[track_caller]
    pub fn cancelled_owned(self) -> WaitForCancellationFutureOwned {
        let at = Location::caller();
        let info = self.wait_info(at);
        let waited = WaitFuture::new(self.inner.cancelled_owned(), info);
        WaitForCancellationFutureOwned::new(waited, self.end, at)
    }

    fn wait_info(&self, at: &'static Location<'static>) -> WaitInfo {
        WaitInfo::on(self.end.record(), WaitMode::Notified, 1, at)
    }

    /// Creates a guard that owns the token and cancels it when it is dropped.
    pub fn drop_guard(self) -> DropGuard {
        DropGuard::new(self)
    }

    /// Creates a guard that borrows the token and cancels it when it is dropped.
    pub fn drop_guard_ref(&self) -> DropGuardRef<'_> {
        DropGuardRef::new(self)
    }

    /// Runs a future until it completes, or until the token is cancelled. Returns `None` if
    /// cancelled, which drops the future. If both happen at once, returns the future's output.
    ///
    /// Cancel safe if the future is.
    #[track_caller]
    pub fn run_until_cancelled<F>(&self, fut: F) -> impl Future<Output = Option<F::Output>> + use<'_, F>
    where
        F: Future,
    {
        let at = Location::caller();
        async move {
            if self.inner.is_cancelled() {
                return None;
            }
            let (mut future, mut cancelled) = (pin!(fut), pin!(self.cancelled_at(at)));
            poll_fn(|context| match future.as_mut().poll(context) {
                Poll::Ready(output) => Poll::Ready(Some(output)),
                Poll::Pending => cancelled.as_mut().poll(context).map(|()| None),
            })
            .await
        }
    }

    /// Like [`run_until_cancelled`](Self::run_until_cancelled), with a future that owns the token.
    #[track_caller]
    pub fn run_until_cancelled_owned<F>(self, fut: F) -> impl Future<Output = Option<F::Output>> + use<F>
    where
        F: Future,
    {
        let at = Location::caller();
        async move {
            if self.inner.is_cancelled() {
                return None;
            }
            let (mut future, mut cancelled) = (pin!(fut), pin!(self.cancelled_at(at)));
            poll_fn(|context| match future.as_mut().poll(context) {
                Poll::Ready(output) => Poll::Ready(Some(output)),
                Poll::Pending => cancelled.as_mut().poll(context).map(|()| None),
            })
            .await
        }
    }
}

impl Clone for CancellationToken {
    #[track_caller]
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone(), end: self.end.another(Role::Uses, Location::caller()) }
    }
}

default!([] CancellationToken);

impl PartialEq for CancellationToken {
    fn eq(&self, other: &Self) -> bool {
        self.inner == other.inner
    }
}

impl Eq for CancellationToken {}

impl Hash for CancellationToken {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.inner.hash(state);
    }
}

around!([] CancellationToken: real::CancellationToken, |inner| Self { inner, end: ChannelEnd::none() });
