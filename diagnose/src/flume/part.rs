//! An end that a future borrows, or owns.

use std::ops::Deref;

use crate::waits::ChannelEnd;

/// Either.
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
