//! The sender of an unbounded channel.

use std::hash::Hasher;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};

use ::futures::Sink;
use ::futures::channel::mpsc::{self, SendError, TrySendError};

use super::UnboundedReceiver;
use crate::waits::ChannelEnd;
use crate::wrap::{delegate, end, looks};

end! {
    /// futures' `UnboundedSender`, with a record of the task that owns it.
    pub struct UnboundedSender<T>(mpsc::UnboundedSender<T>), clone: Sends;
}

impl<T> UnboundedSender<T> {
    looks!([is_closed() -> bool, len() -> usize, is_empty() -> bool]);

    /// Sends a message.
    ///
    /// # Errors
    /// Returns the message if the channel is closed.
    #[track_caller]
    pub fn unbounded_send(&self, msg: T) -> Result<(), TrySendError<T>> {
        self.end.used(Location::caller());
        let received = self.end.received::<T>();
        self.inner.unbounded_send(msg)?;
        self.end.put_after::<T>(received);
        Ok(())
    }

    /// Sends a message.
    ///
    /// # Errors
    /// If the channel is closed.
    #[track_caller]
    pub fn start_send(&mut self, msg: T) -> Result<(), SendError> {
        self.unbounded_send(msg).map_err(TrySendError::into_send_error)
    }

    /// Hashes the receiver of this channel.
    pub fn hash_receiver<H: Hasher>(&self, hasher: &mut H) {
        self.inner.hash_receiver(hasher);
    }

    /// Closes the channel. Sent messages can still be received.
    #[track_caller]
    pub fn close_channel(&self) {
        self.end.used(Location::caller());
        self.inner.close_channel();
        self.end.close();
    }

    /// Disconnects this sender from the channel.
    pub fn disconnect(&mut self) {
        self.inner.disconnect();
        self.end = ChannelEnd::none();
    }

    delegate! { inner:
        /// Polls for room, which an unbounded channel always has.
        ///
        /// # Errors
        /// If the channel is closed.
        pub fn poll_ready(&self, cx: &mut Context<'_>) -> Poll<Result<(), SendError>>;
        /// Returns `true` if both senders send to the same receiver.
        pub fn same_receiver(&self, other: &Self) -> bool;
        /// Returns `true` if this sender sends to `receiver`.
        pub fn is_connected_to(&self, receiver: &UnboundedReceiver<T>) -> bool;
    }
}

impl<T> Sink<T> for UnboundedSender<T> {
    type Error = SendError;

    fn poll_ready(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), SendError>> {
        self.inner.poll_ready(cx)
    }

    #[track_caller]
    fn start_send(self: Pin<&mut Self>, msg: T) -> Result<(), SendError> {
        self.get_mut().start_send(msg)
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), SendError>> {
        Poll::Ready(Ok(()))
    }

    fn poll_close(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), SendError>> {
        self.get_mut().disconnect();
        Poll::Ready(Ok(()))
    }
}

impl<T> Sink<T> for &UnboundedSender<T> {
    type Error = SendError;

    fn poll_ready(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), SendError>> {
        self.inner.poll_ready(cx)
    }

    #[track_caller]
    fn start_send(self: Pin<&mut Self>, msg: T) -> Result<(), SendError> {
        self.unbounded_send(msg).map_err(TrySendError::into_send_error)
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), SendError>> {
        Poll::Ready(Ok(()))
    }

    #[track_caller]
    fn poll_close(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), SendError>> {
        self.close_channel();
        Poll::Ready(Ok(()))
    }
}
