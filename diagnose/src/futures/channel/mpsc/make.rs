//! The functions that make a channel.

use std::panic::Location;

use ::futures::channel::mpsc;

use super::{Receiver, Sender, UnboundedReceiver, UnboundedSender};
use crate::waits::{ChannelEnd, ResourceKind, ResourceType, UNBOUNDED};

/// Senders that wait are told in order, one for each message that is taken out.
static WHAT: ResourceType = ResourceType::fair(ResourceKind::Mpsc, "futures");

/// Creates a channel that buffers up to `buffer` messages, and one more for each sender. It is
/// known with the place of this call, from now on.
///
/// # Panics
/// If that is more than a channel can have.
#[track_caller]
pub fn channel<T>(buffer: usize) -> (Sender<T>, Receiver<T>) {
    let at = Location::caller();
    let (sender, receiver) = mpsc::channel(buffer);
    let (sends, receives) = ChannelEnd::pair(&WHAT, buffer as u64, at, None);
    (Sender::of(sender, sends, at), Receiver::new(receiver, receives, at))
}

/// A channel without a bound. It is known with the place of this call, from now on.
#[track_caller]
pub fn unbounded<T>() -> (UnboundedSender<T>, UnboundedReceiver<T>) {
    let at = Location::caller();
    let (sender, receiver) = mpsc::unbounded();
    let (sends, receives) = ChannelEnd::pair(&WHAT, UNBOUNDED, at, None);
    (UnboundedSender::of(sender, sends), UnboundedReceiver::new(receiver, receives, at))
}
