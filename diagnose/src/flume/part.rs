//! The common parts of futures, streams and sinks: their fields, and a borrowed or owned end.

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

/// Declares a future, stream or sink with the fields `inner`, which is the original, `wait` and
/// `end`, a named place, and possibly a flag, which is false at first.
///
/// Also writes `new`, the methods that only read the original, and `Debug`.
///
/// ```text
/// waiting! {
///     /// The future returned by [`Receiver::recv_async`](super::Receiver::recv_async).
///     pub struct RecvFut<'a, T> { at, is_polled }
/// }
/// ```
macro_rules! waiting {
    (
        $(#[$meta:meta])*
        pub struct $name:ident<'a, T> { $place:ident $(, $(#[$flag_meta:meta])* $flag:ident)? }
    ) => {
        $(#[$meta])*
        pub struct $name<'a, T> {
            // Dropped first: it leaves the original's queue before its record ends.
            inner: ::flume::r#async::$name<'a, T>,
            wait: $crate::waits::LazyWait,
            end: Part<'a>,
            $place: &'static Location<'static>,
            $($(#[$flag_meta])* $flag: bool,)?
        }

        impl<'a, T> $name<'a, T> {
            pub(super) fn new(
                inner: ::flume::r#async::$name<'a, T>,
                end: Part<'a>,
                $place: &'static Location<'static>,
            ) -> Self {
                Self { inner, wait: $crate::waits::LazyWait::default(), end, $place $(, $flag: false)? }
            }
        }

        impl<T> $name<'_, T> {
            $crate::wrap::looks!([
                is_disconnected() -> bool, is_empty() -> bool, is_full() -> bool, len() -> usize,
                capacity() -> Option<usize>,
            ]);
        }

        $crate::wrap::debug!(['a, T] $name<'a, T>, inner: ::flume::r#async::$name<'a, T>);
    };
}

pub(super) use waiting;
