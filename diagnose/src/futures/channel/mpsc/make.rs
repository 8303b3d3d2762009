//! The functions that create a channel.

use std::panic::Location;

use ::futures::channel::mpsc;

use super::{Receiver, Sender, UnboundedReceiver, UnboundedSender};
use crate::waits::{ChannelEnd, ResourceKind, ResourceType, UNBOUNDED};

/// Fair: each message taken out wakes the sender that has waited longest.
static TYPE: ResourceType = ResourceType::fair(ResourceKind::Mpsc, "futures");

/// Creates a channel that buffers `buffer` messages, plus one per sender. Its record starts now.
///
/// # Panics
/// If `buffer` exceeds the maximum of the original.
#[track_caller]
pub fn channel<T>(buffer: usize) -> (Sender<T>, Receiver<T>) {
    let at = Location::caller();
    let (sender, receiver) = mpsc::channel(buffer);
    let (sends, receives) = ChannelEnd::pair(&TYPE, buffer as u64, at, None);
    (Sender::of(sender, sends, at), Receiver::new(receiver, receives, at))
}

/// Creates an unbounded channel. Its record starts with this call.
#[track_caller]
pub fn unbounded<T>() -> (UnboundedSender<T>, UnboundedReceiver<T>) {
    let at = Location::caller();
    let (sender, receiver) = mpsc::unbounded();
    let (sends, receives) = ChannelEnd::pair(&TYPE, UNBOUNDED, at, None);
    (UnboundedSender::of(sender, sends), UnboundedReceiver::new(receiver, receives, at))
}
