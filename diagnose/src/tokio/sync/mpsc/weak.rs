//! Senders that do not keep their channel open.

use std::fmt;
use std::panic::Location;

use ::tokio::sync::mpsc;

use super::{Sender, UnboundedSender};
use crate::waits::{ChannelEnd, Role};

/// Defines a weak sender around tokio's own of that name.
macro_rules! weak {
    ($(#[$documentation:meta])* $name:ident of $sender:ident) => {
        $(#[$documentation])*
        ///
        /// Whoever has it can become a sender, so it has a part in the channel.
        pub struct $name<T> {
            inner: mpsc::$name<T>,
            end: ChannelEnd,
        }

        impl<T> $name<T> {
            #[inline]
            pub(super) fn new(inner: mpsc::$name<T>, end: ChannelEnd) -> Self {
                Self { inner, end }
            }

            /// A sender, if there still is one.
            #[track_caller]
            pub fn upgrade(&self) -> Option<$sender<T>> {
                let inner = self.inner.upgrade()?;
                Some($sender::new(inner, self.end.another(Role::Sends, Location::caller())))
            }

            /// How many senders there are.
            pub fn strong_count(&self) -> usize {
                self.inner.strong_count()
            }

            /// How many weak senders there are.
            pub fn weak_count(&self) -> usize {
                self.inner.weak_count()
            }

            /// tokio's own weak sender. From then on nobody knows who has it.
            pub fn into_inner(self) -> mpsc::$name<T> {
                self.end.lose();
                self.inner
            }
        }

        impl<T> Clone for $name<T> {
            #[track_caller]
            fn clone(&self) -> Self {
                Self { inner: self.inner.clone(), end: self.end.another(Role::Uses, Location::caller()) }
            }
        }

        impl<T> fmt::Debug for $name<T> {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.inner.fmt(formatter)
            }
        }

        impl<T> From<mpsc::$name<T>> for $name<T> {
            fn from(inner: mpsc::$name<T>) -> Self {
                Self { inner, end: ChannelEnd::none() }
            }
        }

        impl<T> From<$name<T>> for mpsc::$name<T> {
            fn from(weak: $name<T>) -> Self {
                weak.into_inner()
            }
        }
    };
}

weak! {
    /// tokio's `WeakSender`.
    WeakSender of Sender
}
weak! {
    /// tokio's `WeakUnboundedSender`.
    WeakUnboundedSender of UnboundedSender
}
