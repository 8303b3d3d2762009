//! Ends that do not keep their channel open. Whoever has one can become a sender or a receiver, so it has a part in it.

use std::panic::Location;

use super::{Receiver, Sender};
use crate::waits::{ChannelEnd, Role, around};

/// async-channel's `WeakSender`.
pub struct WeakSender<T> {
    inner: ::async_channel::WeakSender<T>,
    end: ChannelEnd,
}

around!(WeakSender<T>, ::async_channel::WeakSender<T>, |inner| Self { inner, end: ChannelEnd::none() }, []);

impl<T> WeakSender<T> {
    pub(super) fn new(inner: ::async_channel::WeakSender<T>, end: ChannelEnd) -> Self {
        Self { inner, end }
    }

    /// A sender, if the channel is still open.
    #[track_caller]
    pub fn upgrade(&self) -> Option<Sender<T>> {
        Some(Sender::new(self.inner.upgrade()?, self.end.another(Role::Sends, Location::caller())))
    }
}

impl<T> Clone for WeakSender<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        Self::new(self.inner.clone(), self.end.another(Role::Uses, Location::caller()))
    }
}

/// async-channel's `WeakReceiver`.
pub struct WeakReceiver<T> {
    inner: ::async_channel::WeakReceiver<T>,
    end: ChannelEnd,
    made_at: &'static Location<'static>,
}

around!(
    WeakReceiver<T>,
    ::async_channel::WeakReceiver<T>,
    |inner| Self { inner, end: ChannelEnd::none(), made_at: Location::caller() },
    []
);

impl<T> WeakReceiver<T> {
    pub(super) fn new(
        inner: ::async_channel::WeakReceiver<T>,
        end: ChannelEnd,
        made_at: &'static Location<'static>,
    ) -> Self {
        Self { inner, end, made_at }
    }

    /// A receiver, if the channel is still open.
    #[track_caller]
    pub fn upgrade(&self) -> Option<Receiver<T>> {
        let inner = self.inner.upgrade()?;
        Some(Receiver::new(inner, self.end.another(Role::Receives, Location::caller()), self.made_at))
    }
}

impl<T> Clone for WeakReceiver<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        Self::new(self.inner.clone(), self.end.another(Role::Uses, Location::caller()), self.made_at)
    }
}
