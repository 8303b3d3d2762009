//! Receivers of broadcast channels.

use std::future::Future;
use std::panic::Location;

use ::tokio::sync::broadcast::{
    self,
    error::{RecvError, TryRecvError},
};

use crate::waits::{BlockedThread, ChannelEnd, Role, WaitMode};
use crate::wrap::{delegate, end};

end! {
    /// tokio's `broadcast::Receiver`, which also records its owner and its waits.
    pub struct Receiver<T>(broadcast::Receiver<T>);
}

impl<T> Receiver<T> {
    delegate! { inner:
        /// Returns the number of messages it has not received, including lost ones.
        pub fn len(&self) -> usize;
        /// Returns whether it has received all messages.
        pub fn is_empty(&self) -> bool;
        /// Returns whether both belong to the same channel.
        pub fn same_channel(&self, other: &Self) -> bool;
        /// Returns the number of senders.
        pub fn sender_strong_count(&self) -> usize;
        /// Returns the number of weak senders.
        pub fn sender_weak_count(&self) -> usize;
        /// Returns whether all senders are dropped.
        pub fn is_closed(&self) -> bool;
    }
}

impl<T: Clone> Receiver<T> {
    /// Creates a receiver of the messages that are sent after this call.
    #[track_caller]
    pub fn resubscribe(&self) -> Self {
        Self::of(self.inner.resubscribe(), self.end.another(Role::Receives, Location::caller()))
    }

    /// Waits for the next message.
    ///
    /// Cancel safe: if the future is dropped, no message is lost.
    ///
    /// # Errors
    /// `Lagged` if messages were lost, because more were sent than the channel holds. `Closed` if
    /// all senders are dropped and no message is left.
    #[track_caller]
    pub fn recv(&mut self) -> impl Future<Output = Result<T, RecvError>> + use<'_, T> {
        let (Self { inner, end }, at) = (self, Location::caller());
        async move {
            let received = end.wait(inner.recv(), WaitMode::Receive, at).await;
            if let Err(RecvError::Lagged(messages)) = received {
                count_missed(end, messages, at);
            }
            received
        }
    }

    /// Takes the next message if there is one.
    ///
    /// # Errors
    /// `Empty` if there is no message. Otherwise as [`recv`](Self::recv).
    #[track_caller]
    pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
        let at = Location::caller();
        self.end.used(at);
        let received = self.inner.try_recv();
        if let Err(TryRecvError::Lagged(messages)) = received {
            count_missed(&self.end, messages, at);
        }
        received
    }

    /// Blocks the current thread until there is a message.
    ///
    /// # Errors
    /// `Lagged` if messages were lost, because more were sent than the channel holds. `Closed` if
    /// all senders are dropped and no message is left.
    ///
    /// # Panics
    /// If called within an async context.
    #[track_caller]
    pub fn blocking_recv(&mut self) -> Result<T, RecvError> {
        let at = Location::caller();
        self.end.used(at);
        let blocks = self.end.record().filter(|_| self.inner.is_empty());
        let blocked = blocks.and_then(|record| BlockedThread::begin(Some(record), WaitMode::Receive, 1, at));
        let received = self.inner.blocking_recv();
        drop(blocked);
        if let Err(RecvError::Lagged(messages)) = received {
            count_missed(&self.end, messages, at);
        }
        received
    }
}

/// Counts what a receive has missed in place of a message.
fn count_missed(end: &ChannelEnd, messages: u64, at: &'static Location<'static>) {
    end.used_in_vain();
    if let Some(record) = end.record() {
        record.count_missed(messages, at);
    }
}
