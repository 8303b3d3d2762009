//! The future and the sink of a sender.

use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use ::flume::SendError;
use futures_core::future::FusedFuture;
use futures_sink::Sink;

use super::part::{Part, waiting};
use crate::waits::{Role, WaitInfo, WaitMode};

waiting! {
    /// The future returned by [`Sender::send_async`](super::Sender::send_async).
    #[must_use = "futures/streams/sinks do nothing unless you `.await` or poll them"]
    pub struct SendFut<'a, T> { at, is_polled }
}

impl<T> Unpin for SendFut<'_, T> {}

impl<T> Future for SendFut<'_, T> {
    type Output = Result<(), SendError<T>>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Self { inner, wait, end, at, is_polled } = self.get_mut();
        if !std::mem::replace(is_polled, true) {
            end.used(at);
        }
        let record = end.record();
        let info = || WaitInfo::on(record, WaitMode::Send, 1, at);
        let poll = wait.poll_in_order(context, record, info, |context| Pin::new(&mut *inner).poll(context));
        if let Poll::Ready(Ok(())) = poll {
            end.put::<T>();
        }
        poll
    }
}

impl<T> FusedFuture for SendFut<'_, T> {
    fn is_terminated(&self) -> bool {
        self.inner.is_terminated()
    }
}

waiting! {
    /// The sink returned by [`Sender::sink`](super::Sender::sink).
    pub struct SendSink<'a, T> {
        made_at,
        /// Whether `start_send` took a message that is not recorded as sent yet.
        is_sending
    }
}

impl<T> SendSink<'_, T> {
    /// Polls until the pending message is in the channel. All poll methods do only this.
    #[track_caller]
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<(), SendError<T>>> {
        let caller = Location::caller();
        let Self { inner, wait, end, made_at, is_sending } = self;
        let record = end.record();
        let info = || end.polled(WaitMode::Send, caller, made_at);
        let poll =
            wait.poll_in_order(context, record, info, |context| Pin::new(&mut *inner).poll_flush(context));
        let sent = ready!(poll);
        if std::mem::take(is_sending) && sent.is_ok() {
            end.put::<T>();
        }
        Poll::Ready(sent)
    }
}

impl<T> Unpin for SendSink<'_, T> {}

impl<T> Sink<T> for SendSink<'_, T> {
    type Error = SendError<T>;

    #[track_caller]
    fn poll_ready(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), SendError<T>>> {
        self.get_mut().poll(context)
    }

    fn start_send(self: Pin<&mut Self>, item: T) -> Result<(), SendError<T>> {
        let this = self.get_mut();
        this.is_sending = true;
        Pin::new(&mut this.inner).start_send(item)
    }

    #[track_caller]
    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), SendError<T>>> {
        self.get_mut().poll(context)
    }

    #[track_caller]
    fn poll_close(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), SendError<T>>> {
        self.get_mut().poll(context)
    }
}

impl<T> Clone for SendSink<'_, T> {
    #[track_caller]
    fn clone(&self) -> Self {
        let end = self.end.another(Role::Sends, Location::caller());
        Self::new(self.inner.clone(), Part::Owned(end), self.made_at)
    }
}

impl<T> SendSink<'_, T> {
    /// Returns `true` if both sinks belong to the same channel.
    pub fn same_channel(&self, other: &Self) -> bool {
        self.inner.same_channel(&other.inner)
    }

    /// Returns the original sender. Its clones are not recorded.
    #[track_caller]
    pub fn sender(&self) -> &::flume::Sender<T> {
        self.end.share(Location::caller());
        self.inner.sender()
    }
}
