//! The receiving end.

use std::panic::Location;
use std::sync::mpsc::{RecvError, RecvTimeoutError, TryRecvError};
use std::time::Duration;

use super::{IntoIter, Iter, TryIter};
use crate::waits::{BlockedThread, ChannelEnd, SoleEnd, WaitMode};
use crate::wrap::around;

/// The standard library's `Receiver`.
pub struct Receiver<T> {
    // It ends before the channel is closed.
    end: SoleEnd,
    inner: ::std::sync::mpsc::Receiver<T>,
}

impl<T> Receiver<T> {
    pub(super) fn of(inner: ::std::sync::mpsc::Receiver<T>, end: ChannelEnd) -> Self {
        Self { end: SoleEnd::new(end), inner }
    }

    /// Takes a message out if there is one.
    ///
    /// # Errors
    /// If there is none, and if there is no sender any more.
    #[inline]
    #[track_caller]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        self.try_at(Location::caller())
    }

    /// Takes a message out, and blocks this thread until there is one.
    ///
    /// # Errors
    /// If there is none and no sender any more.
    #[inline]
    #[track_caller]
    pub fn recv(&self) -> Result<T, RecvError> {
        self.recv_at(Location::caller())
    }

    /// The same, but not for longer than that.
    ///
    /// # Errors
    /// If there was none, and if there is no sender any more.
    #[inline]
    #[track_caller]
    pub fn recv_timeout(&self, timeout: Duration) -> Result<T, RecvTimeoutError> {
        let at = Location::caller();
        match self.try_at(at) {
            Ok(message) => Ok(message),
            Err(TryRecvError::Disconnected) => Err(RecvTimeoutError::Disconnected),
            Err(TryRecvError::Empty) => self.block(at, |receiver| receiver.recv_timeout(timeout)),
        }
    }

    /// The messages, each of which blocks this thread until it is there, until there is no sender any more.
    #[track_caller]
    pub fn iter(&self) -> Iter<'_, T> {
        Iter { receiver: self, at: Location::caller() }
    }

    /// The messages that are there.
    #[track_caller]
    pub fn try_iter(&self) -> TryIter<'_, T> {
        TryIter { receiver: self, at: Location::caller() }
    }

    #[inline]
    pub(super) fn try_at(&self, at: &'static Location<'static>) -> Result<T, TryRecvError> {
        self.end.used(at);
        let message = self.inner.try_recv()?;
        self.end.took(1);
        Ok(message)
    }

    #[inline]
    pub(super) fn recv_at(&self, at: &'static Location<'static>) -> Result<T, RecvError> {
        match self.try_at(at) {
            Ok(message) => Ok(message),
            Err(TryRecvError::Disconnected) => Err(RecvError),
            Err(TryRecvError::Empty) => self.block(at, ::std::sync::mpsc::Receiver::recv),
        }
    }

    #[cold]
    fn block<E>(
        &self,
        at: &'static Location<'static>,
        block: impl FnOnce(&::std::sync::mpsc::Receiver<T>) -> Result<T, E>,
    ) -> Result<T, E> {
        let blocked = BlockedThread::begin(self.end.record(), WaitMode::Receive, 1, at);
        let message = block(&self.inner)?;
        drop(blocked);
        self.end.took(1);
        Ok(message)
    }
}

around!([T] Receiver<T>: ::std::sync::mpsc::Receiver<T>, |inner| Self { inner, end: SoleEnd::none() });

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
        IntoIter { receiver: self, at: Location::caller() }
    }
}
