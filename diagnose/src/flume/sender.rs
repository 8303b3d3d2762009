//! The sending ends.

use std::panic::Location;
use std::time::{Duration, Instant};

use ::flume::{SendError, SendTimeoutError, TrySendError};

use super::r#async::{SendFut, SendSink};
use super::part::Part;
use crate::waits::{BlockedThread, ChannelEnd, Role, WaitMode};
use crate::wrap::{around, clone};

/// flume's `Sender`; who has it and whether it waits is on record.
// The sender stands first: it is gone before the records say so.
pub struct Sender<T> {
    inner: ::flume::Sender<T>,
    end: ChannelEnd,
    made_at: &'static Location<'static>,
}

around!(
    [T] Sender<T>: ::flume::Sender<T>,
    |inner| Self { inner, end: ChannelEnd::none(), made_at: Location::caller() },
    [
        is_disconnected() -> bool, is_empty() -> bool, is_full() -> bool, len() -> usize,
        capacity() -> Option<usize>, receiver_count() -> usize, sender_count() -> usize,
    ]
);

impl<T> Sender<T> {
    pub(super) fn of(
        inner: ::flume::Sender<T>,
        end: ChannelEnd,
        made_at: &'static Location<'static>,
    ) -> Self {
        Self { inner, end, made_at }
    }

    /// Puts a message in if there is room.
    ///
    /// # Errors
    /// If there is none, or no receiver any more; the message comes back.
    #[track_caller]
    pub fn try_send(&self, msg: T) -> Result<(), TrySendError<T>> {
        self.end.used(Location::caller());
        self.inner.try_send(msg)?;
        self.end.put::<T>();
        Ok(())
    }

    /// Puts a message in, and blocks this thread until there is room.
    ///
    /// # Errors
    /// If there is no receiver any more; the message comes back.
    #[track_caller]
    pub fn send(&self, msg: T) -> Result<(), SendError<T>> {
        let at = Location::caller();
        match self.try_first(msg, at) {
            Ok(()) => return Ok(()),
            Err(TrySendError::Disconnected(msg)) => return Err(SendError(msg)),
            Err(TrySendError::Full(msg)) => {
                let _blocked = self.block(at);
                self.inner.send(msg)?;
            }
        }
        self.end.put::<T>();
        Ok(())
    }

    /// Puts a message in, and blocks this thread until there is room, or until then.
    ///
    /// # Errors
    /// If there is no room by then, or no receiver any more; the message comes back.
    #[track_caller]
    pub fn send_deadline(&self, msg: T, deadline: Instant) -> Result<(), SendTimeoutError<T>> {
        let at = Location::caller();
        match self.try_first(msg, at) {
            Ok(()) => return Ok(()),
            Err(TrySendError::Disconnected(msg)) => return Err(SendTimeoutError::Disconnected(msg)),
            Err(TrySendError::Full(msg)) => {
                let _blocked = self.block(at);
                self.inner.send_deadline(msg, deadline)?;
            }
        }
        self.end.put::<T>();
        Ok(())
    }

    /// Puts a message in, and blocks this thread until there is room, for so long at most.
    ///
    /// # Errors
    /// If there is no room by then, or no receiver any more; the message comes back.
    #[track_caller]
    pub fn send_timeout(&self, msg: T, dur: Duration) -> Result<(), SendTimeoutError<T>> {
        match Instant::now().checked_add(dur) {
            Some(deadline) => self.send_deadline(msg, deadline),
            None => self.send(msg).map_err(|SendError(msg)| SendTimeoutError::Disconnected(msg)),
        }
    }

    fn try_first(&self, msg: T, at: &'static Location<'static>) -> Result<(), TrySendError<T>> {
        self.end.used(at);
        self.inner.try_send(msg)?;
        self.end.put::<T>();
        Ok(())
    }

    #[cold]
    fn block(&self, at: &'static Location<'static>) -> Option<BlockedThread> {
        BlockedThread::begin(self.end.record(), WaitMode::Send, 1, at)
    }

    /// Puts a message in, after waiting for room. If the future is dropped before it is ready, the message is lost.
    #[track_caller]
    pub fn send_async(&self, item: T) -> SendFut<'_, T> {
        SendFut::new(self.inner.send_async(item), Part::Borrowed(&self.end), Location::caller())
    }

    /// The same with a future that owns the sender.
    #[track_caller]
    pub fn into_send_async<'a>(self, item: T) -> SendFut<'a, T> {
        SendFut::new(self.inner.into_send_async(item), Part::Owned(self.end), Location::caller())
    }

    /// A sink that puts messages in, after waiting for room.
    ///
    /// It waits where its task awaits it, or where the channel was made, if that is not known.
    #[track_caller]
    pub fn sink(&self) -> SendSink<'_, T> {
        self.end.used(Location::caller());
        SendSink::new(self.inner.sink(), Part::Borrowed(&self.end), self.made_at)
    }

    /// The same with a sink that owns the sender.
    #[track_caller]
    pub fn into_sink<'a>(self) -> SendSink<'a, T> {
        self.end.used(Location::caller());
        SendSink::new(self.inner.into_sink(), Part::Owned(self.end), self.made_at)
    }

    /// Whether both are of the same channel.
    pub fn same_channel(&self, other: &Self) -> bool {
        self.inner.same_channel(&other.inner)
    }

    /// A sender that does not keep the channel open.
    #[track_caller]
    pub fn downgrade(&self) -> WeakSender<T> {
        let end = self.end.another(Role::Uses, Location::caller());
        WeakSender::of(self.inner.downgrade(), end, self.made_at)
    }
}

clone!(Sender<T>, Sends, made_at);

/// flume's `WeakSender`, which does not keep its channel open. It can be upgraded, so it counts as
/// an end of the channel.
pub struct WeakSender<T> {
    inner: ::flume::WeakSender<T>,
    end: ChannelEnd,
    made_at: &'static Location<'static>,
}

around!(
    [T] WeakSender<T>: ::flume::WeakSender<T>,
    |inner| Self { inner, end: ChannelEnd::none(), made_at: Location::caller() }
);

impl<T> WeakSender<T> {
    fn of(inner: ::flume::WeakSender<T>, end: ChannelEnd, made_at: &'static Location<'static>) -> Self {
        Self { inner, end, made_at }
    }

    /// A sender, if there still is one.
    #[track_caller]
    pub fn upgrade(&self) -> Option<Sender<T>> {
        let inner = self.inner.upgrade()?;
        Some(Sender::of(inner, self.end.another(Role::Sends, Location::caller()), self.made_at))
    }
}

clone!(WeakSender<T>, Uses, made_at);
