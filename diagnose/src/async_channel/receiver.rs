//! The receiving end of a channel.

use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};

use ::async_channel::{RecvError, TryRecvError};
use futures_core::stream::{FusedStream, Stream};
use pin_project_lite::pin_project;

use super::{Recv, WeakReceiver};
use crate::waits::{BlockedThread, ChannelEnd, LazyWait, Role, WaitMode};
use crate::wrap::{around, clone, looks};

pin_project! {
    /// async-channel's `Receiver`, with a record of the task that owns it and of its waits.
    ///
    /// A wait of the stream is shown at the awaiting place, or where the channel was created if
    /// that place is unknown.
    // `inner` is dropped first, so that the receiver is gone before its record says so.
    pub struct Receiver<T> {
        #[pin]
        inner: ::async_channel::Receiver<T>,
        wait: LazyWait,
        end: ChannelEnd,
        made_at: &'static Location<'static>,
    }
}

impl<T> Receiver<T> {
    pub(super) fn of(
        inner: ::async_channel::Receiver<T>,
        end: ChannelEnd,
        made_at: &'static Location<'static>,
    ) -> Self {
        Self { inner, wait: LazyWait::default(), end, made_at }
    }

    /// Attempts to receive a message without waiting.
    ///
    /// # Errors
    /// If the channel is empty, or empty and closed.
    #[track_caller]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        self.end.used(Location::caller());
        let message = self.inner.try_recv()?;
        self.end.took_one_of_several();
        Ok(message)
    }

    /// Receives a message, waiting if the channel is empty. Cancel safe.
    #[track_caller]
    pub fn recv(&self) -> Recv<'_, T> {
        Recv::new(self.inner.recv(), &self.end, WaitMode::Receive, Location::caller())
    }

    /// Receives a message, blocking the current thread while the channel is empty.
    ///
    /// # Errors
    /// If the channel is closed and empty.
    #[track_caller]
    #[cfg(not(target_family = "wasm"))]
    pub fn recv_blocking(&self) -> Result<T, RecvError> {
        let at = Location::caller();
        self.end.used(at);
        let message = match self.inner.try_recv() {
            Ok(message) => message,
            Err(TryRecvError::Closed) => return Err(RecvError),
            Err(TryRecvError::Empty) => {
                let _blocked = BlockedThread::begin(self.end.record(), WaitMode::Receive, 1, at);
                self.inner.recv_blocking()?
            }
        };
        self.end.took_one_of_several();
        Ok(message)
    }

    /// Closes the channel. Returns `true` if it was open.
    ///
    /// Nothing can be sent after that; sent messages can still be received.
    #[track_caller]
    pub fn close(&self) -> bool {
        self.end.used(Location::caller());
        let was_open = self.inner.close();
        self.end.close();
        was_open
    }

    /// Returns `true` if both receivers belong to the same channel.
    pub fn same_channel(&self, other: &Self) -> bool {
        self.inner.same_channel(&other.inner)
    }

    looks!([
        is_closed() -> bool, is_empty() -> bool, is_full() -> bool, len() -> usize,
        capacity() -> Option<usize>, receiver_count() -> usize, sender_count() -> usize,
    ]);

    /// Downgrades to a receiver that does not keep the channel open.
    #[track_caller]
    pub fn downgrade(&self) -> WeakReceiver<T> {
        let at = Location::caller();
        WeakReceiver::of(self.inner.downgrade(), self.end.another(Role::Uses, at), self.made_at)
    }
}

impl<T> Stream for Receiver<T> {
    type Item = T;

    #[track_caller]
    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<T>> {
        let caller = Location::caller();
        let this = self.project();
        let (mut inner, end, made_at) = (this.inner, &*this.end, *this.made_at);
        let info = || end.polled(WaitMode::Receive, caller, made_at);
        let poll = this.wait.poll(context, info, |context| inner.as_mut().poll_next(context));
        if let Poll::Ready(Some(_)) = poll {
            // It may be ready at its first poll, without a wait.
            end.used_from(caller, made_at);
            end.took_one_of_several();
        }
        poll
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.inner.size_hint()
    }
}

impl<T> FusedStream for Receiver<T> {
    fn is_terminated(&self) -> bool {
        self.inner.is_terminated()
    }
}

clone!(Receiver<T>, Receives, made_at);
around!(
    [T] Receiver<T>: ::async_channel::Receiver<T>,
    |inner| Self::of(inner, ChannelEnd::none(), Location::caller())
);
