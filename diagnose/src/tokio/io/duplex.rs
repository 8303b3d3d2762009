//! `tokio::io::duplex`.

use std::io::{IoSlice, Result};
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};

use ::tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::pipe::{TYPE, poll_read, poll_write};
use super::stream::stream;
use crate::waits::{ChannelEnd, LazyWait, SoleEnd};

/// Creates two connected streams, with a pipe of `max_buf_size` bytes in each direction. Bytes
/// written to one stream are read from the other.
///
/// # Panics
/// If `max_buf_size` is zero.
#[track_caller]
pub fn duplex(max_buf_size: usize) -> (DuplexStream, DuplexStream) {
    let at = Location::caller();
    let (one, two) = ::tokio::io::duplex(max_buf_size);
    let (there, from_there) = ChannelEnd::pair(&TYPE, max_buf_size as u64, at, None);
    let (back, from_back) = ChannelEnd::pair(&TYPE, max_buf_size as u64, at, None);
    (
        DuplexStream::new(one, SoleEnd::new(there), SoleEnd::new(from_back), at),
        DuplexStream::new(two, SoleEnd::new(back), SoleEnd::new(from_there), at),
    )
}

stream! {
    /// tokio's `DuplexStream`: one end of each pipe. Its owner and its waits are recorded.
    ///
    /// Its waits are shown where it was created, because a read or write does not pass the place of
    /// its call. A cancelled read is shown as waiting until the next read.
    // Both ends of a stream have one owner.
    DuplexStream, |other, at| other.used(at)
}
