//! The sending end of a channel.

use std::panic::Location;

use ::async_channel::{SendError, TrySendError};

use super::{Closed, Send, WeakSender};
use crate::waits::{BlockedThread, Role, WaitMode};
use crate::wrap::{end, looks};

end! {
    /// async-channel's `Sender`, with a record of the task that owns it and of its waits.
    pub struct Sender<T>(::async_channel::Sender<T>), clone: Sends;
}

impl<T> Sender<T> {
    looks!([
        is_closed() -> bool, is_empty() -> bool, is_full() -> bool, len() -> usize,
        capacity() -> Option<usize>, receiver_count() -> usize, sender_count() -> usize,
    ]);

    /// Attempts to send a message without waiting.
    ///
    /// # Errors
    /// Returns the message if the channel is full or closed.
    #[track_caller]
    pub fn try_send(&self, msg: T) -> Result<(), TrySendError<T>> {
        self.end.used(Location::caller());
        let received = self.end.received::<T>();
        self.inner.try_send(msg)?;
        self.end.put_after::<T>(received);
        Ok(())
    }

    /// Sends a message, waiting for room. Dropping the pending future loses the message.
    #[track_caller]
    pub fn send(&self, msg: T) -> Send<'_, T> {
        Send::new(self.inner.send(msg), &self.end, WaitMode::Send, Location::caller())
    }

    /// Waits until the channel is closed. Cancel safe.
    #[track_caller]
    pub fn closed(&self) -> Closed<'_, T> {
        Closed::new(self.inner.closed(), &self.end, WaitMode::Closed, Location::caller())
    }

    /// Sends a message, blocking the current thread while the channel is full.
    ///
    /// # Errors
    /// Returns the message if the channel is closed.
    #[track_caller]
    #[cfg(not(target_family = "wasm"))]
    pub fn send_blocking(&self, msg: T) -> Result<(), SendError<T>> {
        let at = Location::caller();
        self.end.used(at);
        let received = self.end.received::<T>();
        match self.inner.try_send(msg) {
            Ok(()) => {}
            Err(TrySendError::Closed(msg)) => return Err(SendError(msg)),
            Err(TrySendError::Full(msg)) => {
                let _blocked = BlockedThread::begin(self.end.record(), WaitMode::Send, 1, at);
                self.inner.send_blocking(msg)?;
            }
        }
        self.end.put_after::<T>(received);
        Ok(())
    }

    /// Sends a message; if the channel is full, replaces the oldest message and returns that.
    ///
    /// # Errors
    /// Returns the message if the channel is closed.
    #[track_caller]
    pub fn force_send(&self, msg: T) -> Result<Option<T>, SendError<T>> {
        self.end.used(Location::caller());
        let replaced = self.inner.force_send(msg)?;
        self.end.put::<T>();
        if replaced.is_some() {
            self.end.took_one_of_several();
        }
        Ok(replaced)
    }

    /// Closes the channel. Returns `true` if it was open.
    ///
    /// Nothing can be sent after that; sent messages can still be received.
    #[track_caller]
    pub fn close(&self) -> bool {
        self.end.used(Location::caller());
        let was_open = self.inner.close();
        self.end.close();
        was_open
    }

    /// Returns `true` if both senders belong to the same channel.
    pub fn same_channel(&self, other: &Self) -> bool {
        self.inner.same_channel(&other.inner)
    }

    /// Downgrades to a sender that does not keep the channel open.
    #[track_caller]
    pub fn downgrade(&self) -> WeakSender<T> {
        WeakSender::of(self.inner.downgrade(), self.end.another(Role::Uses, Location::caller()))
    }
}
