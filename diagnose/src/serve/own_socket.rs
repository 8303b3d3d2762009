//! A socket that is used only while its descriptor is still its own.
//!
//! A program that becomes a daemon closes all descriptors, also those that it does not know, and
//! the system gives their numbers to its next files and sockets. What this crate did to its own
//! socket would then be done to one of these. A descriptor that changes hands between the check and
//! the use is not noticed.

use std::io;

/// A socket that can be told from one that has taken over its descriptor.
pub(super) trait Identified {
    /// Device and number of the open file. `None` if unknown.
    fn file(&self) -> Option<(u64, u64)>;
}

/// A socket of this crate.
#[derive(Debug)]
pub(super) struct OwnSocket<T: Identified> {
    /// `Some` until the drop.
    socket: Option<T>,
    file: Option<(u64, u64)>,
}

impl<T: Identified> OwnSocket<T> {
    pub(super) fn new(socket: T) -> Self {
        Self { file: socket.file(), socket: Some(socket) }
    }

    /// Returns the socket.
    ///
    /// # Errors
    /// The program has closed it.
    pub(super) fn get(&self) -> io::Result<&T> {
        let own = self.socket.as_ref().filter(|socket| socket.file() == self.file);
        own.ok_or_else(|| io::ErrorKind::NotConnected.into())
    }

    /// Device and number of the open file, as it was at first.
    #[cfg(unix)]
    pub(super) fn file(&self) -> Option<(u64, u64)> {
        self.file
    }
}

impl<T: Identified> Drop for OwnSocket<T> {
    fn drop(&mut self) {
        if self.get().is_err() {
            // The drop would close the file of another.
            std::mem::forget(self.socket.take());
        }
    }
}
