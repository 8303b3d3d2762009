//! The futures that wait until a token is cancelled.

use std::panic::Location;

use ::tokio_util::sync as real;

use crate::waits::ChannelEnd;
use crate::wrap::future;

future! {
    /// The future of [`cancelled`](super::CancellationToken::cancelled).
    #[must_use = "futures do nothing unless polled"]
    pub struct WaitForCancellationFuture<'a> {
        #[pin]
        waited: WaitFuture<real::WaitForCancellationFuture<'a>>,
        end: &'a ChannelEnd,
        at: &'static Location<'static>,
    }
    -> ();
    before |this| if !this.waited.has_waited() { this.end.used(this.at) };
}

future! {
    /// The future of [`cancelled_owned`](super::CancellationToken::cancelled_owned).
    #[must_use = "futures do nothing unless polled"]
    pub struct WaitForCancellationFutureOwned {
        #[pin]
        waited: WaitFuture<real::WaitForCancellationFutureOwned>,
        end: ChannelEnd,
        at: &'static Location<'static>,
    }
    -> ();
    before |this| if !this.waited.has_waited() { this.end.used(this.at) };
}
