//! Senders that do not keep their channel open.

use std::panic::Location;

use ::tokio::sync::mpsc;

use super::{Sender, UnboundedSender};
use crate::waits::Role;
use crate::wrap::{delegate, end};

end! {
    /// tokio's `WeakSender`. It counts as an end of the channel, because it can be upgraded.
    pub struct WeakSender<T>(mpsc::WeakSender<T>), clone: Uses;
}

end! {
    /// tokio's `WeakUnboundedSender`. It can become a sender again, so it counts as an end of the
    /// channel.
    pub struct WeakUnboundedSender<T>(mpsc::WeakUnboundedSender<T>), clone: Uses;
}

/// Implements the methods of both weak senders.
macro_rules! weak {
    ($name:ident of $sender:ident) => {
        impl<T> $name<T> {
            /// Upgrades to a sender. Returns `None` if all senders are dropped.
            #[track_caller]
            pub fn upgrade(&self) -> Option<$sender<T>> {
                let inner = self.inner.upgrade()?;
                Some($sender::of(inner, self.end.another(Role::Sends, Location::caller())))
            }

            delegate! { inner:
                /// Returns the number of senders.
                pub fn strong_count(&self) -> usize;
                /// Returns the number of weak senders.
                pub fn weak_count(&self) -> usize;
            }
        }
    };
}

weak!(WeakSender of Sender);
weak!(WeakUnboundedSender of UnboundedSender);
