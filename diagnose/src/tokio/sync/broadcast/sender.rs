//! Senders of broadcast channels.

use std::future::Future;
use std::panic::Location;

use ::tokio::sync::broadcast::{self, error::SendError};

use super::Receiver;
use crate::tokio::sync::is_forced;
use crate::waits::{ChannelEnd, ResourceKind, ResourceType, Role, WaitMode};
use crate::wrap::{delegate, end};

static TYPE: ResourceType = ResourceType::new(ResourceKind::Broadcast, "tokio").forced_by(is_forced);

/// Creates a channel that keeps up to `capacity` messages for its receivers. Rounds `capacity` up
/// to a power of two.
///
/// # Panics
/// If `capacity` is zero, or more than half of `usize::MAX`.
#[track_caller]
pub fn channel<T: Clone>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    let at = Location::caller();
    let (sender, receiver) = broadcast::channel(capacity);
    let (sends, receives) = ChannelEnd::pair(&TYPE, buffer_size(capacity), at, None);
    (Sender::of(sender, sends), Receiver::of(receiver, receives))
}

/// Returns the number of messages that tokio keeps.
fn buffer_size(capacity: usize) -> u64 {
    capacity.next_power_of_two() as u64
}

end! {
    /// tokio's `broadcast::Sender`, which also records its owner.
    pub struct Sender<T>(broadcast::Sender<T>), clone: Sends;
}

impl<T> Sender<T> {
    /// Creates a channel without receivers.
    ///
    /// # Panics
    /// If `capacity` is zero, or more than half of `usize::MAX`.
    #[track_caller]
    pub fn new(capacity: usize) -> Self {
        let inner = broadcast::Sender::new(capacity);
        Self { inner, end: ChannelEnd::sending(&TYPE, buffer_size(capacity), Location::caller(), None) }
    }

    /// Sends a message to all current receivers. Returns their number.
    ///
    /// # Errors
    /// If there is no receiver. The error contains the message.
    #[track_caller]
    pub fn send(&self, value: T) -> Result<usize, SendError<T>> {
        self.end.used(Location::caller());
        let sent = self.inner.send(value);
        if sent.is_ok() {
            self.end.put_over::<T>();
        }
        sent
    }

    /// Creates a receiver of the messages that are sent after this call.
    #[track_caller]
    pub fn subscribe(&self) -> Receiver<T> {
        Receiver::of(self.inner.subscribe(), self.end.subscribed(Location::caller()))
    }

    /// Creates a sender that does not keep the channel open.
    #[must_use = "Downgrade creates a WeakSender without destroying the original non-weak sender."]
    #[track_caller]
    pub fn downgrade(&self) -> WeakSender<T> {
        WeakSender::of(self.inner.downgrade(), self.end.another(Role::Uses, Location::caller()))
    }

    /// Waits until all receivers are dropped. Cancel safe.
    #[track_caller]
    pub fn closed(&self) -> impl Future<Output = ()> + use<'_, T> {
        self.end.wait(self.inner.closed(), WaitMode::Closed, Location::caller())
    }

    delegate! { inner:
        /// Returns the number of messages that at least one receiver has not received.
        pub fn len(&self) -> usize;
        /// Returns whether all receivers have received all messages.
        pub fn is_empty(&self) -> bool;
        /// Returns the number of receivers.
        pub fn receiver_count(&self) -> usize;
        /// Returns whether both belong to the same channel.
        pub fn same_channel(&self, other: &Self) -> bool;
        /// Returns the number of senders.
        pub fn strong_count(&self) -> usize;
        /// Returns the number of weak senders.
        pub fn weak_count(&self) -> usize;
    }
}

end! {
    /// tokio's `WeakSender`. It can become a sender again, so it counts as an end of the channel.
    pub struct WeakSender<T>(broadcast::WeakSender<T>), clone: Uses;
}

impl<T> WeakSender<T> {
    /// Upgrades to a sender. Returns `None` if all senders are dropped.
    #[track_caller]
    #[must_use]
    pub fn upgrade(&self) -> Option<Sender<T>> {
        let inner = self.inner.upgrade()?;
        Some(Sender::of(inner, self.end.another(Role::Sends, Location::caller())))
    }

    delegate! { inner:
        /// Returns the number of senders.
        pub fn strong_count(&self) -> usize;
        /// Returns the number of weak senders.
        pub fn weak_count(&self) -> usize;
    }
}
