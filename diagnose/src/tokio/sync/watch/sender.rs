//! The senders of a watched value.

use std::future::Future;
use std::mem;
use std::panic::Location;

use ::tokio::sync::watch::{self, error::SendError};

use super::{Receiver, Ref};
use crate::tokio::sync::is_forced;
use crate::waits::{BlockedThread, ChannelEnd, ResourceKind, ResourceType, Role, ValueBorrow, WaitMode};
use crate::wrap::{delegate, end};

static WHAT: ResourceType = ResourceType::new(ResourceKind::Watch, "tokio").forced_by(is_forced);

/// A value that is watched.
#[track_caller]
pub fn channel<T>(init: T) -> (Sender<T>, Receiver<T>) {
    let at = Location::caller();
    let (sender, receiver) = watch::channel(init);
    let (sends, receives) = ChannelEnd::pair(&WHAT, 1, at, None);
    (Sender::of(sender, sends), Receiver::of(receiver, receives))
}

end! {
    /// tokio's `Sender` of a watched value; who has it and whether it waits or is blocked is on record.
    pub struct Sender<T>(watch::Sender<T>), clone: Sends;
}

impl<T> Sender<T> {
    /// Creates a sender without receivers.
    #[track_caller]
    pub fn new(init: T) -> Self {
        let (sender, _) = channel(init);
        sender
    }

    /// Sends a new value and notifies the receivers. Blocks the thread while the value is borrowed.
    ///
    /// # Errors
    /// If there is no receiver. The error has the value.
    #[track_caller]
    pub fn send(&self, value: T) -> Result<(), SendError<T>> {
        // As tokio has it.
        if self.inner.receiver_count() == 0 {
            return Err(SendError(value));
        }
        self.send_replace(value);
        Ok(())
    }

    /// Modifies the value in place and notifies the receivers. Blocks the thread while the value is
    /// borrowed.
    ///
    /// # Panics
    /// If `modify` does. The value is as that has left it, and the receivers are not told.
    #[track_caller]
    pub fn send_modify<F>(&self, modify: F)
    where
        F: FnOnce(&mut T),
    {
        self.send_if_modified(|value| {
            modify(value);
            true
        });
    }

    /// Modifies the value in place. Notifies the receivers if `modify` returns `true`. Returns that
    /// result. Blocks the thread while the value is borrowed.
    ///
    /// # Panics
    /// If `modify` does. The value is as that has left it, and the receivers are not told.
    #[track_caller]
    pub fn send_if_modified<F>(&self, modify: F) -> bool
    where
        F: FnOnce(&mut T) -> bool,
    {
        let at = Location::caller();
        self.end.used(at);
        let blocked = match self.end.record().filter(|record| ValueBorrow::is_there(record)) {
            None => None,
            blocks => BlockedThread::begin(blocks, WaitMode::Send, 1, at),
        };
        self.inner.send_if_modified(|value| {
            drop(blocked);
            let is_modified = modify(value);
            if is_modified {
                // One at a time: the value is locked.
                self.end.replaced::<T>();
            }
            is_modified
        })
    }

    /// Sends a new value, notifies the receivers, and returns the old value. Blocks the thread
    /// while the value is borrowed.
    #[track_caller]
    pub fn send_replace(&self, mut value: T) -> T {
        self.send_modify(|old| mem::swap(old, &mut value));
        value
    }

    /// The present value. Senders are blocked, thread and all, until it is given back.
    #[track_caller]
    pub fn borrow(&self) -> Ref<'_, T> {
        Ref::borrow(&self.end, Location::caller(), || self.inner.borrow())
    }

    /// Waits until all receivers are dropped. Cancel safe.
    #[track_caller]
    pub fn closed(&self) -> impl Future<Output = ()> + use<'_, T> {
        self.end.wait(self.inner.closed(), WaitMode::Closed, Location::caller())
    }

    /// Another receiver, which has seen the present value.
    #[track_caller]
    pub fn subscribe(&self) -> Receiver<T> {
        Receiver::of(self.inner.subscribe(), self.end.another(Role::Receives, Location::caller()))
    }

    delegate! { inner:
        /// Whether all receivers are dropped.
        pub fn is_closed(&self) -> bool;
        /// How many receivers there are.
        pub fn receiver_count(&self) -> usize;
        /// How many senders there are.
        pub fn sender_count(&self) -> usize;
        /// Whether both change the same value.
        pub fn same_channel(&self, other: &Self) -> bool;
    }
}

impl<T: Default> Default for Sender<T> {
    #[track_caller]
    fn default() -> Self {
        Self::new(T::default())
    }
}
