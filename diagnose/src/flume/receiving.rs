//! The future and the stream of a receiver.

use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};

use ::flume::RecvError;
use futures_core::future::FusedFuture;
use futures_core::stream::{FusedStream, Stream};

use super::part::{Part, waiting};
use crate::waits::{Role, WaitInfo, WaitMode};

waiting! {
    /// The future returned by [`Receiver::recv_async`](super::Receiver::recv_async).
    #[must_use = "futures/streams/sinks do nothing unless you `.await` or poll them"]
    pub struct RecvFut<'a, T> { at, is_polled }
}

impl<T> Future for RecvFut<'_, T> {
    type Output = Result<T, RecvError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Self { inner, wait, end, at, is_polled } = self.get_mut();
        if !std::mem::replace(is_polled, true) {
            end.used(at);
        }
        let info = || WaitInfo::on(end.record(), WaitMode::Receive, 1, at);
        let poll = wait.poll(context, info, |context| Pin::new(&mut *inner).poll(context));
        if let Poll::Ready(Ok(_)) = poll {
            end.took_one_of_several();
        }
        poll
    }
}

impl<T> FusedFuture for RecvFut<'_, T> {
    fn is_terminated(&self) -> bool {
        self.inner.is_terminated()
    }
}

waiting! {
    /// The stream returned by [`Receiver::stream`](super::Receiver::stream).
    pub struct RecvStream<'a, T> { made_at }
}

impl<T> Stream for RecvStream<'_, T> {
    type Item = T;

    #[track_caller]
    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<T>> {
        let caller = Location::caller();
        let Self { inner, wait, end, made_at } = self.get_mut();
        let info = || end.polled(WaitMode::Receive, caller, made_at);
        let poll = wait.poll(context, info, |context| Pin::new(&mut *inner).poll_next(context));
        if let Poll::Ready(Some(_)) = poll {
            // It may be ready at its first poll, without a wait.
            end.used_from(caller, made_at);
            end.took_one_of_several();
        }
        poll
    }
}

impl<T> FusedStream for RecvStream<'_, T> {
    fn is_terminated(&self) -> bool {
        self.inner.is_terminated()
    }
}

impl<T> Clone for RecvStream<'_, T> {
    #[track_caller]
    fn clone(&self) -> Self {
        let end = self.end.another(Role::Receives, Location::caller());
        Self::new(self.inner.clone(), Part::Owned(end), self.made_at)
    }
}

impl<T> RecvStream<'_, T> {
    /// Returns `true` if both streams belong to the same channel.
    pub fn same_channel(&self, other: &Self) -> bool {
        self.inner.same_channel(&other.inner)
    }
}
