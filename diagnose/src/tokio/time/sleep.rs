//! `tokio::time::sleep`.

use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use ::tokio::time::Instant;
use pin_project_lite::pin_project;

use super::due;
use crate::waits::LazyWait;
use crate::wrap::{convert, delegate};

/// Waits until `duration` has elapsed. Cancel safe.
///
/// # Panics
/// If called outside of a runtime with timers.
#[track_caller]
pub fn sleep(duration: Duration) -> Sleep {
    ::tokio::time::sleep(duration).into()
}

/// Waits until `deadline`. Cancel safe.
///
/// # Panics
/// If called outside of a runtime with timers.
#[track_caller]
pub fn sleep_until(deadline: Instant) -> Sleep {
    ::tokio::time::sleep_until(deadline).into()
}

pin_project! {
    /// tokio's `Sleep`. Its wait is recorded with its deadline.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct Sleep {
        #[pin]
        inner: ::tokio::time::Sleep,
        wait: LazyWait,
        made_at: &'static Location<'static>,
    }
}

impl Sleep {
    /// Resets the deadline.
    pub fn reset(self: Pin<&mut Self>, deadline: Instant) {
        let this = self.project();
        this.wait.abandon();
        this.inner.reset(deadline);
    }

    /// Returns tokio's own `Sleep`.
    ///
    /// With the feature `on` only; `.into()` works without it, too.
    pub fn into_inner(self) -> ::tokio::time::Sleep {
        let Self { inner, mut wait, .. } = self;
        wait.abandon();
        inner
    }

    delegate! { inner:
        /// Returns the moment at which it completes.
        pub fn deadline(&self) -> Instant;
        /// Returns whether the deadline has passed.
        pub fn is_elapsed(&self) -> bool;
    }
}

impl Future for Sleep {
    type Output = ();

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut this = self.project();
        let (deadline, made_at) = (this.inner.deadline(), *this.made_at);
        let poll = |context: &mut Context<'_>| this.inner.as_mut().poll(context);
        let is_listed = this.wait.is_listed();
        let ready = this.wait.poll(cx, || due::wait_info(deadline, made_at, is_listed), poll);
        if ready.is_ready() {
            this.wait.rest();
        }
        ready
    }
}

convert!(
    [] Sleep: ::tokio::time::Sleep,
    |inner| Self { inner, wait: LazyWait::default(), made_at: Location::caller() },
    |it| it.into_inner()
);
