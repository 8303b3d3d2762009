//! The senders of bounded channels.

use std::fmt;
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

/// Somebody waits for so many places: they are units of a semaphore.
#[cold]
fn sends(end: &ChannelEnd, units: usize, at: &'static Location<'static>) -> WaitInfo {
    WaitInfo::on(end.record(), WaitMode::Send, units as u64, at).forced_by(is_never_forced)
}

/// tokio's `Sender` of a bounded channel; who has it and whether it waits is on record.
// The sender stands first: it is gone before the records say so.
pub struct Sender<T> {
    pub(super) inner: mpsc::Sender<T>,
    pub(super) end: ChannelEnd,
}

impl<T> Sender<T> {
    #[inline]
    pub(super) fn new(inner: mpsc::Sender<T>, end: ChannelEnd) -> Self {
        Self { inner, end }
    }

    #[inline]
    pub(crate) fn leaf(&self, units: usize, at: &'static Location<'static>) -> WaitInfo {
        sends(&self.end, units, at)
    }

    /// Who has it.
    #[cfg(feature = "tokio-util")]
    pub(crate) fn end(&self) -> &ChannelEnd {
        &self.end
    }

    /// tokio's own.
    #[cfg(feature = "tokio-util")]
    pub(crate) fn original(&self) -> &mpsc::Sender<T> {
        &self.inner
    }

    /// Sends a message, after waiting for a place for it.
    ///
    /// Not cancel safe: if the future is dropped before it is ready, the message is lost, and the place in the queue.
    ///
    /// # Errors
    /// If the channel is closed; the message comes back.
    #[track_caller]
    pub fn send(&self, value: T) -> impl Future<Output = Result<(), SendError<T>>> + use<'_, T> {
        let at = Location::caller();
        async move {
            self.end.used(at);
            let sent = LazyWaitFuture::new(self.inner.send(value), || self.leaf(1, at)).await;
            if sent.is_ok() {
                self.end.put::<T>();
            }
            sent
        }
    }

    /// Waits until the receiver is closed or dropped. Cancel safe.
    #[track_caller]
    pub fn closed(&self) -> impl Future<Output = ()> + use<'_, T> {
        let at = Location::caller();
        async move {
            self.end.used(at);
            LazyWaitFuture::new(self.inner.closed(), || {
                WaitInfo::on(self.end.record(), WaitMode::Closed, 1, at)
            })
            .await;
        }
    }

    /// Sends a message if there is a place for it.
    ///
    /// # Errors
    /// If the channel is full or closed; the message comes back.
    #[track_caller]
    pub fn try_send(&self, message: T) -> Result<(), TrySendError<T>> {
        self.end.used(Location::caller());
        let sent = self.inner.try_send(message);
        if sent.is_ok() {
            self.end.put::<T>();
        }
        sent
    }

    /// Sends a message, after waiting for a place for it, for so long at most. Not cancel safe, as [`send`](Self::send).
    ///
    /// # Errors
    /// If the time is over or the channel is closed; the message comes back.
    ///
    /// # Panics
    /// Outside of a runtime with timers.
    #[track_caller]
    pub fn send_timeout(
        &self,
        value: T,
        timeout: Duration,
    ) -> impl Future<Output = Result<(), SendTimeoutError<T>>> + use<'_, T> {
        let at = Location::caller();
        async move {
            self.end.used(at);
            // As tokio has it: a wake of the timer must not be taken for a grant.
            let reserve = LazyWaitFuture::new(self.inner.reserve(), || self.leaf(1, at));
            let permit = match time::timeout(timeout, reserve).await {
                Err(_) => return Err(SendTimeoutError::Timeout(value)),
                Ok(Err(_)) => return Err(SendTimeoutError::Closed(value)),
                Ok(Ok(permit)) => permit,
            };
            permit.send(value);
            self.end.put::<T>();
            Ok(())
        }
    }

    /// Sends a message, after blocking the thread until there is a place for it.
    ///
    /// # Errors
    /// If the channel is closed; the message comes back.
    ///
    /// # Panics
    /// In asynchronous code.
    #[track_caller]
    pub fn blocking_send(&self, value: T) -> Result<(), SendError<T>> {
        let at = Location::caller();
        self.end.used(at);
        let blocked = BlockedThread::begin(self.end.record(), WaitMode::Send, 1, at);
        let sent = self.inner.blocking_send(value);
        drop(blocked);
        if sent.is_ok() {
            self.end.put::<T>();
        }
        sent
    }

    /// Whether the receiver is closed or dropped.
    pub fn is_closed(&self) -> bool {
        self.inner.is_closed()
    }

    /// Waits for a place, which nobody else gets then.
    ///
    /// Cancel safe, but the place in the queue is lost if the future is dropped.
    ///
    /// # Errors
    /// If the channel is closed.
    #[track_caller]
    pub fn reserve(&self) -> impl Future<Output = Result<Permit<'_, T>, SendError<()>>> + use<'_, T> {
        let at = Location::caller();
        async move {
            self.end.used(at);
            let inner = LazyWaitFuture::new(self.inner.reserve(), || self.leaf(1, at)).await?;
            Ok(Permit { inner, holding: Holding::reserve(self.end.record(), 1, at, false), end: &self.end })
        }
    }

    /// Waits for so many places. Cancel safe, as [`reserve`](Self::reserve).
    ///
    /// # Errors
    /// If the channel is closed, or has never so many.
    #[track_caller]
    pub fn reserve_many(
        &self,
        n: usize,
    ) -> impl Future<Output = Result<PermitIterator<'_, T>, SendError<()>>> + use<'_, T> {
        let at = Location::caller();
        async move {
            self.end.used(at);
            let inner = LazyWaitFuture::new(self.inner.reserve_many(n), || self.leaf(n, at)).await?;
            let holding = Holding::reserve(self.end.record(), n as u64, at, false);
            Ok(PermitIterator { inner, holding, end: &self.end })
        }
    }

    /// Waits for a place, and takes the sender along. If the future is dropped, so is the sender.
    ///
    /// # Errors
    /// If the channel is closed.
    #[track_caller]
    pub fn reserve_owned(self) -> impl Future<Output = Result<OwnedPermit<T>, SendError<()>>> + use<T> {
        let at = Location::caller();
        async move {
            let Self { inner, end } = self;
            end.used(at);
            let leaf = || sends(&end, 1, at);
            let inner = LazyWaitFuture::new(inner.reserve_owned(), leaf).await?;
            Ok(OwnedPermit { inner, holding: Holding::reserve(end.record(), 1, at, true), end })
        }
    }

    /// Takes a place if there is one.
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

    /// Takes so many places if there are as many.
    ///
    /// # Errors
    /// If there are not, or the channel is closed.
    #[track_caller]
    pub fn try_reserve_many(&self, n: usize) -> Result<PermitIterator<'_, T>, TrySendError<()>> {
        let at = Location::caller();
        self.end.used(at);
        let inner = self.inner.try_reserve_many(n)?;
        let holding = Holding::reserve(self.end.record(), n as u64, at, false);
        Ok(PermitIterator { inner, holding, end: &self.end })
    }

    /// Takes a place if there is one, and the sender along.
    ///
    /// # Errors
    /// If the channel is full or closed; the sender comes back.
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

    /// Whether both send to the same channel.
    pub fn same_channel(&self, other: &Self) -> bool {
        self.inner.same_channel(&other.inner)
    }

    /// How many messages can be sent now without waiting.
    pub fn capacity(&self) -> usize {
        self.inner.capacity()
    }

    /// A sender that does not keep the channel open.
    #[must_use = "Downgrade creates a WeakSender without destroying the original non-weak sender."]
    #[track_caller]
    pub fn downgrade(&self) -> WeakSender<T> {
        WeakSender::new(self.inner.downgrade(), self.end.another(Role::Uses, Location::caller()))
    }

    /// How many messages the channel holds at most.
    pub fn max_capacity(&self) -> usize {
        self.inner.max_capacity()
    }

    /// How many senders there are.
    pub fn strong_count(&self) -> usize {
        self.inner.strong_count()
    }

    /// How many weak senders there are.
    pub fn weak_count(&self) -> usize {
        self.inner.weak_count()
    }

    /// tokio's own sender. From then on nobody knows who has it.
    pub fn into_inner(self) -> mpsc::Sender<T> {
        self.end.lose();
        self.inner
    }
}

impl<T> Clone for Sender<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone(), end: self.end.another(Role::Sends, Location::caller()) }
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(formatter)
    }
}

impl<T> From<mpsc::Sender<T>> for Sender<T> {
    fn from(inner: mpsc::Sender<T>) -> Self {
        Self { inner, end: ChannelEnd::none() }
    }
}

impl<T> From<Sender<T>> for mpsc::Sender<T> {
    fn from(sender: Sender<T>) -> Self {
        sender.into_inner()
    }
}
