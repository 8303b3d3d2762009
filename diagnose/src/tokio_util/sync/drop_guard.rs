//! Guards that cancel a token.

use std::panic::Location;

use super::CancellationToken;

/// tokio-util's `DropGuard`: cancels its token when it is dropped.
#[derive(Debug)]
pub struct DropGuard {
    token: Option<CancellationToken>,
}

impl DropGuard {
    pub(super) fn new(token: CancellationToken) -> Self {
        Self { token: Some(token) }
    }

    /// The token.
    ///
    /// # Panics
    /// Never: it is there until the guard is gone.
    pub fn token(&self) -> &CancellationToken {
        self.token.as_ref().expect("it is there until the guard is gone")
    }

    /// The token, which is not cancelled.
    ///
    /// # Panics
    /// Never, as above.
    pub fn disarm(mut self) -> CancellationToken {
        self.token.take().expect("it is there until the guard is gone")
    }
}

impl Drop for DropGuard {
    #[track_caller]
    fn drop(&mut self) {
        if let Some(token) = &self.token {
            token.cancel_at(Location::caller());
        }
    }
}

/// tokio-util's `DropGuardRef`: cancels a token that it borrows when it is dropped.
#[derive(Debug)]
pub struct DropGuardRef<'a> {
    token: Option<&'a CancellationToken>,
}

impl<'a> DropGuardRef<'a> {
    pub(super) fn new(token: &'a CancellationToken) -> Self {
        Self { token: Some(token) }
    }

    /// The token.
    ///
    /// # Panics
    /// Never: it is there until the guard is gone.
    pub fn token(&self) -> &CancellationToken {
        self.token.expect("it is there until the guard is gone")
    }

    /// The token, which is not cancelled.
    ///
    /// # Panics
    /// Never, as above.
    pub fn disarm(mut self) -> &'a CancellationToken {
        self.token.take().expect("it is there until the guard is gone")
    }
}

impl Drop for DropGuardRef<'_> {
    #[track_caller]
    fn drop(&mut self) {
        if let Some(token) = self.token {
            token.cancel_at(Location::caller());
        }
    }
}
