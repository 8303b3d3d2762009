//! The sender of a bounded channel.

use std::hash::Hasher;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};

use ::futures::Sink;
use ::futures::channel::mpsc::{self, SendError, TrySendError};

use super::Receiver;
use crate::waits::{ChannelEnd, LazyWait, WaitMode};
use crate::wrap::{around, clone, delegate};

/// futures' bounded `Sender`, with a record of the task that owns it and of its waits.
// `inner` is dropped first, so that the sender is gone before its record says so.
pub struct Sender<T> {
    inner: mpsc::Sender<T>,
    wait: LazyWait,
    end: ChannelEnd,
    made_at: &'static Location<'static>,
}

around!(
    [T] Sender<T>: mpsc::Sender<T>,
    |inner| Self::of(inner, ChannelEnd::none(), Location::caller()),
    [is_closed() -> bool]
);

impl<T> Sender<T> {
    pub(super) fn of(inner: mpsc::Sender<T>, end: ChannelEnd, made_at: &'static Location<'static>) -> Self {
        Self { inner, wait: LazyWait::default(), end, made_at }
    }

    /// Attempts to send a message without waiting.
    ///
    /// # Errors
    /// Returns the message if the channel is full or closed.
    #[track_caller]
    pub fn try_send(&mut self, msg: T) -> Result<(), TrySendError<T>> {
        self.wait.end();
        self.end.used(Location::caller());
        let received = self.end.received::<T>();
        self.inner.try_send(msg)?;
        self.end.put_after::<T>(received);
        Ok(())
    }

    /// Sends a message. Call it after [`poll_ready`](Self::poll_ready) has returned `Ok`.
    ///
    /// # Errors
    /// If the channel is full or closed.
    #[track_caller]
    pub fn start_send(&mut self, msg: T) -> Result<(), SendError> {
        self.try_send(msg).map_err(TrySendError::into_send_error)
    }

    /// Polls for room for one message.
    ///
    /// # Errors
    /// If the channel is closed.
    #[track_caller]
    pub fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), SendError>> {
        let caller = Location::caller();
        let Self { inner, wait, end, made_at } = self;
        let info = || end.polled(WaitMode::Send, caller, made_at);
        wait.poll_in_order(cx, end.record(), info, |cx| inner.poll_ready(cx))
    }

    /// Hashes the receiver of this channel.
    pub fn hash_receiver<H: Hasher>(&self, hasher: &mut H) {
        self.inner.hash_receiver(hasher);
    }

    /// Closes the channel. Sent messages can still be received.
    #[track_caller]
    pub fn close_channel(&mut self) {
        self.end.used(Location::caller());
        self.inner.close_channel();
        self.end.close();
    }

    /// Disconnects this sender from the channel.
    pub fn disconnect(&mut self) {
        self.wait.end();
        self.inner.disconnect();
        self.end = ChannelEnd::none();
    }

    delegate! { inner:
        /// Returns `true` if both senders send to the same receiver.
        pub fn same_receiver(&self, other: &Self) -> bool;
        /// Returns `true` if this sender sends to `receiver`.
        pub fn is_connected_to(&self, receiver: &Receiver<T>) -> bool;
    }
}

impl<T> Sink<T> for Sender<T> {
    type Error = SendError;

    #[track_caller]
    fn poll_ready(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), SendError>> {
        self.get_mut().poll_ready(cx)
    }

    #[track_caller]
    fn start_send(self: Pin<&mut Self>, msg: T) -> Result<(), SendError> {
        self.get_mut().start_send(msg)
    }

    #[track_caller]
    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), SendError>> {
        // As in the original: without a receiver nothing remains to be flushed.
        match self.get_mut().poll_ready(cx) {
            Poll::Ready(Err(error)) if error.is_disconnected() => Poll::Ready(Ok(())),
            ready => ready,
        }
    }

    fn poll_close(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), SendError>> {
        self.get_mut().disconnect();
        Poll::Ready(Ok(()))
    }
}

clone!(Sender<T>, Sends, made_at);
