//! Senders that do not keep their channel open.

use std::panic::Location;

use ::tokio::sync::mpsc;

use super::{Sender, UnboundedSender};
use crate::waits::Role;
use crate::wrap::{delegate, end};

end! {
    /// tokio's `WeakSender`.
    ///
    /// Its owner can upgrade it to a sender, so it counts as an end of the channel.
    pub struct WeakSender<T>(mpsc::WeakSender<T>), clone: Uses;
}

end! {
    /// tokio's `WeakUnboundedSender`.
    ///
    /// Its owner can upgrade it to a sender, so it counts as an end of the channel.
    pub struct WeakUnboundedSender<T>(mpsc::WeakUnboundedSender<T>), clone: Uses;
}

/// What both weak senders have.
macro_rules! weak {
    ($name:ident of $sender:ident) => {
        impl<T> $name<T> {
            /// A sender, if there still is one.
            #[track_caller]
            pub fn upgrade(&self) -> Option<$sender<T>> {
                let inner = self.inner.upgrade()?;
                Some($sender::of(inner, self.end.another(Role::Sends, Location::caller())))
            }

            delegate! { inner:
                /// How many senders there are.
                pub fn strong_count(&self) -> usize;
                /// How many weak senders there are.
                pub fn weak_count(&self) -> usize;
            }
        }
    };
}

weak!(WeakSender of Sender);
weak!(WeakUnboundedSender of UnboundedSender);
