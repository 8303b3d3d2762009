//! `tokio::sync::oneshot`, with ends and waits recorded.
//!
//! A receiver that a library polls is shown as waiting where its channel was created.
#![allow(clippy::must_use_candidate)] // Only the methods that tokio marks are `must_use`.

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

static TYPE: ResourceType = ResourceType::new(ResourceKind::Oneshot, "tokio").forced_by(is_forced);

/// Creates a channel for one message.
#[track_caller]
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let at = Location::caller();
    let (sender, receiver) = ::tokio::sync::oneshot::channel();
    let (sends, receives) = ChannelEnd::pair(&TYPE, 1, at, None);
    let sender = Sender { inner: sender, end: SoleEnd::new(sends), wait: LazyWait::default() };
    (
        sender,
        Receiver { inner: receiver, end: SoleEnd::new(receives), wait: LazyWait::default(), made_at: at },
    )
}

/// tokio's `oneshot::Sender`, which also records its owner.
// In this order, the sender is dropped before its wait ends, and both before its record.
pub struct Sender<T> {
    inner: ::tokio::sync::oneshot::Sender<T>,
    /// The wait of `poll_closed`.
    wait: LazyWait,
    end: SoleEnd,
}

impl<T> Sender<T> {
    /// Sends the message.
    ///
    /// # Errors
    /// If the receiver is closed or dropped. The error contains the message.
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
            let Self { inner, end, wait } = self;
            wait.end();
            end.used(at);
            let info = || WaitInfo::on(end.record(), WaitMode::Closed, 1, at);
            LazyWaitFuture::new(poll_fn(|context| inner.poll_closed(context)), info).await;
        }
    }

    /// Returns whether the receiver is closed or dropped. Records that the sender was used here.
    #[track_caller]
    pub fn is_closed(&self) -> bool {
        self.end.used(Location::caller());
        self.inner.is_closed()
    }

    /// Polls until the receiver is closed or dropped.
    #[track_caller]
    pub fn poll_closed(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let at = Location::caller();
        let Self { inner, end, wait } = self;
        end.used(at);
        let info = || WaitInfo::on(end.record(), WaitMode::Closed, 1, at);
        wait.poll(cx, info, |context| inner.poll_closed(context))
    }
}

around_sole!(
    [T] Sender<T>: ::tokio::sync::oneshot::Sender<T>,
    |inner| Self { inner, end: SoleEnd::none(), wait: LazyWait::default() }
);

/// tokio's `oneshot::Receiver`, a future. Its owner and its wait are recorded.
// In this order, the receiver is dropped before its wait ends, and both before its record.
pub struct Receiver<T> {
    inner: ::tokio::sync::oneshot::Receiver<T>,
    wait: LazyWait,
    end: SoleEnd,
    made_at: &'static Location<'static>,
}

impl<T> Receiver<T> {
    /// Closes the channel. A message that was sent before can still be received.
    #[track_caller]
    pub fn close(&mut self) {
        self.end.used(Location::caller());
        self.inner.close();
        self.end.close();
    }

    /// Takes the message if it has been sent.
    ///
    /// # Errors
    /// If the channel is empty or closed.
    #[track_caller]
    pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
        self.wait.end();
        let message = self.inner.try_recv();
        match &message {
            Ok(_) => self.end.took(1),
            Err(_) => self.end.used(Location::caller()),
        }
        message
    }

    /// Blocks the current thread until the message arrives.
    ///
    /// # Errors
    /// If the sender was dropped without sending.
    ///
    /// # Panics
    /// If called within an async context.
    #[track_caller]
    pub fn blocking_recv(self) -> Result<T, RecvError> {
        let at = Location::caller();
        let Self { inner, end, .. } = self;
        end.used(at);
        let blocks = end.record().filter(|_| inner.is_empty());
        let blocked = blocks.and_then(|record| BlockedThread::begin(Some(record), WaitMode::Receive, 1, at));
        let message = inner.blocking_recv();
        drop(blocked);
        end.took(u64::from(message.is_ok()));
        message
    }

    delegate! { inner:
        /// Returns whether the receiver has completed, with the message or an error.
        pub fn is_terminated(&self) -> bool;
        /// Returns whether the channel has no message.
        pub fn is_empty(&self) -> bool;
    }
}

around_sole!([T] Receiver<T>: ::tokio::sync::oneshot::Receiver<T>, |inner| Self {
    inner,
    end: SoleEnd::none(),
    wait: LazyWait::default(),
    made_at: Location::caller()
});

impl<T> Future for Receiver<T> {
    type Output = Result<T, RecvError>;

    // An `.await` in the program's own code is itself the caller.
    #[inline]
    #[track_caller]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let caller = Location::caller();
        let Self { inner, end, wait, made_at } = self.get_mut();
        let info = || end.polled(WaitMode::Receive, caller, made_at);
        let poll = wait.poll(cx, info, |context| Pin::new(&mut *inner).poll(context));
        if let Poll::Ready(Ok(_)) = poll {
            end.took(1);
        }
        poll
    }
}
