//! The receivers of a watched value.

use std::fmt;
use std::future::Future;
use std::panic::Location;

use ::tokio::sync::watch::{self, error::RecvError};

use super::Ref;
use crate::waits::{ChannelEnd, LazyWaitFuture, Role, WaitInfo, WaitMode};

/// tokio's `Receiver` of a watched value; who has it and whether it waits is on record.
// The receiver stands first: it is gone before the records say so.
pub struct Receiver<T> {
    inner: watch::Receiver<T>,
    end: ChannelEnd,
}

impl<T> Receiver<T> {
    #[inline]
    pub(super) fn new(inner: watch::Receiver<T>, end: ChannelEnd) -> Self {
        Self { inner, end }
    }

    /// The present value, without marking it as seen. Senders are blocked, thread and all, until it is given back.
    #[track_caller]
    #[inline]
    pub fn borrow(&self) -> Ref<'_, T> {
        Ref::borrow(&self.end, Location::caller(), || self.inner.borrow())
    }

    /// The present value, marked as seen. Senders are blocked, thread and all, until it is given back.
    #[track_caller]
    #[inline]
    pub fn borrow_and_update(&mut self) -> Ref<'_, T> {
        Ref::borrow(&self.end, Location::caller(), || self.inner.borrow_and_update())
    }

    /// Whether there is a value that was not seen.
    ///
    /// # Errors
    /// If no sender is left.
    pub fn has_changed(&self) -> Result<bool, RecvError> {
        self.inner.has_changed()
    }

    /// Whether no sender is left.
    pub fn is_closed(&self) -> bool {
        self.inner.is_closed()
    }

    /// The present value counts as not seen.
    pub fn mark_changed(&mut self) {
        self.inner.mark_changed();
    }

    /// The present value counts as seen.
    pub fn mark_unchanged(&mut self) {
        self.inner.mark_unchanged();
    }

    /// Waits for a value that was not seen, and marks it as seen. Cancel safe.
    ///
    /// # Errors
    /// If no sender is left.
    #[track_caller]
    pub fn changed(&mut self) -> impl Future<Output = Result<(), RecvError>> + use<'_, T> {
        let at = Location::caller();
        async move {
            self.end.used(at);
            let Self { inner, end } = self;
            let leaf = || WaitInfo::on(end.record(), WaitMode::Receive, 1, at);
            LazyWaitFuture::new(inner.changed(), leaf).await
        }
    }

    /// Waits for a value of which `f` says yes, and marks it as seen. Cancel safe: whenever it stops, it has seen what it
    /// has looked at.
    ///
    /// # Errors
    /// If no sender is left and the last value is not it.
    ///
    /// # Panics
    /// If `f` does.
    #[track_caller]
    pub fn wait_for(
        &mut self,
        f: impl FnMut(&T) -> bool,
    ) -> impl Future<Output = Result<Ref<'_, T>, RecvError>> {
        let at = Location::caller();
        async move {
            self.end.used(at);
            let Self { inner, end } = self;
            let leaf = || WaitInfo::on(end.record(), WaitMode::Receive, 1, at);
            let inner = LazyWaitFuture::new(inner.wait_for(f), leaf).await?;
            Ok(Ref::new(inner, end, at))
        }
    }

    /// Whether both watch the same value.
    pub fn same_channel(&self, other: &Self) -> bool {
        self.inner.same_channel(&other.inner)
    }

    /// tokio's own receiver. From then on nobody knows who has it.
    pub fn into_inner(self) -> watch::Receiver<T> {
        self.end.lose();
        self.inner
    }
}

impl<T> Clone for Receiver<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone(), end: self.end.another(Role::Receives, Location::caller()) }
    }
}

impl<T: fmt::Debug> fmt::Debug for Receiver<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(formatter)
    }
}

impl<T> From<watch::Receiver<T>> for Receiver<T> {
    fn from(inner: watch::Receiver<T>) -> Self {
        Self { inner, end: ChannelEnd::none() }
    }
}

impl<T> From<Receiver<T>> for watch::Receiver<T> {
    fn from(receiver: Receiver<T>) -> Self {
        receiver.into_inner()
    }
}
