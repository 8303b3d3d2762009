//! The iterators over a receiver's messages. They record each use at the iterator's creation place.

use std::panic::Location;

use super::Receiver;

/// The iterator of [`Receiver::iter`].
#[derive(Debug)]
pub struct Iter<'a, T> {
    pub(super) receiver: &'a Receiver<T>,
    pub(super) at: &'static Location<'static>,
}

impl<T> Iterator for Iter<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.receiver.recv_at(self.at).ok()
    }
}

/// The iterator of [`Receiver::try_iter`].
#[derive(Debug)]
pub struct TryIter<'a, T> {
    pub(super) receiver: &'a Receiver<T>,
    pub(super) at: &'static Location<'static>,
}

impl<T> Iterator for TryIter<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.receiver.try_at(self.at).ok()
    }
}

/// An iterator that owns its [`Receiver`].
#[derive(Debug)]
pub struct IntoIter<T> {
    pub(super) receiver: Receiver<T>,
    pub(super) at: &'static Location<'static>,
}

impl<T> Iterator for IntoIter<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.receiver.recv_at(self.at).ok()
    }
}
