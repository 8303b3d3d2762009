//! The functions that make a channel.

use std::panic::Location;

use super::{Receiver, Sender};
use crate::waits::{ChannelEnd, ResourceKind, ResourceType, UNBOUNDED};

/// A sender that waits has put its message into the queue already: places go to them in order.
static WHAT: ResourceType = ResourceType::fair(ResourceKind::Mpmc, "flume");

/// Creates a channel with this capacity. With capacity 0, each message is handed over. It is known
/// with the place of this call, from now on.
#[track_caller]
pub fn bounded<T>(cap: usize) -> (Sender<T>, Receiver<T>) {
    around(::flume::bounded(cap), cap as u64, Location::caller())
}

/// A channel without a bound. It is known with the place of this call, from now on.
#[track_caller]
pub fn unbounded<T>() -> (Sender<T>, Receiver<T>) {
    around(::flume::unbounded(), UNBOUNDED, Location::caller())
}

fn around<T>(
    (sender, receiver): (::flume::Sender<T>, ::flume::Receiver<T>),
    capacity: u64,
    at: &'static Location<'static>,
) -> (Sender<T>, Receiver<T>) {
    let (sends, receives) = ChannelEnd::pair(&WHAT, capacity, at, None);
    (Sender::of(sender, sends, at), Receiver::of(receiver, receives, at))
}
