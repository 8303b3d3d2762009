//! The iterators over a receiver's messages.

use std::fmt;
use std::panic::Location;

use super::Receiver;

/// Declares an iterator named as in the original.
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

        #[allow(single_use_lifetimes)] // They are used more than once with another receiver.
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
    /// An iterator of [`Receiver::iter`], which ends when all senders are dropped.
    Iter<'a> of &'a Receiver<T>, recv_at
}
iter! {
    /// An iterator of [`Receiver::try_iter`] over the messages that are available.
    TryIter<'a> of &'a Receiver<T>, try_recv_at
}
iter! {
    /// An iterator that owns its receiver. It ends when all senders are dropped.
    IntoIter of Receiver<T>, recv_at
}

/// An iterator of [`Receiver::drain`] over the messages taken out by that call.
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
