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
static WHAT: ResourceType = ResourceType::fair(ResourceKind::Mpsc, "tokio").forced_by(is_forced);

/// A channel that holds as many messages as there is memory for.
#[track_caller]
pub fn unbounded_channel<T>() -> (UnboundedSender<T>, UnboundedReceiver<T>) {
    let at = Location::caller();
    let (sender, receiver) = mpsc::unbounded_channel();
    let (sends, receives) = ChannelEnd::pair(&WHAT, UNBOUNDED, at, None);
    (UnboundedSender::of(sender, sends), UnboundedReceiver::new(receiver, SoleEnd::new(receives)))
}

receiver! {
    /// tokio's `UnboundedReceiver`; who has it and whether it waits is on record.
    UnboundedReceiver of UnboundedSender
}

end! {
    /// tokio's `UnboundedSender`; who has it is on record.
    pub struct UnboundedSender<T>(mpsc::UnboundedSender<T>), clone: Sends;
}

impl<T> UnboundedSender<T> {
    /// Sends a message.
    ///
    /// # Errors
    /// If the channel is closed; the message comes back.
    #[track_caller]
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        self.end.used(Location::caller());
        let sent = self.inner.send(message);
        self.end.put_if_ok::<T, _>(sent)
    }

    /// Waits until the receiver is closed or dropped. Cancel safe.
    #[track_caller]
    pub fn closed(&self) -> impl Future<Output = ()> + use<'_, T> {
        self.end.wait(self.inner.closed(), WaitMode::Closed, Location::caller())
    }

    /// A sender that does not keep the channel open.
    #[must_use = "Downgrade creates a WeakSender without destroying the original non-weak sender."]
    #[track_caller]
    pub fn downgrade(&self) -> WeakUnboundedSender<T> {
        WeakUnboundedSender::of(self.inner.downgrade(), self.end.another(Role::Uses, Location::caller()))
    }

    delegate! { inner:
        /// Whether the receiver is closed or dropped.
        pub fn is_closed(&self) -> bool;
        /// Whether both send to the same channel.
        pub fn same_channel(&self, other: &Self) -> bool;
        /// How many senders there are.
        pub fn strong_count(&self) -> usize;
        /// How many weak senders there are.
        pub fn weak_count(&self) -> usize;
    }
}
