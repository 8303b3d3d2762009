//! The receivers of messages that everybody gets.

use std::fmt;
use std::future::Future;
use std::panic::Location;

use ::tokio::sync::broadcast::{
    self,
    error::{RecvError, TryRecvError},
};

use crate::waits::{BlockedThread, ChannelEnd, LazyWaitFuture, Role, WaitInfo, WaitMode};

/// tokio's `Receiver` of messages that everybody gets; who has it and whether it waits is on record.
// The receiver stands first: it is gone before the records say so.
pub struct Receiver<T> {
    inner: broadcast::Receiver<T>,
    end: ChannelEnd,
}

impl<T> Receiver<T> {
    #[inline]
    pub(super) fn new(inner: broadcast::Receiver<T>, end: ChannelEnd) -> Self {
        Self { inner, end }
    }

    /// How many messages there are that it has not received, those included that are lost by now.
    pub fn len(&self) -> usize {
        self.inner.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.inner.is_empty()
    }

    /// Whether both receive from the same channel.
    pub fn same_channel(&self, other: &Self) -> bool {
        self.inner.same_channel(&other.inner)
    }

    /// How many senders there are.
    pub fn sender_strong_count(&self) -> usize {
        self.inner.sender_strong_count()
    }

    /// How many weak senders there are.
    pub fn sender_weak_count(&self) -> usize {
        self.inner.sender_weak_count()
    }

    /// Whether no sender is left.
    pub fn is_closed(&self) -> bool {
        self.inner.is_closed()
    }

    /// tokio's own receiver. From then on nobody knows who has it.
    pub fn into_inner(self) -> broadcast::Receiver<T> {
        self.end.lose();
        self.inner
    }
}

impl<T: Clone> Receiver<T> {
    /// Another receiver, of messages that are sent from now on.
    #[track_caller]
    pub fn resubscribe(&self) -> Self {
        Self::new(self.inner.resubscribe(), self.end.another(Role::Receives, Location::caller()))
    }

    /// Waits for the next message.
    ///
    /// Cancel safe: if the future is dropped, no message is lost.
    ///
    /// # Errors
    /// If messages were lost, because more were sent than the channel holds; if no sender is left and there is no message.
    #[track_caller]
    pub fn recv(&mut self) -> impl Future<Output = Result<T, RecvError>> + use<'_, T> {
        let at = Location::caller();
        async move {
            self.end.used(at);
            let Self { inner, end } = self;
            let leaf = || WaitInfo::on(end.record(), WaitMode::Receive, 1, at);
            LazyWaitFuture::new(inner.recv(), leaf).await
        }
    }

    /// Takes the next message if there is one.
    ///
    /// # Errors
    /// If there is none; and as [`recv`](Self::recv).
    #[track_caller]
    pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
        self.end.used(Location::caller());
        self.inner.try_recv()
    }

    /// Blocks the thread until there is a message.
    ///
    /// # Errors
    /// As [`recv`](Self::recv).
    ///
    /// # Panics
    /// In asynchronous code.
    #[track_caller]
    pub fn blocking_recv(&mut self) -> Result<T, RecvError> {
        let at = Location::caller();
        self.end.used(at);
        let _blocked = BlockedThread::begin(self.end.record(), WaitMode::Receive, 1, at);
        self.inner.blocking_recv()
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(formatter)
    }
}

impl<T> From<broadcast::Receiver<T>> for Receiver<T> {
    fn from(inner: broadcast::Receiver<T>) -> Self {
        Self { inner, end: ChannelEnd::none() }
    }
}

impl<T> From<Receiver<T>> for broadcast::Receiver<T> {
    fn from(receiver: Receiver<T>) -> Self {
        receiver.into_inner()
    }
}
