//! `futures::channel::oneshot`: channels for one message, with recorded ends and waits.
//!
//! A receiver's wait is shown at the awaiting place, else at the channel's creation.

use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::ptr;
use std::task::{Context, Poll};

use ::futures::channel::oneshot as real;
use ::futures::future::FusedFuture;

use crate::waits::{
    ChannelEnd, LazyWait, ResourceKind, ResourceType, SoleEnd, WaitInfo, WaitMode, carries, own_code,
};
use crate::wrap::around_sole;

pub use ::futures::channel::oneshot::*;

static TYPE: ResourceType = ResourceType::new(ResourceKind::Oneshot, "futures");

/// Creates a channel for one message. Its record starts with this call.
#[track_caller]
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let at = Location::caller();
    let (sender, receiver) = real::channel();
    let (sends, receives) = ChannelEnd::pair(&TYPE, 1, at, None);
    let sender = Sender { inner: sender, wait: LazyWait::default(), end: SoleEnd::new(sends), made_at: at };
    (
        sender,
        Receiver { inner: receiver, wait: LazyWait::default(), end: SoleEnd::new(receives), made_at: at },
    )
}

/// futures' oneshot `Sender`, with a record of the task that owns it.
// `inner` is dropped first, so that the sender is gone before its record says so.
pub struct Sender<T> {
    inner: real::Sender<T>,
    /// The wait of `poll_canceled`.
    wait: LazyWait,
    end: SoleEnd,
    made_at: &'static Location<'static>,
}

impl<T> Sender<T> {
    /// Sends the message.
    ///
    /// # Errors
    /// Returns the message if the receiver is closed or dropped.
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

    /// Polls whether the receiver is closed or dropped.
    #[track_caller]
    pub fn poll_canceled(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let at = own_code(Location::caller(), self.made_at);
        let Self { inner, wait, end, made_at, .. } = self;
        end.used(at);
        let is_made_there = ptr::eq(at, *made_at);
        let info = || WaitInfo::on(end.record(), WaitMode::Closed, 1, at).made_there(is_made_there);
        wait.poll(cx, info, |cx| inner.poll_canceled(cx))
    }

    /// Waits until the receiver is closed or dropped. Cancel safe.
    #[track_caller]
    pub fn cancellation(&mut self) -> Cancellation<'_, T> {
        self.end.used(Location::caller());
        Cancellation { sender: self }
    }

    /// Returns `true` if the receiver is closed or dropped. Records a use of the sender.
    #[track_caller]
    pub fn is_canceled(&self) -> bool {
        self.end.used(Location::caller());
        self.inner.is_canceled()
    }
}

/// The future returned by [`Sender::cancellation`].
#[derive(Debug)]
#[must_use = "futures do nothing unless you `.await` or poll them"]
pub struct Cancellation<'a, T> {
    sender: &'a mut Sender<T>,
}

impl<T> Future for Cancellation<'_, T> {
    type Output = ();

    // An `.await` calls this from its own place.
    #[track_caller]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.sender.poll_canceled(cx)
    }
}

/// futures' oneshot `Receiver`, a future, with a record of the task that owns it and of its wait.
// `inner` is dropped first, so that the receiver is gone before its record says so.
pub struct Receiver<T> {
    inner: real::Receiver<T>,
    wait: LazyWait,
    end: SoleEnd,
    made_at: &'static Location<'static>,
}

impl<T> Receiver<T> {
    /// Closes the channel. Nothing can be sent after that; a sent message can still be received.
    #[track_caller]
    pub fn close(&mut self) {
        self.end.used(Location::caller());
        self.inner.close();
        self.end.close();
    }

    /// Attempts to receive the message without waiting. Returns `Ok(None)` if it was not sent yet.
    ///
    /// # Errors
    /// If the sender was dropped without sending.
    #[track_caller]
    pub fn try_recv(&mut self) -> Result<Option<T>, Canceled> {
        self.wait.end();
        let message = self.inner.try_recv();
        match &message {
            Ok(Some(_)) => self.end.took(1),
            _ => self.end.used(Location::caller()),
        }
        message
    }
}

impl<T> Future for Receiver<T> {
    type Output = Result<T, Canceled>;

    // An `.await` calls this from its own place.
    #[track_caller]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let caller = Location::caller();
        let Self { inner, wait, end, made_at } = self.get_mut();
        let info = || end.polled(WaitMode::Receive, caller, made_at);
        let poll = wait.poll(cx, info, |cx| Pin::new(&mut *inner).poll(cx));
        if let Poll::Ready(Ok(_)) = poll {
            end.took(1);
        }
        poll
    }
}

impl<T> FusedFuture for Receiver<T> {
    fn is_terminated(&self) -> bool {
        self.inner.is_terminated()
    }
}

macro_rules! end {
    ($name:ident) => {
        impl<T> Unpin for $name<T> {}

        around_sole!([T] $name<T>: real::$name<T>, |inner| Self {
            inner,
            wait: LazyWait::default(),
            end: SoleEnd::none(),
            made_at: Location::caller(),
        });
    };
}

end!(Sender);
end!(Receiver);
