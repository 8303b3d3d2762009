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

/// What it waits for, and where.
type On = (Option<&'static Record>, &'static Location<'static>);

pin_project! {
    /// tokio's `Notified`. Its place is the call that made it.
    // The future stands before what is kept: it leaves its queue before the records say so.
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    #[allow(clippy::struct_field_names)] // It is the same in tokio.
    pub struct Notified<'a> {
        #[pin]
        notified: real::Notified<'a>,
        kept: LazyWait,
        on: On,
    }
}

impl<'a> Notified<'a> {
    #[inline]
    pub(super) fn new(notified: real::Notified<'a>, on: On) -> Self {
        Self { notified, kept: LazyWait::default(), on }
    }
}

pin_project! {
    /// tokio's `OwnedNotified`. Its place is the call that made it.
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct OwnedNotified {
        #[pin]
        notified: real::OwnedNotified,
        kept: LazyWait,
        on: On,
        // The record lives as long as this.
        notify: Arc<Notify>,
    }
}

impl OwnedNotified {
    #[inline]
    pub(super) fn new(notified: real::OwnedNotified, on: On, notify: Arc<Notify>) -> Self {
        Self { notified, kept: LazyWait::default(), on, notify }
    }
}

/// What both have.
macro_rules! notified {
    ($name:ty) => {
        impl $name {
            /// Takes a place among those who wait, before it is polled. Returns whether it was told already.
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
                let leaf = || WaitInfo::on(record, WaitMode::Notified, 1, at);
                this.kept.poll(context, leaf, |context| this.notified.as_mut().poll(context))
            }
        }
    };
}

notified!(Notified<'_>);
notified!(OwnedNotified);
debug!(['a] Notified<'a>, notified: real::Notified<'a>);
debug!([] OwnedNotified, notified: real::OwnedNotified);
