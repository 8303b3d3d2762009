//! The receiving end of a channel.

use std::panic::Location;
use std::sync::mpsc::{RecvError, RecvTimeoutError, TryRecvError};
use std::time::Duration;

use super::{IntoIter, Iter, TryIter};
use crate::waits::{BlockedThread, ChannelEnd, SoleEnd, WaitMode};
use crate::wrap::around;

/// The standard library's `Receiver`.
pub struct Receiver<T> {
    // Dropped first: the record of this end stops before the channel is closed.
    end: SoleEnd,
    inner: ::std::sync::mpsc::Receiver<T>,
}

impl<T> Receiver<T> {
    pub(super) fn of(inner: ::std::sync::mpsc::Receiver<T>, end: ChannelEnd) -> Self {
        Self { end: SoleEnd::new(end), inner }
    }

    /// Attempts to receive a message without blocking.
    ///
    /// # Errors
    /// If the channel is empty, or empty and all senders are dropped.
    #[inline]
    #[track_caller]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        self.try_at(Location::caller())
    }

    /// Receives a message, blocking the current thread while the channel is empty.
    ///
    /// # Errors
    /// If the channel is empty and all senders are dropped.
    #[inline]
    #[track_caller]
    pub fn recv(&self) -> Result<T, RecvError> {
        self.recv_at(Location::caller())
    }

    /// Receives a message, blocking the current thread for at most `timeout`.
    ///
    /// # Errors
    /// If the timeout elapses, or the channel is empty and all senders are dropped.
    #[inline]
    #[track_caller]
    pub fn recv_timeout(&self, timeout: Duration) -> Result<T, RecvTimeoutError> {
        let at = Location::caller();
        match self.try_at(at) {
            Ok(message) => Ok(message),
            Err(TryRecvError::Disconnected) => Err(RecvTimeoutError::Disconnected),
            Err(TryRecvError::Empty) => {
                let blocked = BlockedThread::begin_for(self.end.record(), WaitMode::Receive, 1, timeout, at);
                self.block(blocked, |receiver| receiver.recv_timeout(timeout))
            }
        }
    }

    /// Iterates over messages, blocking the thread for each, until all senders are dropped.
    #[track_caller]
    pub fn iter(&self) -> Iter<'_, T> {
        Iter { receiver: self, at: Location::caller() }
    }

    /// Iterates over the messages that are available, without blocking.
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
            Err(TryRecvError::Empty) => {
                let blocked = BlockedThread::begin(self.end.record(), WaitMode::Receive, 1, at);
                self.block(blocked, ::std::sync::mpsc::Receiver::recv)
            }
        }
    }

    #[cold]
    fn block<E>(
        &self,
        blocked: Option<BlockedThread>,
        block: impl FnOnce(&::std::sync::mpsc::Receiver<T>) -> Result<T, E>,
    ) -> Result<T, E> {
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
