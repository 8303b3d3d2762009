//! The functions that create a channel.

use std::panic::Location;

use super::{Receiver, Sender};
use crate::waits::{ChannelEnd, ResourceKind, ResourceType, UNBOUNDED};

/// Fair: a waiting sender has queued its message, and free slots go to the queue in order.
static TYPE: ResourceType = ResourceType::fair(ResourceKind::Mpmc, "flume");

/// Creates a bounded channel, recorded from this call on. With capacity 0, sends wait for receives.
#[track_caller]
pub fn bounded<T>(cap: usize) -> (Sender<T>, Receiver<T>) {
    around(::flume::bounded(cap), cap as u64, Location::caller())
}

/// Creates an unbounded channel. Its record starts with this call.
#[track_caller]
pub fn unbounded<T>() -> (Sender<T>, Receiver<T>) {
    around(::flume::unbounded(), UNBOUNDED, Location::caller())
}

fn around<T>(
    (sender, receiver): (::flume::Sender<T>, ::flume::Receiver<T>),
    capacity: u64,
    at: &'static Location<'static>,
) -> (Sender<T>, Receiver<T>) {
    let (sends, receives) = ChannelEnd::pair(&TYPE, capacity, at, None);
    (Sender::of(sender, sends, at), Receiver::of(receiver, receives, at))
}
