//! Receivers of broadcast channels.

use std::future::Future;
use std::panic::Location;

use ::tokio::sync::broadcast::{
    self,
    error::{RecvError, TryRecvError},
};

use crate::waits::{BlockedThread, Role, WaitMode};
use crate::wrap::{delegate, end};

end! {
    /// tokio's `broadcast::Receiver`. Its owner and its waits are recorded.
    pub struct Receiver<T>(broadcast::Receiver<T>);
}

impl<T> Receiver<T> {
    delegate! { inner:
        /// How many messages there are that it has not received, those included that are lost by now.
        pub fn len(&self) -> usize;
        /// Whether there is none.
        pub fn is_empty(&self) -> bool;
        /// Whether both receive from the same channel.
        pub fn same_channel(&self, other: &Self) -> bool;
        /// How many senders there are.
        pub fn sender_strong_count(&self) -> usize;
        /// How many weak senders there are.
        pub fn sender_weak_count(&self) -> usize;
        /// Whether no sender is left.
        pub fn is_closed(&self) -> bool;
    }
}

impl<T: Clone> Receiver<T> {
    /// Another receiver, of messages that are sent from now on.
    #[track_caller]
    pub fn resubscribe(&self) -> Self {
        Self::of(self.inner.resubscribe(), self.end.another(Role::Receives, Location::caller()))
    }

    /// Waits for the next message.
    ///
    /// Cancel safe: if the future is dropped, no message is lost.
    ///
    /// # Errors
    /// If messages were lost, because more were sent than the channel holds; if no sender is left and there is no message.
    #[track_caller]
    pub fn recv(&mut self) -> impl Future<Output = Result<T, RecvError>> + use<'_, T> {
        self.end.wait(self.inner.recv(), WaitMode::Receive, Location::caller())
    }

    /// Takes the next message if there is one.
    ///
    /// # Errors
    /// If there is none; and as [`recv`](Self::recv).
    #[track_caller]
    pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
        self.end.used(Location::caller());
        self.inner.try_recv()
    }

    /// Blocks the thread until there is a message.
    ///
    /// # Errors
    /// As [`recv`](Self::recv).
    ///
    /// # Panics
    /// In asynchronous code.
    #[track_caller]
    pub fn blocking_recv(&mut self) -> Result<T, RecvError> {
        let at = Location::caller();
        self.end.used(at);
        let _blocked = BlockedThread::begin(self.end.record(), WaitMode::Receive, 1, at);
        self.inner.blocking_recv()
    }
}
