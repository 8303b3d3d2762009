//! `tokio::task::AbortHandle`.

use ::tokio::task::Id;

use super::spawn::numbered;
use crate::spawned::RecordedTask;
use crate::wrap::{convert, debug, delegate};

/// tokio's `AbortHandle`. While one is alive, no verdict proves that its task hangs.
pub struct AbortHandle {
    inner: ::tokio::task::AbortHandle,
    counted: Counted,
}

/// While it exists, its owner may abort the task.
#[derive(Debug)]
struct Counted(RecordedTask);

impl Counted {
    fn new(task: RecordedTask) -> Self {
        task.add_abort_handle();
        Self(task)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.remove_abort_handle();
    }
}

impl AbortHandle {
    /// Wraps a handle of `task`.
    pub(super) fn new(inner: ::tokio::task::AbortHandle, task: RecordedTask) -> Self {
        Self { inner: numbered(task, inner), counted: Counted::new(task) }
    }

    /// Returns the record of the task.
    pub(super) fn task(&self) -> RecordedTask {
        self.counted.0
    }

    /// Aborts the task, unless it is finished.
    pub fn abort(&self) {
        self.counted.0.note_abort();
        self.inner.abort();
    }

    /// Returns tokio's own handle.
    ///
    /// With the feature `on` only; `.into()` works without it, too.
    #[must_use]
    pub fn into_inner(self) -> ::tokio::task::AbortHandle {
        self.counted.0.add_original_handle();
        self.inner
    }

    delegate! { inner:
        /// Returns whether the task is finished.
        #[must_use]
        pub fn is_finished(&self) -> bool;
        /// Returns tokio's id of the task.
        #[must_use]
        pub fn id(&self) -> Id;
    }
}

impl Clone for AbortHandle {
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone(), counted: Counted::new(self.counted.0) }
    }
}

debug!([] AbortHandle, inner: ::tokio::task::AbortHandle);

// A converted handle: its task is not recorded.
convert!(
    [] AbortHandle: ::tokio::task::AbortHandle,
    |inner| Self { inner, counted: Counted::new(RecordedTask::NONE) },
    |it| it.into_inner()
);
