//! Senders of watch channels.

use std::future::Future;
use std::mem;
use std::panic::Location;

use ::tokio::sync::watch::{self, error::SendError};

use super::{Receiver, Ref};
use crate::tokio::sync::is_forced;
use crate::waits::{BlockedThread, ChannelEnd, ResourceKind, ResourceType, Role, ValueBorrow, WaitMode};
use crate::wrap::{delegate, end};

static TYPE: ResourceType =
    ResourceType::new(ResourceKind::Watch, "tokio").thread_bound(true).forced_by(is_forced);

/// Creates a channel that keeps the latest value, with `init` as the first.
#[track_caller]
pub fn channel<T>(init: T) -> (Sender<T>, Receiver<T>) {
    let at = Location::caller();
    let (sender, receiver) = watch::channel(init);
    let (sends, receives) = ChannelEnd::pair(&TYPE, 1, at, None);
    (Sender::of(sender, sends), Receiver::of(receiver, receives))
}

end! {
    /// tokio's `watch::Sender`, which also records its owner, its waits and its blocked threads.
    pub struct Sender<T>(watch::Sender<T>), clone: Sends;
}

impl<T> Sender<T> {
    /// Creates a sender without receivers.
    #[track_caller]
    pub fn new(init: T) -> Self {
        let (sender, _) = channel(init);
        sender
    }

    /// Sends a value and notifies the receivers. Blocks the thread while the value is borrowed.
    ///
    /// # Errors
    /// If there is no receiver. The error contains the value.
    #[track_caller]
    pub fn send(&self, value: T) -> Result<(), SendError<T>> {
        // tokio checks this first, too.
        if self.inner.receiver_count() == 0 {
            return Err(SendError(value));
        }
        self.send_replace(value);
        Ok(())
    }

    /// Modifies the value in place and notifies the receivers. Blocks the current thread while the
    /// value is borrowed.
    ///
    /// # Panics
    /// If `modify` panics. The value keeps its partial changes, and no receiver is notified.
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

    /// Modifies the value in place. Notifies the receivers if `modify` returns `true`, and returns
    /// its result. Blocks the current thread while the value is borrowed.
    ///
    /// # Panics
    /// If `modify` panics. The value keeps its partial changes, and no receiver is notified.
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
                // The value is locked, so senders get here one at a time.
                self.end.replaced::<T>();
            }
            is_modified
        })
    }

    /// Sends a value, notifies the receivers, and returns the old value. Blocks the current thread
    /// while the value is borrowed.
    #[track_caller]
    pub fn send_replace(&self, mut value: T) -> T {
        self.send_modify(|old| mem::swap(old, &mut value));
        value
    }

    /// Borrows the latest value. While the borrow lives, a sender blocks its thread.
    #[track_caller]
    pub fn borrow(&self) -> Ref<'_, T> {
        Ref::borrow(&self.end, Location::caller(), || self.inner.borrow())
    }

    /// Waits until all receivers are dropped. Cancel safe.
    #[track_caller]
    pub fn closed(&self) -> impl Future<Output = ()> + use<'_, T> {
        self.end.wait(self.inner.closed(), WaitMode::Closed, Location::caller())
    }

    /// Creates a receiver that has seen the latest value.
    #[track_caller]
    pub fn subscribe(&self) -> Receiver<T> {
        Receiver::of(self.inner.subscribe(), self.end.another(Role::Receives, Location::caller()))
    }

    delegate! { inner:
        /// Returns whether all receivers are dropped.
        pub fn is_closed(&self) -> bool;
        /// Returns the number of receivers.
        pub fn receiver_count(&self) -> usize;
        /// Returns the number of senders.
        pub fn sender_count(&self) -> usize;
        /// Returns whether both belong to the same channel.
        pub fn same_channel(&self, other: &Self) -> bool;
    }
}

impl<T: Default> Default for Sender<T> {
    #[track_caller]
    fn default() -> Self {
        Self::new(T::default())
    }
}
