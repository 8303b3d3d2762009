//! The channel end of a future: borrowed or owned.

use std::ops::Deref;

use crate::waits::ChannelEnd;

/// A channel end that a future, stream or sink borrows or owns.
#[derive(Debug)]
pub(super) enum Part<'a> {
    Borrowed(&'a ChannelEnd),
    Owned(ChannelEnd),
}

impl Deref for Part<'_> {
    type Target = ChannelEnd;

    fn deref(&self) -> &ChannelEnd {
        match self {
            Self::Borrowed(end) => end,
            Self::Owned(end) => end,
        }
    }
}
