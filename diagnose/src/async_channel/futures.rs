//! The futures of senders and receivers. Each polls the original's future and records the wait.

use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};

use ::async_channel::{RecvError, SendError};
use pin_project_lite::pin_project;

use crate::waits::{ChannelEnd, WaitFuture, WaitInfo, WaitMode};

/// Declares a future named as in the original. `$after` records its result.
macro_rules! future {
    ($(#[$meta:meta])* $name:ident -> $output:ty, $after:expr) => {
        pin_project! {
            $(#[$meta])*
            #[must_use = "futures do nothing unless you `.await` or poll them"]
            pub struct $name<'a, T> {
                #[pin]
                waited: WaitFuture<::async_channel::$name<'a, T>>,
                end: &'a ChannelEnd,
                at: &'static Location<'static>,
            }
        }

        impl<'a, T> $name<'a, T> {
            pub(super) fn new(
                future: ::async_channel::$name<'a, T>,
                end: &'a ChannelEnd,
                mode: WaitMode,
                at: &'static Location<'static>,
            ) -> Self {
                Self { waited: WaitFuture::new(future, WaitInfo::on(end.record(), mode, 1, at)), end, at }
            }
        }

        impl<T> Future for $name<'_, T> {
            type Output = $output;

            fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
                let this = self.project();
                if !this.waited.has_waited() {
                    this.end.used(this.at);
                }
                let poll = this.waited.poll(context);
                if let Poll::Ready(result) = &poll {
                    let after: fn(&ChannelEnd, &$output) = $after;
                    after(this.end, result);
                }
                poll
            }
        }

        impl<T> fmt::Debug for $name<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($name), " { .. }"))
            }
        }
    };
}

future! {
    /// The future returned by [`Sender::send`](super::Sender::send).
    Send -> Result<(), SendError<T>>, |end, sent| if sent.is_ok() { end.put::<T>() }
}
future! {
    /// The future returned by [`Receiver::recv`](super::Receiver::recv).
    Recv -> Result<T, RecvError>, |end, message| if message.is_ok() { end.took_one_of_several() }
}
future! {
    /// The future returned by [`Sender::closed`](super::Sender::closed).
    Closed -> (), |_, ()| ()
}
