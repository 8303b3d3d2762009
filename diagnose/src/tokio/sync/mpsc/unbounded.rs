//! Unbounded channels.

use std::future::Future;
use std::panic::Location;

use ::tokio::sync::mpsc::{self, error::SendError};

use super::WeakUnboundedSender;
use super::receiver::receiver;
use crate::tokio::sync::is_forced;
use crate::waits::{ChannelEnd, ResourceKind, ResourceType, Role, SoleEnd, UNBOUNDED, WaitMode};
use crate::wrap::{delegate, end};

/// Sending never waits.
static TYPE: ResourceType = ResourceType::fair(ResourceKind::Mpsc, "tokio").forced_by(is_forced);

/// Creates a channel without a bound: sending never waits.
#[track_caller]
pub fn unbounded_channel<T>() -> (UnboundedSender<T>, UnboundedReceiver<T>) {
    let at = Location::caller();
    let (sender, receiver) = mpsc::unbounded_channel();
    let (sends, receives) = ChannelEnd::pair(&TYPE, UNBOUNDED, at, None);
    (UnboundedSender::of(sender, sends), UnboundedReceiver::new(receiver, SoleEnd::new(receives)))
}

receiver! {
    /// tokio's `UnboundedReceiver`, which also records its owner and its waits.
    UnboundedReceiver of UnboundedSender
}

end! {
    /// tokio's `UnboundedSender`, which also records its owner.
    pub struct UnboundedSender<T>(mpsc::UnboundedSender<T>), clone: Sends;
}

impl<T> UnboundedSender<T> {
    /// Sends a message, without waiting.
    ///
    /// # Errors
    /// If the channel is closed. The error contains the message.
    #[track_caller]
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        self.end.used(Location::caller());
        let received = self.end.received::<T>();
        let sent = self.inner.send(message);
        self.end.put_if_ok::<T, _>(received, sent)
    }

    /// Waits until the receiver is closed or dropped. Cancel safe.
    #[track_caller]
    pub fn closed(&self) -> impl Future<Output = ()> + use<'_, T> {
        self.end.wait(self.inner.closed(), WaitMode::Closed, Location::caller())
    }

    /// Creates a sender that does not keep the channel open.
    #[must_use = "Downgrade creates a WeakSender without destroying the original non-weak sender."]
    #[track_caller]
    pub fn downgrade(&self) -> WeakUnboundedSender<T> {
        WeakUnboundedSender::of(self.inner.downgrade(), self.end.another(Role::Uses, Location::caller()))
    }

    delegate! { inner:
        /// Returns whether the receiver is closed or dropped.
        pub fn is_closed(&self) -> bool;
        /// Returns whether both belong to the same channel.
        pub fn same_channel(&self, other: &Self) -> bool;
        /// Returns the number of senders.
        pub fn strong_count(&self) -> usize;
        /// Returns the number of weak senders.
        pub fn weak_count(&self) -> usize;
    }
}
