//! The senders of bounded channels.

use std::hash::Hasher;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};

use ::futures::Sink;
use ::futures::channel::mpsc::{self, SendError, TrySendError};

use super::Receiver;
use crate::waits::{ChannelEnd, LazyWait, WaitMode};
use crate::wrap::{around, clone, delegate};

/// futures' `Sender` of a bounded channel; who has it and whether it waits is on record.
// The sender stands first: it is gone before the records say so.
pub struct Sender<T> {
    inner: mpsc::Sender<T>,
    kept: LazyWait,
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
        Self { inner, kept: LazyWait::default(), end, made_at }
    }

    /// Sends a message if there is a place for it.
    ///
    /// # Errors
    /// If there is none, or the channel is closed; the message comes back.
    #[track_caller]
    pub fn try_send(&mut self, msg: T) -> Result<(), TrySendError<T>> {
        self.kept.end();
        self.end.used(Location::caller());
        self.inner.try_send(msg)?;
        self.end.put::<T>();
        Ok(())
    }

    /// Sends a message, once [`poll_ready`](Self::poll_ready) has said that there is a place for it.
    ///
    /// # Errors
    /// If there is none, or the channel is closed.
    #[track_caller]
    pub fn start_send(&mut self, msg: T) -> Result<(), SendError> {
        self.try_send(msg).map_err(TrySendError::into_send_error)
    }

    /// Polls for a place.
    ///
    /// # Errors
    /// If the channel is closed.
    #[track_caller]
    pub fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), SendError>> {
        let caller = Location::caller();
        let Self { inner, kept, end, made_at } = self;
        let leaf = || end.polled(WaitMode::Send, caller, made_at);
        kept.poll_in_order(cx, end.record(), leaf, |cx| inner.poll_ready(cx))
    }

    /// Hashes the receiver.
    pub fn hash_receiver<H: Hasher>(&self, hasher: &mut H) {
        self.inner.hash_receiver(hasher);
    }

    /// Closes the channel: nothing more can be sent, and what was sent can still be received.
    #[track_caller]
    pub fn close_channel(&mut self) {
        self.end.used(Location::caller());
        self.inner.close_channel();
        self.end.close();
    }

    /// This is no sender of the channel any more.
    pub fn disconnect(&mut self) {
        self.kept.end();
        self.inner.disconnect();
        self.end = ChannelEnd::none();
    }

    delegate! { inner:
        /// Whether both send to the same receiver.
        pub fn same_receiver(&self, other: &Self) -> bool;
        /// Whether it sends to that receiver.
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
        // As the original has it: without a receiver nothing is left to be flushed.
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
