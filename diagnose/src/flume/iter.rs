//! The iterators of a receiver.

use std::fmt;
use std::panic::Location;

use super::Receiver;

/// One that has the name of the original's.
macro_rules! iter {
    ($(#[$meta:meta])* $name:ident $(<$lifetime:lifetime>)? of $receiver:ty, $take:ident) => {
        $(#[$meta])*
        pub struct $name<$($lifetime,)? T> {
            receiver: $receiver,
            at: &'static Location<'static>,
        }

        impl<$($lifetime,)? T> $name<$($lifetime,)? T> {
            pub(super) fn new(receiver: $receiver, at: &'static Location<'static>) -> Self {
                Self { receiver, at }
            }
        }

        #[allow(single_use_lifetimes)] // With another receiver it is not.
        impl<$($lifetime,)? T> Iterator for $name<$($lifetime,)? T> {
            type Item = T;

            fn next(&mut self) -> Option<T> {
                self.receiver.$take(self.at).ok()
            }
        }

        #[allow(single_use_lifetimes)]
        impl<$($lifetime,)? T> fmt::Debug for $name<$($lifetime,)? T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).field("receiver", &self.receiver).finish()
            }
        }
    };
}

iter! {
    /// The messages until there is no sender any more, of [`Receiver::iter`].
    Iter<'a> of &'a Receiver<T>, recv_at
}
iter! {
    /// The messages that are there, of [`Receiver::try_iter`].
    TryIter<'a> of &'a Receiver<T>, try_recv_at
}
iter! {
    /// The messages until there is no sender any more, of a receiver of its own.
    IntoIter of Receiver<T>, recv_at
}

/// The messages that were there, of [`Receiver::drain`].
#[derive(Debug)]
pub struct Drain<'a, T>(pub(super) ::flume::Drain<'a, T>);

impl<T> Iterator for Drain<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.0.next()
    }
}

impl<T> ExactSizeIterator for Drain<'_, T> {
    fn len(&self) -> usize {
        self.0.len()
    }
}
