//! The functions that create a channel.

use std::panic::Location;

use super::{Receiver, Sender};
use crate::waits::{ChannelEnd, ResourceKind, ResourceType, UNBOUNDED};

/// Unfair: a free slot, or a message, goes to the first task that tries.
static TYPE: ResourceType = ResourceType::new(ResourceKind::Mpmc, "async-channel");

/// Creates a bounded channel. Its record starts with this call.
///
/// # Panics
/// If `cap` is zero.
#[track_caller]
pub fn bounded<T>(cap: usize) -> (Sender<T>, Receiver<T>) {
    let at = Location::caller();
    around(::async_channel::bounded(cap), cap as u64, at)
}

/// Creates an unbounded channel. Its record starts with this call.
#[track_caller]
pub fn unbounded<T>() -> (Sender<T>, Receiver<T>) {
    around(::async_channel::unbounded(), UNBOUNDED, Location::caller())
}

fn around<T>(
    (sender, receiver): (::async_channel::Sender<T>, ::async_channel::Receiver<T>),
    capacity: u64,
    at: &'static Location<'static>,
) -> (Sender<T>, Receiver<T>) {
    let (sends, receives) = ChannelEnd::pair(&TYPE, capacity, at, None);
    (Sender::of(sender, sends), Receiver::of(receiver, receives, at))
}
