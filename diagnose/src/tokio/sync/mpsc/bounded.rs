//! Bounded channels, and what only their receivers have.

use std::panic::Location;

use super::Sender;
use super::receiver::receiver;
use crate::tokio::sync::is_forced;
use crate::waits::{ChannelEnd, ResourceKind, ResourceType, SoleEnd};
use crate::wrap::delegate;

/// A place that becomes free goes to the sender that has waited longest, whose wake says so.
static BOUNDED: ResourceType = ResourceType::fair(ResourceKind::Mpsc, "tokio").forced_by(is_forced);

receiver! {
    /// tokio's `Receiver` of a bounded channel; who has it and whether it waits is on record.
    Receiver of Sender
}

/// Creates a channel with this capacity.
///
/// # Panics
/// If `buffer` is zero, or more than a semaphore can have.
#[track_caller]
pub fn channel<T>(buffer: usize) -> (Sender<T>, Receiver<T>) {
    let at = Location::caller();
    let (sender, receiver) = ::tokio::sync::mpsc::channel(buffer);
    let (sends, receives) = ChannelEnd::pair(&BOUNDED, buffer as u64, at, None);
    (Sender::of(sender, sends), Receiver::new(receiver, SoleEnd::new(receives)))
}

impl<T> Receiver<T> {
    delegate! { inner:
        /// How many messages can be sent now without waiting.
        pub fn capacity(&self) -> usize;
        /// How many messages it holds at most.
        pub fn max_capacity(&self) -> usize;
    }
}
