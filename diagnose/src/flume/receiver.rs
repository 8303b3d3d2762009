//! The receiving end of a channel.

use std::panic::Location;
use std::time::{Duration, Instant};

use ::flume::{RecvError, RecvTimeoutError, TryRecvError};

use super::r#async::{RecvFut, RecvStream};
use super::part::Part;
use super::{Drain, IntoIter, Iter, TryIter};
use crate::waits::{BlockedThread, WaitMode};
use crate::wrap::{clone, end, looks};

end! {
    /// flume's `Receiver`, with a record of the task that owns it and of its waits.
    pub struct Receiver<T>(::flume::Receiver<T>, made_at);
}

impl<T> Receiver<T> {
    looks!([
        is_disconnected() -> bool, is_empty() -> bool, is_full() -> bool, len() -> usize,
        capacity() -> Option<usize>, receiver_count() -> usize, sender_count() -> usize,
    ]);

    /// Attempts to receive a message without waiting.
    ///
    /// # Errors
    /// If the channel is empty, or empty and all senders are dropped.
    #[track_caller]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        self.try_recv_at(Location::caller())
    }

    /// Receives a message, blocking the current thread while the channel is empty.
    ///
    /// # Errors
    /// If the channel is empty and all senders are dropped.
    #[track_caller]
    pub fn recv(&self) -> Result<T, RecvError> {
        self.recv_at(Location::caller())
    }

    pub(super) fn try_recv_at(&self, at: &'static Location<'static>) -> Result<T, TryRecvError> {
        self.end.used(at);
        let message = self.inner.try_recv()?;
        self.end.took_one_of_several();
        Ok(message)
    }

    pub(super) fn recv_at(&self, at: &'static Location<'static>) -> Result<T, RecvError> {
        match self.try_recv_at(at) {
            Ok(message) => return Ok(message),
            Err(TryRecvError::Disconnected) => return Err(RecvError::Disconnected),
            Err(TryRecvError::Empty) => {}
        }
        let blocked = self.block(at);
        let message = self.inner.recv()?;
        drop(blocked);
        self.end.took_one_of_several();
        Ok(message)
    }

    /// Receives a message, blocking the current thread until `deadline` at most.
    ///
    /// # Errors
    /// If `deadline` passes, or the channel is empty and all senders are dropped.
    #[track_caller]
    pub fn recv_deadline(&self, deadline: Instant) -> Result<T, RecvTimeoutError> {
        let at = Location::caller();
        match self.try_recv_at(at) {
            Ok(message) => return Ok(message),
            Err(TryRecvError::Disconnected) => return Err(RecvTimeoutError::Disconnected),
            Err(TryRecvError::Empty) => {}
        }
        let blocked = self.block_until(deadline, at);
        let message = self.inner.recv_deadline(deadline)?;
        drop(blocked);
        self.end.took_one_of_several();
        Ok(message)
    }

    /// Receives a message, blocking the current thread for at most `dur`.
    ///
    /// # Errors
    /// If the timeout elapses, or the channel is empty and all senders are dropped.
    #[track_caller]
    pub fn recv_timeout(&self, dur: Duration) -> Result<T, RecvTimeoutError> {
        match Instant::now().checked_add(dur) {
            Some(deadline) => self.recv_deadline(deadline),
            None => self.recv().map_err(|_| RecvTimeoutError::Disconnected),
        }
    }

    #[cold]
    fn block(&self, at: &'static Location<'static>) -> Option<BlockedThread> {
        BlockedThread::begin(self.end.record(), WaitMode::Receive, 1, at)
    }

    #[cold]
    fn block_until(&self, deadline: Instant, at: &'static Location<'static>) -> Option<BlockedThread> {
        let limit = deadline.saturating_duration_since(Instant::now());
        BlockedThread::begin_for(self.end.record(), WaitMode::Receive, 1, limit, at)
    }

    /// Receives a message, waiting if the channel is empty. Cancel safe.
    #[track_caller]
    pub fn recv_async(&self) -> RecvFut<'_, T> {
        RecvFut::new(self.inner.recv_async(), Part::Borrowed(&self.end), Location::caller())
    }

    /// Receives a message with a future that owns the receiver.
    #[track_caller]
    pub fn into_recv_async<'a>(self) -> RecvFut<'a, T> {
        RecvFut::new(self.inner.into_recv_async(), Part::Owned(self.end), Location::caller())
    }

    /// Returns a stream of the messages.
    ///
    /// Its wait is shown at the awaiting place, else at the channel's creation.
    #[track_caller]
    pub fn stream(&self) -> RecvStream<'_, T> {
        self.end.used(Location::caller());
        RecvStream::new(self.inner.stream(), Part::Borrowed(&self.end), self.made_at)
    }

    /// Converts the receiver into a stream of its messages.
    #[track_caller]
    pub fn into_stream<'a>(self) -> RecvStream<'a, T> {
        self.end.used(Location::caller());
        RecvStream::new(self.inner.into_stream(), Part::Owned(self.end), self.made_at)
    }

    /// Returns `true` if both receivers belong to the same channel.
    pub fn same_channel(&self, other: &Self) -> bool {
        self.inner.same_channel(&other.inner)
    }

    /// Iterates over messages, blocking the thread for each, until all senders are dropped.
    #[track_caller]
    pub fn iter(&self) -> Iter<'_, T> {
        Iter::new(self, Location::caller())
    }

    /// Iterates over the messages that are available, without blocking.
    #[track_caller]
    pub fn try_iter(&self) -> TryIter<'_, T> {
        TryIter::new(self, Location::caller())
    }

    /// Takes all messages out at once and returns an iterator over them.
    #[track_caller]
    pub fn drain(&self) -> Drain<'_, T> {
        self.end.used(Location::caller());
        let drain = self.inner.drain();
        for _ in 0..drain.len() {
            self.end.took_one_of_several();
        }
        Drain(drain)
    }
}

clone!(Receiver<T>, Receives, made_at);

impl<'a, T> IntoIterator for &'a Receiver<T> {
    type Item = T;
    type IntoIter = Iter<'a, T>;

    #[track_caller]
    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

impl<T> IntoIterator for Receiver<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;

    #[track_caller]
    fn into_iter(self) -> IntoIter<T> {
        IntoIter::new(self, Location::caller())
    }
}
