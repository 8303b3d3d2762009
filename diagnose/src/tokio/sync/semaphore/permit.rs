//! Permits that borrow their semaphore.

use std::panic::Location;

use ::tokio::sync as real;

use super::Semaphore;
use crate::waits::Holding;
use crate::wrap::debug;

/// tokio's `SemaphorePermit`.
// `holding` comes before `permit`: its record ends before another task can acquire the permit.
#[must_use]
#[clippy::has_significant_drop]
pub struct SemaphorePermit<'a> {
    holding: Holding,
    permit: real::SemaphorePermit<'a>,
    semaphore: &'a Semaphore,
}

impl<'a> SemaphorePermit<'a> {
    #[inline]
    pub(super) fn new(holding: Holding, permit: real::SemaphorePermit<'a>, semaphore: &'a Semaphore) -> Self {
        Self { holding, permit, semaphore }
    }

    /// Forgets the permits for good: they do not return to the semaphore.
    #[track_caller]
    pub fn forget(self) {
        let Self { holding, permit, semaphore } = self;
        drop(holding);
        semaphore.forget(permit.num_permits(), Location::caller());
        permit.forget();
    }

    /// Merges the permits of `other` into this one.
    ///
    /// # Panics
    /// If `other` belongs to another semaphore.
    #[track_caller]
    pub fn merge(&mut self, other: Self) {
        self.permit.merge(other.permit);
        self.holding.merge(other.holding);
    }

    /// Splits `n` permits off. Returns `None` if it has fewer.
    pub fn split(&mut self, n: usize) -> Option<Self> {
        let permit = self.permit.split(n)?;
        Some(Self { holding: self.holding.split(n as u64), permit, semaphore: self.semaphore })
    }

    /// Returns the semaphore of this permit.
    pub fn semaphore(&self) -> &Semaphore {
        self.semaphore
    }

    /// Returns the number of permits held.
    pub fn num_permits(&self) -> usize {
        self.permit.num_permits()
    }
}

debug!(['a] SemaphorePermit<'a>, permit: real::SemaphorePermit<'a>);
