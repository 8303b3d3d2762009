//! The receiving ends.

use std::panic::Location;
use std::time::{Duration, Instant};

use ::flume::{RecvError, RecvTimeoutError, TryRecvError};

use super::r#async::{RecvFut, RecvStream};
use super::part::Part;
use super::{Drain, IntoIter, Iter, TryIter};
use crate::waits::{BlockedThread, ChannelEnd, WaitMode};
use crate::wrap::{around, clone};

/// flume's `Receiver`; who has it and whether it waits is on record.
// The receiver stands first: it is gone before the records say so.
pub struct Receiver<T> {
    inner: ::flume::Receiver<T>,
    end: ChannelEnd,
    made_at: &'static Location<'static>,
}

around!(
    [T] Receiver<T>: ::flume::Receiver<T>,
    |inner| Self { inner, end: ChannelEnd::none(), made_at: Location::caller() },
    [
        is_disconnected() -> bool, is_empty() -> bool, is_full() -> bool, len() -> usize,
        capacity() -> Option<usize>, receiver_count() -> usize, sender_count() -> usize,
    ]
);

impl<T> Receiver<T> {
    pub(super) fn of(
        inner: ::flume::Receiver<T>,
        end: ChannelEnd,
        made_at: &'static Location<'static>,
    ) -> Self {
        Self { inner, end, made_at }
    }

    /// Takes a message if there is one.
    ///
    /// # Errors
    /// If there is none, or none and no sender any more.
    #[track_caller]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        self.try_recv_at(Location::caller())
    }

    /// Blocks this thread until there is a message.
    ///
    /// # Errors
    /// If there is none, and no sender any more.
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

    /// Blocks this thread until there is a message, or until then.
    ///
    /// # Errors
    /// If there is none by then, or none and no sender any more.
    #[track_caller]
    pub fn recv_deadline(&self, deadline: Instant) -> Result<T, RecvTimeoutError> {
        let at = Location::caller();
        match self.try_recv_at(at) {
            Ok(message) => return Ok(message),
            Err(TryRecvError::Disconnected) => return Err(RecvTimeoutError::Disconnected),
            Err(TryRecvError::Empty) => {}
        }
        let blocked = self.block(at);
        let message = self.inner.recv_deadline(deadline)?;
        drop(blocked);
        self.end.took_one_of_several();
        Ok(message)
    }

    /// Blocks this thread until there is a message, for so long at most.
    ///
    /// # Errors
    /// If there is none by then, or none and no sender any more.
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

    /// Waits for a message. Cancel safe.
    #[track_caller]
    pub fn recv_async(&self) -> RecvFut<'_, T> {
        RecvFut::new(self.inner.recv_async(), Part::Borrowed(&self.end), Location::caller())
    }

    /// The same with a future that owns the receiver.
    #[track_caller]
    pub fn into_recv_async<'a>(self) -> RecvFut<'a, T> {
        RecvFut::new(self.inner.into_recv_async(), Part::Owned(self.end), Location::caller())
    }

    /// The messages as a stream.
    ///
    /// It waits where its task awaits it, or where the channel was made, if that is not known.
    #[track_caller]
    pub fn stream(&self) -> RecvStream<'_, T> {
        self.end.used(Location::caller());
        RecvStream::new(self.inner.stream(), Part::Borrowed(&self.end), self.made_at)
    }

    /// The same with a stream that owns the receiver.
    #[track_caller]
    pub fn into_stream<'a>(self) -> RecvStream<'a, T> {
        self.end.used(Location::caller());
        RecvStream::new(self.inner.into_stream(), Part::Owned(self.end), self.made_at)
    }

    /// Whether both are of the same channel.
    pub fn same_channel(&self, other: &Self) -> bool {
        self.inner.same_channel(&other.inner)
    }

    /// The messages until there is no sender any more; each blocks this thread until it is there.
    #[track_caller]
    pub fn iter(&self) -> Iter<'_, T> {
        Iter::new(self, Location::caller())
    }

    /// The messages that are there.
    #[track_caller]
    pub fn try_iter(&self) -> TryIter<'_, T> {
        TryIter::new(self, Location::caller())
    }

    /// Takes all messages out at once.
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
