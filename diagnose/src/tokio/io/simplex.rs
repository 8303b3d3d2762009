//! `tokio::io::simplex`.

use std::io::{IoSlice, Result};
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};

use ::tokio::io::{AsyncRead, AsyncWrite, ReadBuf, ReadHalf, WriteHalf, split};

use super::pipe::{TYPE, poll_read, poll_write};
use super::stream::stream;
use crate::waits::{ChannelEnd, LazyWait, SoleEnd};

/// Creates a pipe of `max_buf_size` bytes. Returns its reading and its writing half.
///
/// # Panics
/// If `max_buf_size` is zero.
#[track_caller]
pub fn simplex(max_buf_size: usize) -> (ReadHalf<SimplexStream>, WriteHalf<SimplexStream>) {
    split(SimplexStream::new_unsplit(max_buf_size))
}

stream! {
    /// tokio's `SimplexStream`: both ends of a pipe. Its last user and its waits are recorded.
    ///
    /// Its waits are shown where it was created, because a read or write does not pass the place of
    /// its call. A cancelled read is shown as waiting until the next read.
    SimplexStream, |_, _| ()
}

impl SimplexStream {
    /// Creates a pipe that is not split into halves.
    ///
    /// # Panics
    /// If `max_buf_size` is zero.
    #[track_caller]
    #[must_use]
    pub fn new_unsplit(max_buf_size: usize) -> Self {
        let at = Location::caller();
        let inner = ::tokio::io::SimplexStream::new_unsplit(max_buf_size);
        let (sends, receives) = ChannelEnd::pair(&TYPE, max_buf_size as u64, at, None);
        Self::new(inner, SoleEnd::new(sends), SoleEnd::new(receives), at)
    }
}
