//! `PollSender`.

use std::panic::Location;
use std::pin::Pin;
use std::ptr;
use std::task::{Context, Poll, ready};

use ::tokio_util::sync as real;
use futures_sink::Sink;

use crate::tokio::sync::mpsc::Sender;
use crate::waits::{Holding, LazyWait, own_code};
use crate::wrap::{convert, debug};

pub use real::PollSendError;

/// tokio-util's `PollSender`, around a recorded [`Sender`]. Its reserved slot is recorded, too.
///
/// It holds one sender more than the original. `strong_count` includes it.
// `inner` is the first field: the sender leaves its queue before its wait ends.
pub struct PollSender<T> {
    inner: real::PollSender<T>,
    wait: LazyWait,
    /// The reserved slot.
    holding: Holding,
    /// Kept while a slot is reserved, even if it is closed.
    sender: Option<Sender<T>>,
    is_closed: bool,
    made_at: &'static Location<'static>,
}

impl<T: Send> PollSender<T> {
    /// Creates a `PollSender` for the channel of `sender`.
    #[track_caller]
    pub fn new(sender: Sender<T>) -> Self {
        let inner = real::PollSender::new(sender.original().clone());
        Self {
            inner,
            wait: LazyWait::default(),
            holding: Holding::NONE,
            sender: Some(sender),
            is_closed: false,
            made_at: Location::caller(),
        }
    }

    /// Polls to reserve a slot in the channel.
    ///
    /// # Errors
    /// If the channel or this sender is closed.
    #[track_caller]
    pub fn poll_reserve(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), PollSendError<T>>> {
        let at = own_code(Location::caller(), self.made_at);
        let Self { inner, wait, holding, sender, made_at, .. } = self;
        let Some(sender) = sender else { return inner.poll_reserve(cx) };
        let end = sender.end();
        end.used(at);
        let info = || sender.wait_info(1, at).made_there(ptr::eq(at, *made_at));
        let reserved = ready!(wait.poll_in_order(cx, end.record(), info, |cx| inner.poll_reserve(cx)));
        // The slot may have been reserved before this call.
        if reserved.is_ok() && holding.record().is_none() {
            *holding = Holding::reserve(end.record(), 1, at, true);
        }
        Poll::Ready(reserved)
    }

    /// Sends a message in the reserved slot.
    ///
    /// # Errors
    /// If the channel or this sender is closed. The error contains the message.
    ///
    /// # Panics
    /// If no slot is reserved.
    #[track_caller]
    pub fn send_item(&mut self, value: T) -> Result<(), PollSendError<T>> {
        let received = self.sender.as_ref().map_or(0, |sender| sender.end().received::<T>());
        let sent = self.inner.send_item(value);
        if let (Ok(()), Some(sender)) = (&sent, &self.sender) {
            sender.end().put_after::<T>(received);
        }
        self.release();
        sent
    }

    /// Records that no slot is reserved. A closed sender had kept its end for the message.
    fn release(&mut self) {
        self.holding = Holding::NONE;
        if self.inner.get_ref().is_none() {
            self.sender = None;
        }
    }

    /// Returns whether this sender is closed. The channel may still be open.
    pub fn is_closed(&self) -> bool {
        self.inner.is_closed()
    }

    /// Returns the sender, or `None` once this `PollSender` is closed.
    pub fn get_ref(&self) -> Option<&Sender<T>> {
        self.sender.as_ref().filter(|_| self.inner.get_ref().is_some())
    }

    /// Closes this sender. Only a message for a reserved slot can still be sent.
    pub fn close(&mut self) {
        self.wait.end();
        self.inner.close();
        self.is_closed = true;
        if self.holding.record().is_none() {
            self.sender = None;
        }
    }

    /// Cancels the wait for a slot, or releases the slot. Returns whether there was either.
    pub fn abort_send(&mut self) -> bool {
        self.wait.end();
        // First: a slot that is free is never shown as reserved.
        self.holding = Holding::NONE;
        let is_aborted = self.inner.abort_send();
        self.release();
        is_aborted
    }
}

convert!(
    [T: Send] PollSender<T>: real::PollSender<T>,
    |inner| Self {
        wait: LazyWait::default(),
        holding: Holding::NONE,
        sender: inner.get_ref().cloned().map(Sender::from),
        is_closed: inner.get_ref().is_none(),
        inner,
        made_at: Location::caller(),
    },
    |it| {
        it.holding.lose();
        drop(it.sender.map(Sender::into_inner));
        it.inner
    }
);

impl<T> Clone for PollSender<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        Self {
            inner: self.inner.clone(),
            wait: LazyWait::default(),
            holding: Holding::NONE,
            sender: self.sender.as_ref().filter(|_| !self.is_closed).cloned(),
            is_closed: self.is_closed,
            made_at: Location::caller(),
        }
    }
}

impl<T: Send> Sink<T> for PollSender<T> {
    type Error = PollSendError<T>;

    #[track_caller]
    fn poll_ready(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.get_mut().poll_reserve(cx)
    }

    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    #[track_caller]
    fn start_send(self: Pin<&mut Self>, item: T) -> Result<(), Self::Error> {
        self.get_mut().send_item(item)
    }

    fn poll_close(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.get_mut().close();
        Poll::Ready(Ok(()))
    }
}

debug!([T] PollSender<T>, inner: real::PollSender<T>);
