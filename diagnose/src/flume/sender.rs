//! The sending end of a channel.

use std::panic::Location;
use std::time::{Duration, Instant};

use ::flume::{SendError, SendTimeoutError, TrySendError};

use super::r#async::{SendFut, SendSink};
use super::part::Part;
use crate::waits::{BlockedThread, Role, WaitMode};
use crate::wrap::{clone, end, looks};

end! {
    /// flume's `Sender`, with a record of the task that owns it and of its waits.
    pub struct Sender<T>(::flume::Sender<T>, made_at);
}

impl<T> Sender<T> {
    looks!([
        is_disconnected() -> bool, is_empty() -> bool, is_full() -> bool, len() -> usize,
        capacity() -> Option<usize>, receiver_count() -> usize, sender_count() -> usize,
    ]);

    /// Attempts to send a message without waiting.
    ///
    /// # Errors
    /// Returns the message if the channel is full or all receivers are dropped.
    #[track_caller]
    pub fn try_send(&self, msg: T) -> Result<(), TrySendError<T>> {
        self.try_first(msg, Location::caller(), self.end.received::<T>())
    }

    /// Sends a message, blocking the current thread while the channel is full.
    ///
    /// # Errors
    /// Returns the message if all receivers are dropped.
    #[track_caller]
    pub fn send(&self, msg: T) -> Result<(), SendError<T>> {
        let at = Location::caller();
        let received = self.end.received::<T>();
        match self.try_first(msg, at, received) {
            Ok(()) => return Ok(()),
            Err(TrySendError::Disconnected(msg)) => return Err(SendError(msg)),
            Err(TrySendError::Full(msg)) => {
                let _blocked = self.block(at);
                self.inner.send(msg)?;
            }
        }
        self.end.put_after::<T>(received);
        Ok(())
    }

    /// Sends a message, blocking the current thread until `deadline` at most.
    ///
    /// # Errors
    /// Returns the message if `deadline` passes or all receivers are dropped.
    #[track_caller]
    pub fn send_deadline(&self, msg: T, deadline: Instant) -> Result<(), SendTimeoutError<T>> {
        let at = Location::caller();
        let received = self.end.received::<T>();
        match self.try_first(msg, at, received) {
            Ok(()) => return Ok(()),
            Err(TrySendError::Disconnected(msg)) => return Err(SendTimeoutError::Disconnected(msg)),
            Err(TrySendError::Full(msg)) => {
                let _blocked = self.block_until(deadline, at);
                self.inner.send_deadline(msg, deadline)?;
            }
        }
        self.end.put_after::<T>(received);
        Ok(())
    }

    /// Sends a message, blocking the current thread for at most `dur`.
    ///
    /// # Errors
    /// Returns the message if the timeout elapses or all receivers are dropped.
    #[track_caller]
    pub fn send_timeout(&self, msg: T, dur: Duration) -> Result<(), SendTimeoutError<T>> {
        match Instant::now().checked_add(dur) {
            Some(deadline) => self.send_deadline(msg, deadline),
            None => self.send(msg).map_err(|SendError(msg)| SendTimeoutError::Disconnected(msg)),
        }
    }

    fn try_first(
        &self,
        msg: T,
        at: &'static Location<'static>,
        received: u64,
    ) -> Result<(), TrySendError<T>> {
        self.end.used(at);
        self.inner.try_send(msg)?;
        self.end.put_after::<T>(received);
        Ok(())
    }

    #[cold]
    fn block(&self, at: &'static Location<'static>) -> Option<BlockedThread> {
        BlockedThread::begin(self.end.record(), WaitMode::Send, 1, at)
    }

    #[cold]
    fn block_until(&self, deadline: Instant, at: &'static Location<'static>) -> Option<BlockedThread> {
        let limit = deadline.saturating_duration_since(Instant::now());
        BlockedThread::begin_for(self.end.record(), WaitMode::Send, 1, limit, at)
    }

    /// Sends a message, waiting for room. Dropping the pending future loses the message.
    #[track_caller]
    pub fn send_async(&self, item: T) -> SendFut<'_, T> {
        SendFut::new(self.inner.send_async(item), Part::Borrowed(&self.end), Location::caller())
    }

    /// Sends a message with a future that owns the sender.
    #[track_caller]
    pub fn into_send_async<'a>(self, item: T) -> SendFut<'a, T> {
        SendFut::new(self.inner.into_send_async(item), Part::Owned(self.end), Location::caller())
    }

    /// Returns a sink that sends messages, waiting while the channel is full.
    ///
    /// Its wait is shown at the awaiting place, else at the channel's creation.
    #[track_caller]
    pub fn sink(&self) -> SendSink<'_, T> {
        self.end.used(Location::caller());
        SendSink::new(self.inner.sink(), Part::Borrowed(&self.end), self.made_at)
    }

    /// Converts the sender into a sink.
    #[track_caller]
    pub fn into_sink<'a>(self) -> SendSink<'a, T> {
        self.end.used(Location::caller());
        SendSink::new(self.inner.into_sink(), Part::Owned(self.end), self.made_at)
    }

    /// Returns `true` if both senders belong to the same channel.
    pub fn same_channel(&self, other: &Self) -> bool {
        self.inner.same_channel(&other.inner)
    }

    /// Downgrades to a sender that does not keep the channel open.
    #[track_caller]
    pub fn downgrade(&self) -> WeakSender<T> {
        let end = self.end.another(Role::Uses, Location::caller());
        WeakSender::of(self.inner.downgrade(), end, self.made_at)
    }
}

clone!(Sender<T>, Sends, made_at);

end! {
    /// flume's `WeakSender`, which does not keep its channel open.
    ///
    /// It can be upgraded, so it counts as an end of the channel.
    pub struct WeakSender<T>(::flume::WeakSender<T>, made_at);
}

impl<T> WeakSender<T> {
    /// Upgrades to a sender. Returns `None` if all senders are dropped.
    #[track_caller]
    pub fn upgrade(&self) -> Option<Sender<T>> {
        let inner = self.inner.upgrade()?;
        Some(Sender::of(inner, self.end.another(Role::Sends, Location::caller()), self.made_at))
    }
}

clone!(WeakSender<T>, Uses, made_at);
