//! The future that receives one message.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use ::futures::channel::mpsc::RecvError;
use ::futures::future::FusedFuture;
use ::futures::stream::{FusedStream, Stream};

/// The future returned by [`Receiver::recv`](super::Receiver::recv).
#[derive(Debug)]
#[must_use = "futures do nothing unless you `.await` or poll them"]
pub struct Recv<'a, St: ?Sized> {
    stream: &'a mut St,
}

impl<'a, St: ?Sized> Recv<'a, St> {
    pub(super) fn new(stream: &'a mut St) -> Self {
        Self { stream }
    }
}

impl<St: ?Sized + FusedStream + Unpin> FusedFuture for Recv<'_, St> {
    fn is_terminated(&self) -> bool {
        self.stream.is_terminated()
    }
}

impl<St: ?Sized + Stream + Unpin> Future for Recv<'_, St> {
    type Output = Result<St::Item, RecvError>;

    // An `.await` calls this from its own place.
    #[track_caller]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut *self.stream).poll_next(cx).map(|message| message.ok_or(RecvError))
    }
}
