//! The functions that make a channel.

use std::panic::Location;

use super::{Receiver, Sender};
use crate::waits::{ChannelEnd, ResourceKind, ResourceType, UNBOUNDED};

/// A slot that becomes free, or a message, goes to the first task to try.
static WHAT: ResourceType = ResourceType::new(ResourceKind::Mpmc, "async-channel");

/// Creates a channel with this capacity. It is known with the place of this call, from now on.
///
/// # Panics
/// If `cap` is zero.
#[track_caller]
pub fn bounded<T>(cap: usize) -> (Sender<T>, Receiver<T>) {
    let at = Location::caller();
    around(::async_channel::bounded(cap), cap as u64, at)
}

/// A channel without a bound. It is known with the place of this call, from now on.
#[track_caller]
pub fn unbounded<T>() -> (Sender<T>, Receiver<T>) {
    around(::async_channel::unbounded(), UNBOUNDED, Location::caller())
}

fn around<T>(
    (sender, receiver): (::async_channel::Sender<T>, ::async_channel::Receiver<T>),
    capacity: u64,
    at: &'static Location<'static>,
) -> (Sender<T>, Receiver<T>) {
    let (sends, receives) = ChannelEnd::pair(&WHAT, capacity, at, None);
    (Sender::of(sender, sends), Receiver::of(receiver, receives, at))
}
