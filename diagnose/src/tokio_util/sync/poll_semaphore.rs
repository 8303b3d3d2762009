//! `PollSemaphore`.

use std::fmt;
use std::panic::Location;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use ::tokio_util::sync::ReusableBoxFuture;
use futures_core::stream::Stream;

use crate::tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore, TryAcquireError};
use crate::waits::own_code;
use crate::wrap::delegate;

/// The future that acquires the permits.
type Acquiring = ReusableBoxFuture<'static, Result<OwnedSemaphorePermit, AcquireError>>;

/// tokio-util's `PollSemaphore`, around a recorded [`Semaphore`].
///
/// A wait of the stream is shown at the place that created it.
pub struct PollSemaphore {
    semaphore: Arc<Semaphore>,
    /// The acquisition and its number of permits. Created at the first wait, and then reused.
    acquiring: Option<(u32, Acquiring)>,
    made_at: &'static Location<'static>,
}

impl PollSemaphore {
    /// Creates a `PollSemaphore` for the permits of `semaphore`.
    #[track_caller]
    pub fn new(semaphore: Arc<Semaphore>) -> Self {
        Self { semaphore, acquiring: None, made_at: Location::caller() }
    }

    /// Returns a clone of the semaphore's `Arc`.
    pub fn clone_inner(&self) -> Arc<Semaphore> {
        Arc::clone(&self.semaphore)
    }

    /// Consumes the `PollSemaphore`, returning the semaphore.
    pub fn into_inner(self) -> Arc<Semaphore> {
        self.semaphore
    }

    /// Polls to acquire a permit. Returns `None` once the semaphore is closed.
    #[track_caller]
    pub fn poll_acquire(&mut self, cx: &mut Context<'_>) -> Poll<Option<OwnedSemaphorePermit>> {
        self.poll_acquire_many(cx, 1)
    }

    /// Polls to acquire `permits` permits. Returns `None` once the semaphore is closed. Cancels a
    /// pending acquisition of another number of permits.
    #[track_caller]
    pub fn poll_acquire_many(
        &mut self,
        cx: &mut Context<'_>,
        permits: u32,
    ) -> Poll<Option<OwnedSemaphorePermit>> {
        let at = own_code(Location::caller(), self.made_at);
        let future = match &mut self.acquiring {
            Some((before, future)) => {
                if *before != permits {
                    future.set(Arc::clone(&self.semaphore).acquire_many_owned_at(permits, at));
                    *before = permits;
                }
                future
            }
            None => {
                match Arc::clone(&self.semaphore).try_acquire_many_owned_at(permits, at) {
                    Ok(permit) => return Poll::Ready(Some(permit)),
                    Err(TryAcquireError::Closed) => return Poll::Ready(None),
                    Err(TryAcquireError::NoPermits) => {}
                }
                let future = Arc::clone(&self.semaphore).acquire_many_owned_at(permits, at);
                &mut self.acquiring.insert((permits, ReusableBoxFuture::new(future))).1
            }
        };
        let acquired = ready!(future.poll(cx));
        match acquired {
            Ok(permit) => {
                // The next call is likely to acquire `permits` again.
                future.set(Arc::clone(&self.semaphore).acquire_many_owned_at(permits, at));
                Poll::Ready(Some(permit))
            }
            Err(_) => {
                self.acquiring = None;
                Poll::Ready(None)
            }
        }
    }

    delegate! { semaphore:
        /// Closes the semaphore.
        pub fn close(&self);
        /// Returns the number of free permits.
        pub fn available_permits(&self) -> usize;
        /// Adds `n` permits.
        ///
        /// # Panics
        /// If the semaphore then has more than its maximum number of permits.
        #[track_caller]
        pub fn add_permits(&self, n: usize);
    }
}

impl Stream for PollSemaphore {
    type Item = OwnedSemaphorePermit;

    #[track_caller]
    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<OwnedSemaphorePermit>> {
        self.get_mut().poll_acquire(cx)
    }
}

impl Clone for PollSemaphore {
    #[track_caller]
    fn clone(&self) -> Self {
        Self::new(self.clone_inner())
    }
}

// As in tokio-util.
#[allow(clippy::missing_fields_in_debug)]
impl fmt::Debug for PollSemaphore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PollSemaphore").field("semaphore", &self.semaphore).finish()
    }
}

impl AsRef<Semaphore> for PollSemaphore {
    fn as_ref(&self) -> &Semaphore {
        &self.semaphore
    }
}
