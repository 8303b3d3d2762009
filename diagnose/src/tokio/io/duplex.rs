//! `tokio::io::duplex`.

use std::io::{IoSlice, Result};
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};

use ::tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::pipe::{WHAT, poll_read, poll_write};
use crate::waits::{ChannelEnd, LazyWait, SoleEnd};
use crate::wrap::{convert, debug};

/// Two pipes of so many bytes, one in each direction: what is written to either stream is read from the other.
///
/// # Panics
/// If `max_buf_size` is zero.
#[track_caller]
pub fn duplex(max_buf_size: usize) -> (DuplexStream, DuplexStream) {
    let at = Location::caller();
    let (one, two) = ::tokio::io::duplex(max_buf_size);
    let (there, from_there) = ChannelEnd::pair(&WHAT, max_buf_size as u64, at, None);
    let (back, from_back) = ChannelEnd::pair(&WHAT, max_buf_size as u64, at, None);
    (DuplexStream::new(one, there, from_back, at), DuplexStream::new(two, back, from_there, at))
}

/// tokio's `DuplexStream`: an end of both pipes. Who has it and whether it waits is on record.
///
/// It waits where it was made, as far as is known: what reads and writes does not tell its place. A read that is given up
/// is seen as waiting until the next.
// The stream stands first: it is gone before the records say so.
pub struct DuplexStream {
    inner: ::tokio::io::DuplexStream,
    sends: SoleEnd,
    receives: SoleEnd,
    writing: LazyWait,
    reading: LazyWait,
    made_at: &'static Location<'static>,
}

impl DuplexStream {
    fn new(
        inner: ::tokio::io::DuplexStream,
        sends: ChannelEnd,
        receives: ChannelEnd,
        made_at: &'static Location<'static>,
    ) -> Self {
        let (sends, receives) = (SoleEnd::new(sends), SoleEnd::new(receives));
        Self { inner, sends, receives, writing: LazyWait::default(), reading: LazyWait::default(), made_at }
    }

    /// tokio's own stream. From then on nobody knows who has it.
    #[must_use]
    pub fn into_inner(self) -> ::tokio::io::DuplexStream {
        self.sends.lose();
        self.receives.lose();
        self.inner
    }
}

impl AsyncRead for DuplexStream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<Result<()>> {
        let Self { inner, sends, receives, reading, made_at, .. } = self.get_mut();
        // Whoever has one end of the stream has the other.
        sends.used(made_at);
        let poll = |cx: &mut Context<'_>, buf: &mut ReadBuf<'_>| Pin::new(&mut *inner).poll_read(cx, buf);
        poll_read(receives, reading, made_at, cx, buf, poll)
    }
}

impl AsyncWrite for DuplexStream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<Result<usize>> {
        let Self { inner, sends, receives, writing, made_at, .. } = self.get_mut();
        receives.used(made_at);
        poll_write(sends, writing, made_at, cx, |cx| Pin::new(&mut *inner).poll_write(cx, buf))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        let Self { inner, sends, receives, writing, made_at, .. } = self.get_mut();
        receives.used(made_at);
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

debug!([] DuplexStream, inner: ::tokio::io::DuplexStream);

convert!(
    [] DuplexStream: ::tokio::io::DuplexStream,
    |inner| Self::new(inner, ChannelEnd::none(), ChannelEnd::none(), Location::caller()),
    |it| it.into_inner()
);
