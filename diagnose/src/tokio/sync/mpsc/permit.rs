//! Reserved slots of a bounded channel.

use std::iter::FusedIterator;

use ::tokio::sync::mpsc;

use super::Sender;
use crate::waits::{ChannelEnd, Holding};
use crate::wrap::{convert, debug};

/// tokio's `Permit`: a reserved slot for one message. Dropping it releases the slot.
pub struct Permit<'a, T> {
    // Dropped first: a slot that is free is never shown as reserved.
    pub(super) holding: Holding,
    pub(super) inner: mpsc::Permit<'a, T>,
    pub(super) end: &'a ChannelEnd,
}

impl<T> Permit<'_, T> {
    /// Sends a message in the reserved slot.
    pub fn send(self, value: T) {
        let Self { inner, holding, end } = self;
        let received = end.received::<T>();
        inner.send(value);
        end.put_after::<T>(received);
        drop(holding);
    }
}

debug!(['a, T] Permit<'a, T>, inner: mpsc::Permit<'a, T>);

/// tokio's `PermitIterator`: several reserved slots. Dropping it releases the remaining ones.
pub struct PermitIterator<'a, T> {
    pub(super) holding: Holding,
    pub(super) inner: mpsc::PermitIterator<'a, T>,
    pub(super) end: &'a ChannelEnd,
}

impl<'a, T> Iterator for PermitIterator<'a, T> {
    type Item = Permit<'a, T>;

    fn next(&mut self) -> Option<Self::Item> {
        let inner = self.inner.next()?;
        Some(Permit { inner, holding: self.holding.split(1), end: self.end })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.inner.size_hint()
    }
}

impl<T> ExactSizeIterator for PermitIterator<'_, T> {}
impl<T> FusedIterator for PermitIterator<'_, T> {}

debug!(['a, T] PermitIterator<'a, T>, inner: mpsc::PermitIterator<'a, T>);

/// tokio's `OwnedPermit`: a reserved slot, with its sender. Dropping it releases the slot.
pub struct OwnedPermit<T> {
    pub(super) holding: Holding,
    pub(super) inner: mpsc::OwnedPermit<T>,
    pub(super) end: ChannelEnd,
}

impl<T> OwnedPermit<T> {
    /// Sends a message in the reserved slot. Returns the sender.
    // The permit owns its sender, so this is a use of the sender.
    #[track_caller]
    pub fn send(self, value: T) -> Sender<T> {
        let Self { inner, holding, end } = self;
        let received = end.received::<T>();
        let inner = inner.send(value);
        end.used(std::panic::Location::caller());
        end.put_after::<T>(received);
        drop(holding);
        Sender::of(inner, end)
    }

    /// Releases the reserved slot. Returns the sender.
    #[track_caller]
    pub fn release(self) -> Sender<T> {
        let Self { inner, holding, end } = self;
        let inner = inner.release();
        end.used(std::panic::Location::caller());
        drop(holding);
        Sender::of(inner, end)
    }

    /// Returns whether both belong to the same channel.
    pub fn same_channel(&self, other: &Self) -> bool {
        self.inner.same_channel(&other.inner)
    }

    /// Returns whether it belongs to the channel of `sender`.
    pub fn same_channel_as_sender(&self, sender: &Sender<T>) -> bool {
        self.inner.same_channel_as_sender(&sender.inner)
    }

    /// Returns tokio's own permit. From then on its owner is unknown.
    ///
    /// With the feature `on` only; `.into()` works without it, too.
    pub fn into_inner(self) -> mpsc::OwnedPermit<T> {
        self.holding.lose();
        self.end.lose();
        self.inner
    }
}

debug!([T] OwnedPermit<T>, inner: mpsc::OwnedPermit<T>);
convert!(
    [T] OwnedPermit<T>: mpsc::OwnedPermit<T>,
    |inner| Self { inner, holding: Holding::NONE, end: ChannelEnd::none() },
    |it| it.into_inner()
);
