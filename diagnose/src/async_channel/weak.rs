//! Weak ends, which do not keep their channel open.
//!
//! A weak end can be upgraded, so it counts as an end of the channel.

use std::panic::Location;

use super::{Receiver, Sender};
use crate::waits::Role;
use crate::wrap::{clone, end};

end! {
    /// async-channel's `WeakSender`.
    pub struct WeakSender<T>(::async_channel::WeakSender<T>), clone: Uses;
}

impl<T> WeakSender<T> {
    /// Upgrades to a sender. Returns `None` if the channel is closed.
    #[track_caller]
    pub fn upgrade(&self) -> Option<Sender<T>> {
        Some(Sender::of(self.inner.upgrade()?, self.end.another(Role::Sends, Location::caller())))
    }
}

end! {
    /// async-channel's `WeakReceiver`.
    pub struct WeakReceiver<T>(::async_channel::WeakReceiver<T>, made_at);
}

impl<T> WeakReceiver<T> {
    /// Upgrades to a receiver. Returns `None` if the channel is closed.
    #[track_caller]
    pub fn upgrade(&self) -> Option<Receiver<T>> {
        let inner = self.inner.upgrade()?;
        Some(Receiver::of(inner, self.end.another(Role::Receives, Location::caller()), self.made_at))
    }
}

clone!(WeakReceiver<T>, Uses, made_at);
