//! An end that a future borrows, or owns.

use std::ops::Deref;

use crate::waits::End;

/// Either.
#[derive(Debug)]
pub(super) enum Part<'a> {
    Borrowed(&'a End),
    Owned(End),
}

impl Deref for Part<'_> {
    type Target = End;

    fn deref(&self) -> &End {
        match self {
            Self::Borrowed(end) => end,
            Self::Owned(end) => end,
        }
    }
}
