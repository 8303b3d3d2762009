//! `tokio::io::simplex`.

use std::io::{IoSlice, Result};
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};

use ::tokio::io::{AsyncRead, AsyncWrite, ReadBuf, ReadHalf, WriteHalf, split};

use super::pipe::{WHAT, poll_read, poll_write};
use super::stream::stream;
use crate::waits::{ChannelEnd, LazyWait, SoleEnd};

/// Creates a pipe with this capacity in bytes, as its two halves.
///
/// # Panics
/// If `max_buf_size` is zero.
#[track_caller]
pub fn simplex(max_buf_size: usize) -> (ReadHalf<SimplexStream>, WriteHalf<SimplexStream>) {
    split(SimplexStream::new_unsplit(max_buf_size))
}

stream! {
    /// tokio's `SimplexStream`: a pipe, both ends in one. Who has used it last and whether it waits is on record.
    ///
    /// It waits where it was made, as far as is known: what reads and writes does not tell its place. A read that is given up
    /// is seen as waiting until the next.
    SimplexStream, |_, _| ()
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
        Self::new(inner, SoleEnd::new(sends), SoleEnd::new(receives), at)
    }
}
