//! The sending ends of a channel.

use std::panic::Location;
use std::sync::mpsc::{SendError, TrySendError};

use crate::waits::{BlockedThread, ChannelEnd, WaitMode};
use crate::wrap::{around, clone};

/// The standard library's `Sender`.
pub struct Sender<T> {
    // Dropped first: the record of this end stops before the channel is closed.
    end: ChannelEnd,
    inner: ::std::sync::mpsc::Sender<T>,
}

impl<T> Sender<T> {
    pub(super) fn of(inner: ::std::sync::mpsc::Sender<T>, end: ChannelEnd) -> Self {
        Self { end, inner }
    }

    /// Sends a message. Never blocks.
    ///
    /// # Errors
    /// Returns the message if the receiver is dropped.
    #[inline]
    #[track_caller]
    pub fn send(&self, t: T) -> Result<(), SendError<T>> {
        self.end.used(Location::caller());
        let received = self.end.received::<T>();
        self.inner.send(t)?;
        self.end.put_after::<T>(received);
        Ok(())
    }
}

clone!(Sender<T>, Sends);
around!([T] Sender<T>: ::std::sync::mpsc::Sender<T>, |inner| Self { inner, end: ChannelEnd::none() });

/// The standard library's `SyncSender`.
pub struct SyncSender<T> {
    // Dropped first: the record of this end stops before the channel is closed.
    end: ChannelEnd,
    inner: ::std::sync::mpsc::SyncSender<T>,
}

impl<T> SyncSender<T> {
    pub(super) fn of(inner: ::std::sync::mpsc::SyncSender<T>, end: ChannelEnd) -> Self {
        Self { end, inner }
    }

    /// Sends a message, blocking the current thread while the channel is full.
    ///
    /// # Errors
    /// Returns the message if the receiver is dropped.
    #[inline]
    #[track_caller]
    pub fn send(&self, t: T) -> Result<(), SendError<T>> {
        let at = Location::caller();
        self.end.used(at);
        let received = self.end.received::<T>();
        match self.inner.try_send(t) {
            Ok(()) => {}
            Err(TrySendError::Disconnected(t)) => return Err(SendError(t)),
            Err(TrySendError::Full(t)) => self.block(t, at)?,
        }
        self.end.put_after::<T>(received);
        Ok(())
    }

    /// Attempts to send a message without blocking.
    ///
    /// # Errors
    /// Returns the message if the channel is full or the receiver is dropped.
    #[inline]
    #[track_caller]
    pub fn try_send(&self, t: T) -> Result<(), TrySendError<T>> {
        self.end.used(Location::caller());
        let received = self.end.received::<T>();
        self.inner.try_send(t)?;
        self.end.put_after::<T>(received);
        Ok(())
    }

    #[cold]
    fn block(&self, t: T, at: &'static Location<'static>) -> Result<(), SendError<T>> {
        let _blocked = BlockedThread::begin(self.end.record(), WaitMode::Send, 1, at);
        self.inner.send(t)
    }
}

clone!(SyncSender<T>, Sends);
around!([T] SyncSender<T>: ::std::sync::mpsc::SyncSender<T>, |inner| Self { inner, end: ChannelEnd::none() });
