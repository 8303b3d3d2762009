//! Receivers of watch channels.

use std::future::Future;
use std::panic::Location;

use ::tokio::sync::watch::{self, error::RecvError};

use super::Ref;
use crate::waits::WaitMode;
use crate::wrap::{delegate, end};

end! {
    /// tokio's `watch::Receiver`, which also records its owner and its waits.
    pub struct Receiver<T>(watch::Receiver<T>), clone: Receives;
}

impl<T> Receiver<T> {
    /// Borrows the latest value, without marking it as seen. While the borrow lives, `send` blocks
    /// its thread.
    #[track_caller]
    #[inline]
    pub fn borrow(&self) -> Ref<'_, T> {
        Ref::borrow(&self.end, Location::caller(), || self.inner.borrow())
    }

    /// Borrows the latest value and marks it as seen. While the borrow lives, `send` blocks its
    /// thread.
    #[track_caller]
    #[inline]
    pub fn borrow_and_update(&mut self) -> Ref<'_, T> {
        Ref::borrow(&self.end, Location::caller(), || self.inner.borrow_and_update())
    }

    /// Waits for a value that has not been seen, and marks it as seen. Cancel safe.
    ///
    /// # Errors
    /// If all senders are dropped.
    #[track_caller]
    pub fn changed(&mut self) -> impl Future<Output = Result<(), RecvError>> + use<'_, T> {
        self.end.wait(self.inner.changed(), WaitMode::Receive, Location::caller())
    }

    /// Waits for a value for which `f` returns `true`, and marks it as seen. Cancel safe: each
    /// value that was checked counts as seen.
    ///
    /// # Errors
    /// If all senders are dropped, and `f` returns `false` for the last value.
    ///
    /// # Panics
    /// If `f` panics.
    #[track_caller]
    pub fn wait_for(
        &mut self,
        f: impl FnMut(&T) -> bool,
    ) -> impl Future<Output = Result<Ref<'_, T>, RecvError>> {
        let at = Location::caller();
        async move {
            let Self { inner, end } = self;
            let inner = end.wait(inner.wait_for(f), WaitMode::Receive, at).await?;
            Ok(Ref::new(inner, end, at))
        }
    }

    delegate! { inner:
        /// Returns whether there is a value that has not been seen.
        ///
        /// # Errors
        /// If all senders are dropped.
        pub fn has_changed(&self) -> Result<bool, RecvError>;
        /// Returns whether all senders are dropped.
        pub fn is_closed(&self) -> bool;
        /// Marks the latest value as not seen.
        pub fn mark_changed(&mut self);
        /// Marks the latest value as seen.
        pub fn mark_unchanged(&mut self);
        /// Returns whether both belong to the same channel.
        pub fn same_channel(&self, other: &Self) -> bool;
    }
}
