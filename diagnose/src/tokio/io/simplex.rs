//! `tokio::io::simplex`.

use std::io::{IoSlice, Result};
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};

use ::tokio::io::{AsyncRead, AsyncWrite, ReadBuf, ReadHalf, WriteHalf, split};

use super::pipe::{WHAT, poll_read, poll_write};
use crate::waits::{ChannelEnd, LazyWait, SoleEnd};
use crate::wrap::{convert, debug};

/// A pipe of so many bytes, as its two halves.
///
/// # Panics
/// If `max_buf_size` is zero.
#[track_caller]
pub fn simplex(max_buf_size: usize) -> (ReadHalf<SimplexStream>, WriteHalf<SimplexStream>) {
    split(SimplexStream::new_unsplit(max_buf_size))
}

/// tokio's `SimplexStream`: a pipe, both ends in one. Who has used it last and whether it waits is on record.
///
/// It waits where it was made, as far as is known: what reads and writes does not tell its place. A read that is given up
/// is seen as waiting until the next.
pub struct SimplexStream {
    inner: ::tokio::io::SimplexStream,
    sends: SoleEnd,
    receives: SoleEnd,
    writing: LazyWait,
    reading: LazyWait,
    made_at: &'static Location<'static>,
}

impl SimplexStream {
    /// A pipe that is not split into its halves.
    ///
    /// # Panics
    /// If `max_buf_size` is zero.
    #[track_caller]
    #[must_use]
    pub fn new_unsplit(max_buf_size: usize) -> Self {
        let at = Location::caller();
        let inner = ::tokio::io::SimplexStream::new_unsplit(max_buf_size);
        let (sends, receives) = ChannelEnd::pair(&WHAT, max_buf_size as u64, at, None);
        Self::new(inner, sends, receives, at)
    }

    fn new(
        inner: ::tokio::io::SimplexStream,
        sends: ChannelEnd,
        receives: ChannelEnd,
        made_at: &'static Location<'static>,
    ) -> Self {
        let (sends, receives) = (SoleEnd::new(sends), SoleEnd::new(receives));
        Self { inner, sends, receives, writing: LazyWait::default(), reading: LazyWait::default(), made_at }
    }

    /// tokio's own pipe. From then on nobody knows who has it.
    #[must_use]
    pub fn into_inner(self) -> ::tokio::io::SimplexStream {
        self.sends.lose();
        self.receives.lose();
        self.inner
    }
}

impl AsyncRead for SimplexStream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<Result<()>> {
        let Self { inner, receives, reading, made_at, .. } = self.get_mut();
        let poll = |cx: &mut Context<'_>, buf: &mut ReadBuf<'_>| Pin::new(&mut *inner).poll_read(cx, buf);
        poll_read(receives, reading, made_at, cx, buf, poll)
    }
}

impl AsyncWrite for SimplexStream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<Result<usize>> {
        let Self { inner, sends, writing, made_at, .. } = self.get_mut();
        poll_write(sends, writing, made_at, cx, |cx| Pin::new(&mut *inner).poll_write(cx, buf))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        let Self { inner, sends, writing, made_at, .. } = self.get_mut();
        poll_write(sends, writing, made_at, cx, |cx| Pin::new(&mut *inner).poll_write_vectored(cx, bufs))
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        let Self { inner, sends, writing, .. } = self.get_mut();
        let poll = Pin::new(inner).poll_shutdown(cx);
        writing.end();
        sends.close();
        poll
    }
}

debug!([] SimplexStream, inner: ::tokio::io::SimplexStream);

convert!(
    [] SimplexStream: ::tokio::io::SimplexStream,
    |inner| Self::new(inner, ChannelEnd::none(), ChannelEnd::none(), Location::caller()),
    |it| it.into_inner()
);
