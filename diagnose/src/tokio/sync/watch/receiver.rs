//! The receivers of a watched value.

use std::future::Future;
use std::panic::Location;

use ::tokio::sync::watch::{self, error::RecvError};

use super::Ref;
use crate::waits::WaitMode;
use crate::wrap::{delegate, end};

end! {
    /// tokio's `Receiver` of a watched value; who has it and whether it waits is on record.
    pub struct Receiver<T>(watch::Receiver<T>), clone: Receives;
}

impl<T> Receiver<T> {
    /// The present value, without marking it as seen. Senders are blocked, thread and all, until it is given back.
    #[track_caller]
    #[inline]
    pub fn borrow(&self) -> Ref<'_, T> {
        Ref::borrow(&self.end, Location::caller(), || self.inner.borrow())
    }

    /// The present value, marked as seen. Senders are blocked, thread and all, until it is given back.
    #[track_caller]
    #[inline]
    pub fn borrow_and_update(&mut self) -> Ref<'_, T> {
        Ref::borrow(&self.end, Location::caller(), || self.inner.borrow_and_update())
    }

    /// Waits for a value that was not seen, and marks it as seen. Cancel safe.
    ///
    /// # Errors
    /// If no sender is left.
    #[track_caller]
    pub fn changed(&mut self) -> impl Future<Output = Result<(), RecvError>> + use<'_, T> {
        self.end.wait(self.inner.changed(), WaitMode::Receive, Location::caller())
    }

    /// Waits for a value of which `f` says yes, and marks it as seen. Cancel safe: whenever it stops, it has seen what it
    /// has looked at.
    ///
    /// # Errors
    /// If no sender is left and the last value is not it.
    ///
    /// # Panics
    /// If `f` does.
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
        /// Whether there is a value that was not seen.
        ///
        /// # Errors
        /// If no sender is left.
        pub fn has_changed(&self) -> Result<bool, RecvError>;
        /// Whether no sender is left.
        pub fn is_closed(&self) -> bool;
        /// The present value counts as not seen.
        pub fn mark_changed(&mut self);
        /// The present value counts as seen.
        pub fn mark_unchanged(&mut self);
        /// Whether both watch the same value.
        pub fn same_channel(&self, other: &Self) -> bool;
    }
}
