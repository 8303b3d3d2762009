//! The sending ends.

use std::panic::Location;

use ::async_channel::{SendError, TrySendError};

use super::{Closed, Send, WeakSender};
use crate::waits::{BlockedThread, Role, WaitMode};
use crate::wrap::{end, looks};

end! {
    /// async-channel's `Sender`; who has it and whether it waits is on record.
    pub struct Sender<T>(::async_channel::Sender<T>), clone: Sends;
}

impl<T> Sender<T> {
    looks!([
        is_closed() -> bool, is_empty() -> bool, is_full() -> bool, len() -> usize,
        capacity() -> Option<usize>, receiver_count() -> usize, sender_count() -> usize,
    ]);

    /// Puts a message in if there is room.
    ///
    /// # Errors
    /// If there is none, or the channel is closed; the message comes back.
    #[track_caller]
    pub fn try_send(&self, msg: T) -> Result<(), TrySendError<T>> {
        self.end.used(Location::caller());
        self.inner.try_send(msg)?;
        self.end.put::<T>();
        Ok(())
    }

    /// Puts a message in, after waiting for room. If the future is dropped before it is ready, the message is lost.
    #[track_caller]
    pub fn send(&self, msg: T) -> Send<'_, T> {
        Send::new(self.inner.send(msg), &self.end, WaitMode::Send, Location::caller())
    }

    /// Waits until the channel is closed. Cancel safe.
    #[track_caller]
    pub fn closed(&self) -> Closed<'_, T> {
        Closed::new(self.inner.closed(), &self.end, WaitMode::Closed, Location::caller())
    }

    /// Puts a message in, and blocks this thread until there is room.
    ///
    /// # Errors
    /// If the channel is closed; the message comes back.
    #[track_caller]
    #[cfg(not(target_family = "wasm"))]
    pub fn send_blocking(&self, msg: T) -> Result<(), SendError<T>> {
        let at = Location::caller();
        self.end.used(at);
        match self.inner.try_send(msg) {
            Ok(()) => {}
            Err(TrySendError::Closed(msg)) => return Err(SendError(msg)),
            Err(TrySendError::Full(msg)) => {
                let _blocked = BlockedThread::begin(self.end.record(), WaitMode::Send, 1, at);
                self.inner.send_blocking(msg)?;
            }
        }
        self.end.put::<T>();
        Ok(())
    }

    /// Puts a message in; if there is no room, in the place of the oldest, which comes back.
    ///
    /// # Errors
    /// If the channel is closed; the message comes back.
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

    /// Closes the channel: nothing more can be sent, and what was sent can still be received. Returns whether it was open.
    #[track_caller]
    pub fn close(&self) -> bool {
        self.end.used(Location::caller());
        let was_open = self.inner.close();
        self.end.close();
        was_open
    }

    /// Whether both are of the same channel.
    pub fn same_channel(&self, other: &Self) -> bool {
        self.inner.same_channel(&other.inner)
    }

    /// A sender that does not keep the channel open.
    #[track_caller]
    pub fn downgrade(&self) -> WeakSender<T> {
        WeakSender::of(self.inner.downgrade(), self.end.another(Role::Uses, Location::caller()))
    }
}
