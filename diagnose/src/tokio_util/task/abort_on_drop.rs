//! `AbortOnDropHandle`.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use ::tokio_util::task as real;

use crate::live::ON_DROP;
use crate::tokio::task::{AbortHandle, JoinError, JoinHandle};
use crate::wrap::convert;

/// tokio-util's `AbortOnDropHandle`, around a recorded [`JoinHandle`]. Awaiting it is recorded as a
/// wait for its task. Its drop aborts the task.
#[must_use = "Dropping the handle aborts the task immediately"]
// `None` once it is detached.
pub struct AbortOnDropHandle<T>(Option<JoinHandle<T>>);

impl<T> AbortOnDropHandle<T> {
    /// Creates a handle that aborts the task when it is dropped.
    pub fn new(handle: JoinHandle<T>) -> Self {
        handle.task().add_handle(ON_DROP);
        Self(Some(handle))
    }

    fn handle(&self) -> &JoinHandle<T> {
        self.0.as_ref().expect("it is there until the handle is gone")
    }

    /// Aborts the task, unless it is finished.
    pub fn abort(&self) {
        self.handle().abort();
    }

    /// Returns whether the task is finished.
    pub fn is_finished(&self) -> bool {
        self.handle().is_finished()
    }

    /// Returns a handle that can abort the task, but not await it.
    pub fn abort_handle(&self) -> AbortHandle {
        self.handle().abort_handle()
    }

    /// Returns the task's own handle, whose drop does not abort it.
    ///
    /// # Panics
    /// Never: the handle is there until this one is gone.
    pub fn detach(mut self) -> JoinHandle<T> {
        let handle = self.0.take().expect("it is there until the handle is gone");
        handle.task().remove_handle(ON_DROP);
        handle
    }
}

impl<T> Drop for AbortOnDropHandle<T> {
    fn drop(&mut self) {
        if let Some(handle) = &self.0 {
            handle.abort();
        }
    }
}

impl<T> Future for AbortOnDropHandle<T> {
    type Output = Result<T, JoinError>;

    // An `.await` in the program's own code is itself the caller.
    #[track_caller]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(self.0.as_mut().expect("it is there until the handle is gone")).poll(cx)
    }
}

impl<T> AsRef<JoinHandle<T>> for AbortOnDropHandle<T> {
    fn as_ref(&self) -> &JoinHandle<T> {
        self.handle()
    }
}

impl<T> fmt::Debug for AbortOnDropHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AbortOnDropHandle").field("id", &self.handle().id()).finish()
    }
}

// A converted handle: its task is not recorded.
convert!(
    [T] AbortOnDropHandle<T>: real::AbortOnDropHandle<T>,
    |handle| Self::new(handle.detach().into()),
    |it| Self::new(it.detach().into())
);
