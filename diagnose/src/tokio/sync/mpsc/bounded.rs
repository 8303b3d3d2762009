//! Bounded channels, and the methods that only their receivers have.

use std::panic::Location;

use super::Sender;
use super::receiver::receiver;
use crate::tokio::sync::is_forced;
use crate::waits::{ChannelEnd, ResourceKind, ResourceType, SoleEnd};
use crate::wrap::delegate;

/// A freed slot goes to the sender that has waited longest, so its wake is the grant.
static BOUNDED: ResourceType = ResourceType::fair(ResourceKind::Mpsc, "tokio").forced_by(is_forced);

receiver! {
    /// tokio's `mpsc::Receiver`, which also records its owner and its waits.
    Receiver of Sender
}

/// Creates a bounded channel for up to `buffer` messages.
///
/// # Panics
/// If `buffer` is zero, or more than a semaphore's maximum number of permits.
#[track_caller]
pub fn channel<T>(buffer: usize) -> (Sender<T>, Receiver<T>) {
    let at = Location::caller();
    let (sender, receiver) = ::tokio::sync::mpsc::channel(buffer);
    let (sends, receives) = ChannelEnd::pair(&BOUNDED, buffer as u64, at, None);
    (Sender::of(sender, sends), Receiver::new(receiver, SoleEnd::new(receives)))
}

impl<T> Receiver<T> {
    delegate! { inner:
        /// Returns the number of free slots.
        pub fn capacity(&self) -> usize;
        /// Returns the maximum number of messages in the channel.
        pub fn max_capacity(&self) -> usize;
    }
}
