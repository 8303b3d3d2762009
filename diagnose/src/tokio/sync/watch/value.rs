//! Borrows of a channel's value.

use std::ops::Deref;
use std::panic::Location;

use ::tokio::sync::watch;

use crate::waits::{BlockedThread, ChannelEnd, ValueBorrow, WaitMode};
use crate::wrap::debug;

/// tokio's `Ref`: a borrow of the channel's value. While it exists, a sender blocks its thread. The
/// borrowing task is recorded.
// `inner` is the first field: the value is released before the record of the borrow ends.
pub struct Ref<'a, T> {
    inner: watch::Ref<'a, T>,
    borrowed: ValueBorrow,
}

impl<'a, T> Ref<'a, T> {
    /// Borrows the value. Blocks the current thread while a sender is blocked.
    #[inline]
    pub(super) fn borrow(
        end: &ChannelEnd,
        at: &'static Location<'static>,
        borrow: impl FnOnce() -> watch::Ref<'a, T>,
    ) -> Self {
        let record = end.record();
        let blocked = match record.filter(|record| record.has_blocked()) {
            None => None,
            blocks => BlockedThread::begin(blocks, WaitMode::Read, 1, at),
        };
        let inner = borrow();
        drop(blocked);
        Self { inner, borrowed: ValueBorrow::begin(record, at) }
    }

    /// Records the borrow that `wait_for` has returned.
    pub(super) fn new(inner: watch::Ref<'a, T>, end: &ChannelEnd, at: &'static Location<'static>) -> Self {
        Self { inner, borrowed: ValueBorrow::begin(end.record(), at) }
    }

    /// Returns whether the value is new to the receiver. Always `false` for a sender's borrow.
    pub fn has_changed(&self) -> bool {
        self.inner.has_changed()
    }
}

impl<T> Deref for Ref<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.borrowed.accessed();
        &self.inner
    }
}

debug!(['a, T] Ref<'a, T>, inner: watch::Ref<'a, T>);
