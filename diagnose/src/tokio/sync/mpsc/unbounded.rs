//! Unbounded channels.

use std::fmt;
use std::future::Future;
use std::panic::Location;

use ::tokio::sync::mpsc::{self, error::SendError};

use super::WeakUnboundedSender;
use super::receiver::receiver;
use crate::tokio::sync::is_forced;
use crate::waits::{
    ChannelEnd, LazyWaitFuture, ResourceKind, ResourceType, Role, SoleEnd, UNBOUNDED, WaitInfo, WaitMode,
};

/// Nobody waits to send.
static WHAT: ResourceType =
    ResourceType { kind: ResourceKind::Mpsc, library: "tokio", is_fair: true, is_forced };

/// A channel that holds as many messages as there is memory for.
#[track_caller]
pub fn unbounded_channel<T>() -> (UnboundedSender<T>, UnboundedReceiver<T>) {
    let at = Location::caller();
    let (sender, receiver) = mpsc::unbounded_channel();
    let (sends, receives) = ChannelEnd::pair(&WHAT, UNBOUNDED, at, None);
    (UnboundedSender::new(sender, sends), UnboundedReceiver::new(receiver, SoleEnd::new(receives)))
}

receiver! {
    /// tokio's `UnboundedReceiver`; who has it and whether it waits is on record.
    UnboundedReceiver of UnboundedSender
}

/// tokio's `UnboundedSender`; who has it is on record.
// The sender stands first: it is gone before the records say so.
pub struct UnboundedSender<T> {
    inner: mpsc::UnboundedSender<T>,
    end: ChannelEnd,
}

impl<T> UnboundedSender<T> {
    #[inline]
    pub(super) fn new(inner: mpsc::UnboundedSender<T>, end: ChannelEnd) -> Self {
        Self { inner, end }
    }

    /// Sends a message.
    ///
    /// # Errors
    /// If the channel is closed; the message comes back.
    #[track_caller]
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        self.end.used(Location::caller());
        let sent = self.inner.send(message);
        if sent.is_ok() {
            self.end.put::<T>();
        }
        sent
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

    /// Whether the receiver is closed or dropped.
    pub fn is_closed(&self) -> bool {
        self.inner.is_closed()
    }

    /// Whether both send to the same channel.
    pub fn same_channel(&self, other: &Self) -> bool {
        self.inner.same_channel(&other.inner)
    }

    /// A sender that does not keep the channel open.
    #[must_use = "Downgrade creates a WeakSender without destroying the original non-weak sender."]
    #[track_caller]
    pub fn downgrade(&self) -> WeakUnboundedSender<T> {
        WeakUnboundedSender::new(self.inner.downgrade(), self.end.another(Role::Uses, Location::caller()))
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
    pub fn into_inner(self) -> mpsc::UnboundedSender<T> {
        self.end.lose();
        self.inner
    }
}

impl<T> Clone for UnboundedSender<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone(), end: self.end.another(Role::Sends, Location::caller()) }
    }
}

impl<T> fmt::Debug for UnboundedSender<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(formatter)
    }
}

impl<T> From<mpsc::UnboundedSender<T>> for UnboundedSender<T> {
    fn from(inner: mpsc::UnboundedSender<T>) -> Self {
        Self { inner, end: ChannelEnd::none() }
    }
}

impl<T> From<UnboundedSender<T>> for mpsc::UnboundedSender<T> {
    fn from(sender: UnboundedSender<T>) -> Self {
        sender.into_inner()
    }
}
