//! The functions that create a channel.

use std::panic::Location;

use super::{Receiver, Sender, SyncSender};
use crate::waits::{ChannelEnd, ResourceKind, ResourceType, UNBOUNDED};

static TYPE: ResourceType = ResourceType::new(ResourceKind::Mpsc, "std");

/// Creates an unbounded channel. Its record starts with this call.
#[track_caller]
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let (sends, receives) = ChannelEnd::pair(&TYPE, UNBOUNDED, Location::caller(), None);
    let (sender, receiver) = ::std::sync::mpsc::channel();
    (Sender::of(sender, sends), Receiver::of(receiver, receives))
}

/// Creates a bounded channel, recorded from this call on. With bound 0, a send waits for a receive.
#[track_caller]
pub fn sync_channel<T>(bound: usize) -> (SyncSender<T>, Receiver<T>) {
    let (sends, receives) = ChannelEnd::pair(&TYPE, bound as u64, Location::caller(), None);
    let (sender, receiver) = ::std::sync::mpsc::sync_channel(bound);
    (SyncSender::of(sender, sends), Receiver::of(receiver, receives))
}
