//! The futures of a `Notify`.

use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use ::tokio::sync::futures as real;
use pin_project_lite::pin_project;

use super::Notify;
use crate::waits::{LazyWait, Record, WaitInfo, WaitMode};
use crate::wrap::debug;

/// The record of the `Notify`, and the place of the wait.
type On = (Option<&'static Record>, &'static Location<'static>);

pin_project! {
    /// tokio's `Notified`. It is shown as waiting where it was created.
    // `notified` comes before `wait`: the future leaves its queue before its wait ends.
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    #[allow(clippy::struct_field_names)] // tokio has this field name, too.
    pub struct Notified<'a> {
        #[pin]
        notified: real::Notified<'a>,
        wait: LazyWait,
        on: On,
    }
}

impl<'a> Notified<'a> {
    #[inline]
    pub(super) fn new(notified: real::Notified<'a>, on: On) -> Self {
        Self { notified, wait: LazyWait::default(), on }
    }
}

pin_project! {
    /// tokio's `OwnedNotified`. It is shown as waiting where it was created.
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct OwnedNotified {
        #[pin]
        notified: real::OwnedNotified,
        wait: LazyWait,
        on: On,
        // Keeps the record alive.
        notify: Arc<Notify>,
    }
}

impl OwnedNotified {
    #[inline]
    pub(super) fn new(notified: real::OwnedNotified, on: On, notify: Arc<Notify>) -> Self {
        Self { notified, wait: LazyWait::default(), on, notify }
    }
}

/// Implements `enable` and `Future`.
macro_rules! notified {
    ($name:ty) => {
        impl $name {
            /// Joins the queue without a poll. Returns whether a notification has arrived already.
            pub fn enable(self: Pin<&mut Self>) -> bool {
                self.project().notified.enable()
            }
        }

        impl Future for $name {
            type Output = ();

            #[inline]
            fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
                let mut this = self.project();
                let (record, at) = *this.on;
                let info = || WaitInfo::on(record, WaitMode::Notified, 1, at);
                this.wait.poll(context, info, |context| this.notified.as_mut().poll(context))
            }
        }
    };
}

notified!(Notified<'_>);
notified!(OwnedNotified);
debug!(['a] Notified<'a>, notified: real::Notified<'a>);
debug!([] OwnedNotified, notified: real::OwnedNotified);
