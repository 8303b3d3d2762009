//! The futures that wait until a token is cancelled.

use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};

use ::tokio_util::sync as real;
use pin_project_lite::pin_project;

use crate::waits::{ChannelEnd, WaitFuture, WaitInfo, WaitMode};

pin_project! {
    /// The future of [`cancelled`](super::CancellationToken::cancelled).
    #[must_use = "futures do nothing unless polled"]
    pub struct WaitForCancellationFuture<'a> {
        #[pin]
        waited: WaitFuture<real::WaitForCancellationFuture<'a>>,
        end: &'a ChannelEnd,
        at: &'static Location<'static>,
    }
}

pin_project! {
    /// The future of [`cancelled_owned`](super::CancellationToken::cancelled_owned).
    #[must_use = "futures do nothing unless polled"]
    pub struct WaitForCancellationFutureOwned {
        #[pin]
        waited: WaitFuture<real::WaitForCancellationFutureOwned>,
        end: ChannelEnd,
        at: &'static Location<'static>,
    }
}

fn wait_info(end: &ChannelEnd, at: &'static Location<'static>) -> WaitInfo {
    WaitInfo::on(end.record(), WaitMode::Notified, 1, at)
}

impl<'a> WaitForCancellationFuture<'a> {
    pub(super) fn new(
        future: real::WaitForCancellationFuture<'a>,
        end: &'a ChannelEnd,
        at: &'static Location<'static>,
    ) -> Self {
        Self { waited: WaitFuture::new(future, wait_info(end, at)), end, at }
    }
}

impl WaitForCancellationFutureOwned {
    pub(super) fn new(
        future: real::WaitForCancellationFutureOwned,
        end: ChannelEnd,
        at: &'static Location<'static>,
    ) -> Self {
        Self { waited: WaitFuture::new(future, wait_info(&end, at)), end, at }
    }
}

macro_rules! future {
    ($name:ty) => {
        impl Future for $name {
            type Output = ();

            fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
                let this = self.project();
                if !this.waited.has_waited() {
                    this.end.used(this.at);
                }
                this.waited.poll(context)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.waited.future().fmt(f)
            }
        }
    };
}

future!(WaitForCancellationFuture<'_>);
future!(WaitForCancellationFutureOwned);
