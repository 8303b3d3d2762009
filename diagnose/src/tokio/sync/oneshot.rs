//! `tokio::sync::oneshot`: channels for one message, whose ends and waits are on record; the rest is tokio's own.
//!
//! A receiver waits where its channel was made, as far as is known: an `.await` does not tell its place.
#![allow(clippy::must_use_candidate)] // A caller is warned where the original warns.

use std::future::{Future, poll_fn};
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};

use self::error::{RecvError, TryRecvError};
use super::is_forced;
use crate::waits::{
    BlockedThread, ChannelEnd, LazyWait, LazyWaitFuture, ResourceKind, ResourceType, SoleEnd, WaitInfo,
    WaitMode, carries,
};
use crate::wrap::{around_sole, delegate};

pub use ::tokio::sync::oneshot::*;

static WHAT: ResourceType = ResourceType::new(ResourceKind::Oneshot, "tokio").forced_by(is_forced);

/// A channel for one message.
#[track_caller]
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let at = Location::caller();
    let (sender, receiver) = ::tokio::sync::oneshot::channel();
    let (sends, receives) = ChannelEnd::pair(&WHAT, 1, at, None);
    let sender = Sender { inner: sender, end: SoleEnd::new(sends), kept: LazyWait::default() };
    (
        sender,
        Receiver { inner: receiver, end: SoleEnd::new(receives), kept: LazyWait::default(), made_at: at },
    )
}

/// tokio's `Sender` of one message; who has it is on record.
// The sender stands first: it is gone before the records say so.
pub struct Sender<T> {
    inner: ::tokio::sync::oneshot::Sender<T>,
    end: SoleEnd,
    /// What `poll_closed` waits with.
    kept: LazyWait,
}

impl<T> Sender<T> {
    /// Sends the message.
    ///
    /// # Errors
    /// If the receiver is closed or dropped; the message comes back.
    #[inline]
    pub fn send(self, t: T) -> Result<(), T> {
        let Self { inner, end, .. } = self;
        let sent = inner.send(t);
        if sent.is_ok() {
            end.put_alone(1);
            if carries::<T>() {
                end.note_send(1);
            }
        }
        sent
    }

    /// Waits until the receiver is closed or dropped. Cancel safe.
    #[track_caller]
    pub fn closed(&mut self) -> impl Future<Output = ()> + use<'_, T> {
        let at = Location::caller();
        async move {
            let Self { inner, end, kept } = self;
            kept.end();
            end.used(at);
            let leaf = || WaitInfo::on(end.record(), WaitMode::Closed, 1, at);
            LazyWaitFuture::new(poll_fn(|context| inner.poll_closed(context)), leaf).await;
        }
    }

    /// Returns whether the receiver is closed or dropped. Records that the sender was used here.
    #[track_caller]
    pub fn is_closed(&self) -> bool {
        self.end.used(Location::caller());
        self.inner.is_closed()
    }

    /// Polls for the receiver to be closed or dropped.
    #[track_caller]
    pub fn poll_closed(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let at = Location::caller();
        let Self { inner, end, kept } = self;
        end.used(at);
        let leaf = || WaitInfo::on(end.record(), WaitMode::Closed, 1, at);
        kept.poll(cx, leaf, |context| inner.poll_closed(context))
    }
}

around_sole!(
    [T] Sender<T>: ::tokio::sync::oneshot::Sender<T>,
    |inner| Self { inner, end: SoleEnd::none(), kept: LazyWait::default() }
);

/// tokio's `Receiver` of one message: a future. Who has it and whether it waits is on record.
// The receiver stands first: it is gone before the records say so.
pub struct Receiver<T> {
    inner: ::tokio::sync::oneshot::Receiver<T>,
    end: SoleEnd,
    kept: LazyWait,
    made_at: &'static Location<'static>,
}

impl<T> Receiver<T> {
    /// Nothing can be sent from now on; what was sent can still be received.
    #[track_caller]
    pub fn close(&mut self) {
        self.end.used(Location::caller());
        self.inner.close();
        self.end.close();
    }

    /// Takes the message if there is one.
    ///
    /// # Errors
    /// If there is none yet, or there will be none.
    #[track_caller]
    pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
        self.kept.end();
        let message = self.inner.try_recv();
        match &message {
            Ok(_) => self.end.took(1),
            Err(_) => self.end.used(Location::caller()),
        }
        message
    }

    /// Blocks the thread until the message is there.
    ///
    /// # Errors
    /// If the sender was dropped without sending.
    ///
    /// # Panics
    /// In asynchronous code.
    #[track_caller]
    pub fn blocking_recv(self) -> Result<T, RecvError> {
        let at = Location::caller();
        let Self { inner, end, .. } = self;
        end.used(at);
        let blocked = BlockedThread::begin(end.record(), WaitMode::Receive, 1, at);
        let message = inner.blocking_recv();
        drop(blocked);
        end.took(u64::from(message.is_ok()));
        message
    }

    delegate! { inner:
        /// Whether the message was received, or it is known that none will come.
        pub fn is_terminated(&self) -> bool;
        /// Whether there is no message.
        pub fn is_empty(&self) -> bool;
    }
}

around_sole!([T] Receiver<T>: ::tokio::sync::oneshot::Receiver<T>, |inner| Self {
    inner,
    end: SoleEnd::none(),
    kept: LazyWait::default(),
    made_at: Location::caller()
});

impl<T> Future for Receiver<T> {
    type Output = Result<T, RecvError>;

    // An `.await` calls it with its own place.
    #[inline]
    #[track_caller]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let caller = Location::caller();
        let Self { inner, end, kept, made_at } = self.get_mut();
        let leaf = || end.polled(WaitMode::Receive, caller, made_at);
        let poll = kept.poll(cx, leaf, |context| Pin::new(&mut *inner).poll(context));
        if let Poll::Ready(Ok(_)) = poll {
            end.took(1);
        }
        poll
    }
}
