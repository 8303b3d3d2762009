//! Senders of bounded channels.

use std::future::Future;
use std::panic::Location;
use std::time::Duration;

use ::tokio::sync::mpsc::{
    self,
    error::{SendError, SendTimeoutError, TrySendError},
};

use super::{OwnedPermit, Permit, PermitIterator, WeakSender};
use crate::tokio::sync::is_never_forced;
use crate::tokio::time;
use crate::waits::{BlockedThread, ChannelEnd, Holding, LazyWaitFuture, Role, WaitInfo, WaitMode};
use crate::wrap::{delegate, end};

/// Describes a wait for slots. Slots are permits of a semaphore, so the wait is never forced.
#[cold]
fn sends(end: &ChannelEnd, units: usize, at: &'static Location<'static>) -> WaitInfo {
    WaitInfo::on(end.record(), WaitMode::Send, units as u64, at).forced_by(is_never_forced)
}

end! {
    /// tokio's `mpsc::Sender`, which also records its owner and its waits.
    pub struct Sender<T>(mpsc::Sender<T>), clone: Sends;
}

impl<T> Sender<T> {
    #[inline]
    pub(crate) fn wait_info(&self, units: usize, at: &'static Location<'static>) -> WaitInfo {
        sends(&self.end, units, at)
    }

    #[cfg(feature = "tokio-util")]
    pub(crate) fn end(&self) -> &ChannelEnd {
        &self.end
    }

    #[cfg(feature = "tokio-util")]
    pub(crate) fn original(&self) -> &mpsc::Sender<T> {
        &self.inner
    }

    /// Sends a message, waiting for a free slot if necessary.
    ///
    /// Not cancel safe: a future dropped early loses its message and its place in the queue.
    ///
    /// # Errors
    /// If the channel is closed. The error contains the message.
    #[track_caller]
    pub fn send(&self, value: T) -> impl Future<Output = Result<(), SendError<T>>> + use<'_, T> {
        let at = Location::caller();
        async move {
            self.end.used(at);
            let received = self.end.received::<T>();
            let sent = LazyWaitFuture::new(self.inner.send(value), || self.wait_info(1, at)).await;
            self.end.put_if_ok::<T, _>(received, sent)
        }
    }

    /// Waits until the receiver is closed or dropped. Cancel safe.
    #[track_caller]
    pub fn closed(&self) -> impl Future<Output = ()> + use<'_, T> {
        self.end.wait(self.inner.closed(), WaitMode::Closed, Location::caller())
    }

    /// Sends a message if a slot is free.
    ///
    /// # Errors
    /// If the channel is full or closed. The error contains the message.
    #[track_caller]
    pub fn try_send(&self, message: T) -> Result<(), TrySendError<T>> {
        self.end.used(Location::caller());
        let received = self.end.received::<T>();
        let sent = self.inner.try_send(message);
        self.end.put_if_ok::<T, _>(received, sent)
    }

    /// Sends a message, waiting up to `timeout`. Not cancel safe, as [`send`](Self::send).
    ///
    /// # Errors
    /// If the timeout elapses or the channel is closed. The error contains the message.
    ///
    /// # Panics
    /// If called outside of a runtime with timers.
    #[track_caller]
    pub fn send_timeout(
        &self,
        value: T,
        timeout: Duration,
    ) -> impl Future<Output = Result<(), SendTimeoutError<T>>> + use<'_, T> {
        let at = Location::caller();
        async move {
            self.end.used(at);
            // Reserves a slot and then sends, as tokio does. A wake of the timer must not count as
            // a grant of a slot.
            let reserve = LazyWaitFuture::new(self.inner.reserve(), || self.wait_info(1, at));
            let permit = match time::timeout(timeout, reserve).await {
                Err(_) => return Err(SendTimeoutError::Timeout(value)),
                Ok(Err(_)) => return Err(SendTimeoutError::Closed(value)),
                Ok(Ok(permit)) => permit,
            };
            let received = self.end.received::<T>();
            permit.send(value);
            self.end.put_after::<T>(received);
            Ok(())
        }
    }

    /// Sends a message, blocking the current thread until a slot is free.
    ///
    /// # Errors
    /// If the channel is closed. The error contains the message.
    ///
    /// # Panics
    /// If called within an async context.
    #[track_caller]
    pub fn blocking_send(&self, value: T) -> Result<(), SendError<T>> {
        let at = Location::caller();
        self.end.used(at);
        let received = self.end.received::<T>();
        let record = self.end.record().filter(|_| self.inner.capacity() == 0);
        let blocked = BlockedThread::begin(record, WaitMode::Send, 1, at);
        let sent = self.inner.blocking_send(value);
        drop(blocked);
        self.end.put_if_ok::<T, _>(received, sent)
    }

    /// Waits for a free slot, and reserves it.
    ///
    /// Cancel safe, but a cancelled call loses its place in the queue.
    ///
    /// # Errors
    /// If the channel is closed.
    #[track_caller]
    pub fn reserve(&self) -> impl Future<Output = Result<Permit<'_, T>, SendError<()>>> + use<'_, T> {
        let at = Location::caller();
        async move {
            self.end.used(at);
            let inner = LazyWaitFuture::new(self.inner.reserve(), || self.wait_info(1, at)).await?;
            Ok(Permit { inner, holding: Holding::reserve(self.end.record(), 1, at, false), end: &self.end })
        }
    }

    /// Waits for `n` free slots, and reserves them. Cancel safe, as [`reserve`](Self::reserve).
    ///
    /// # Errors
    /// If the channel is closed, or its maximum capacity is less than `n`.
    #[track_caller]
    pub fn reserve_many(
        &self,
        n: usize,
    ) -> impl Future<Output = Result<PermitIterator<'_, T>, SendError<()>>> + use<'_, T> {
        let at = Location::caller();
        async move {
            self.end.used(at);
            let inner = LazyWaitFuture::new(self.inner.reserve_many(n), || self.wait_info(n, at)).await?;
            let holding = Holding::reserve(self.end.record(), n as u64, at, false);
            Ok(PermitIterator { inner, holding, end: &self.end })
        }
    }

    /// Waits for a free slot, and reserves it for the returned permit, which owns the sender.
    /// Dropping the future drops the sender.
    ///
    /// # Errors
    /// If the channel is closed.
    #[track_caller]
    pub fn reserve_owned(self) -> impl Future<Output = Result<OwnedPermit<T>, SendError<()>>> + use<T> {
        let at = Location::caller();
        async move {
            let Self { inner, end } = self;
            end.used(at);
            let info = || sends(&end, 1, at);
            let inner = LazyWaitFuture::new(inner.reserve_owned(), info).await?;
            Ok(OwnedPermit { inner, holding: Holding::reserve(end.record(), 1, at, true), end })
        }
    }

    /// Reserves a slot if one is free.
    ///
    /// # Errors
    /// If the channel is full or closed.
    #[track_caller]
    pub fn try_reserve(&self) -> Result<Permit<'_, T>, TrySendError<()>> {
        let at = Location::caller();
        self.end.used(at);
        let inner = self.inner.try_reserve()?;
        Ok(Permit { inner, holding: Holding::reserve(self.end.record(), 1, at, false), end: &self.end })
    }

    /// Reserves `n` slots if they are free.
    ///
    /// # Errors
    /// If fewer are free, or the channel is closed.
    #[track_caller]
    pub fn try_reserve_many(&self, n: usize) -> Result<PermitIterator<'_, T>, TrySendError<()>> {
        let at = Location::caller();
        self.end.used(at);
        let inner = self.inner.try_reserve_many(n)?;
        let holding = Holding::reserve(self.end.record(), n as u64, at, false);
        Ok(PermitIterator { inner, holding, end: &self.end })
    }

    /// Reserves a slot if one is free. The returned permit owns the sender.
    ///
    /// # Errors
    /// If the channel is full or closed. The error contains the sender.
    #[track_caller]
    pub fn try_reserve_owned(self) -> Result<OwnedPermit<T>, TrySendError<Self>> {
        let at = Location::caller();
        let Self { inner, end } = self;
        end.used(at);
        match inner.try_reserve_owned() {
            Ok(inner) => Ok(OwnedPermit { inner, holding: Holding::reserve(end.record(), 1, at, true), end }),
            Err(TrySendError::Full(inner)) => Err(TrySendError::Full(Self { inner, end })),
            Err(TrySendError::Closed(inner)) => Err(TrySendError::Closed(Self { inner, end })),
        }
    }

    /// Creates a sender that does not keep the channel open.
    #[must_use = "Downgrade creates a WeakSender without destroying the original non-weak sender."]
    #[track_caller]
    pub fn downgrade(&self) -> WeakSender<T> {
        WeakSender::of(self.inner.downgrade(), self.end.another(Role::Uses, Location::caller()))
    }

    delegate! { inner:
        /// Returns whether the receiver is closed or dropped.
        pub fn is_closed(&self) -> bool;
        /// Returns whether both belong to the same channel.
        pub fn same_channel(&self, other: &Self) -> bool;
        /// Returns the number of free slots.
        pub fn capacity(&self) -> usize;
        /// Returns the maximum number of messages in the channel.
        pub fn max_capacity(&self) -> usize;
        /// Returns the number of senders.
        pub fn strong_count(&self) -> usize;
        /// Returns the number of weak senders.
        pub fn weak_count(&self) -> usize;
    }
}
