//! The receivers of bounded and unbounded channels.

use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};

use ::futures::channel::mpsc::{self, TryRecvError};
use ::futures::stream::{FusedStream, Stream};

use super::Recv;
use crate::waits::{ChannelEnd, LazyWait, SoleEnd, WaitMode};
use crate::wrap::around_sole;

/// Declares a receiver that wraps the original of the same name.
macro_rules! receiver {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        // `inner` is dropped first, so that the receiver is gone before its record says so.
        pub struct $name<T> {
            inner: mpsc::$name<T>,
            wait: LazyWait,
            end: SoleEnd,
            made_at: &'static Location<'static>,
        }

        impl<T> $name<T> {
            pub(super) fn new(inner: mpsc::$name<T>, end: ChannelEnd, made_at: &'static Location<'static>) -> Self {
                Self { inner, wait: LazyWait::default(), end: SoleEnd::new(end), made_at }
            }

            /// Receives a message, waiting if the channel is empty. Cancel safe.
            #[track_caller]
            pub fn recv(&mut self) -> Recv<'_, Self> {
                self.end.used(Location::caller());
                Recv::new(self)
            }

            /// Closes the channel. Sent messages can still be received.
            #[track_caller]
            pub fn close(&mut self) {
                self.end.used(Location::caller());
                self.inner.close();
                self.end.close();
            }

            /// Attempts to receive a message. A closed, empty channel yields `Ok(None)`.
            ///
            /// # Errors
            /// If the channel is open and empty.
            #[track_caller]
            #[deprecated(note = "please use `try_recv` instead")]
            pub fn try_next(&mut self) -> Result<Option<T>, TryRecvError> {
                match self.try_recv() {
                    Ok(message) => Ok(Some(message)),
                    Err(TryRecvError::Closed) => Ok(None),
                    Err(error) => Err(error),
                }
            }

            /// Attempts to receive a message without waiting.
            ///
            /// # Errors
            /// If the channel is empty, or empty and closed.
            #[track_caller]
            pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
                self.wait.end();
                self.end.used(Location::caller());
                let message = self.inner.try_recv()?;
                self.end.took(1);
                Ok(message)
            }
        }

        impl<T> Unpin for $name<T> {}

        impl<T> Stream for $name<T> {
            type Item = T;

            #[track_caller]
            fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<T>> {
                let caller = Location::caller();
                let Self { inner, wait, end, made_at } = self.get_mut();
                let info = || end.polled(WaitMode::Receive, caller, made_at);
                let poll = wait.poll(cx, info, |cx| Pin::new(&mut *inner).poll_next(cx));
                if let Poll::Ready(Some(_)) = poll {
                    // It may be ready at its first poll, without a wait.
                    end.used_from(caller, made_at);
                    end.took(1);
                }
                poll
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                self.inner.size_hint()
            }
        }

        impl<T> FusedStream for $name<T> {
            fn is_terminated(&self) -> bool {
                self.inner.is_terminated()
            }
        }

        around_sole!(
            [T] $name<T>: mpsc::$name<T>,
            |inner| Self::new(inner, ChannelEnd::none(), Location::caller())
        );
    };
}

receiver! {
    /// futures' bounded `Receiver`, with a record of the task that owns it and of its waits.
    Receiver
}
receiver! {
    /// futures' `UnboundedReceiver`, with a record of the task that owns it and of its waits.
    UnboundedReceiver
}
