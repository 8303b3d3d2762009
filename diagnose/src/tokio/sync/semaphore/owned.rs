//! Permits that own their semaphore.

use std::fmt;
use std::mem;
use std::panic::Location;
use std::sync::Arc;

use super::Semaphore;
use crate::waits::Holding;

/// tokio's `OwnedSemaphorePermit`.
///
/// tokio's own type owns an `Arc` of tokio's semaphore. This type owns an `Arc` of the wrapper. The
/// original's permits are forgotten, and added back when this is dropped.
#[must_use]
#[clippy::has_significant_drop]
pub struct OwnedSemaphorePermit {
    holding: Holding,
    semaphore: Arc<Semaphore>,
    permits: usize,
}

impl OwnedSemaphorePermit {
    #[inline]
    pub(super) fn new(holding: Holding, semaphore: Arc<Semaphore>, permits: usize) -> Self {
        Self { holding, semaphore, permits }
    }

    /// Forgets the permits for good: they do not return to the semaphore.
    #[track_caller]
    pub fn forget(mut self) {
        drop(mem::replace(&mut self.holding, Holding::NONE));
        self.semaphore.forget(mem::take(&mut self.permits), Location::caller());
    }

    /// Merges the permits of `other` into this one.
    ///
    /// # Panics
    /// If `other` belongs to another semaphore.
    #[track_caller]
    pub fn merge(&mut self, mut other: Self) {
        assert!(
            Arc::ptr_eq(&self.semaphore, &other.semaphore),
            "merging permits from different semaphore instances"
        );
        self.permits = self.permits.checked_add(other.permits).expect("number of permits overflowed");
        other.permits = 0;
        self.holding.merge(mem::replace(&mut other.holding, Holding::NONE));
    }

    /// Splits `n` permits off. Returns `None` if it has fewer.
    pub fn split(&mut self, n: usize) -> Option<Self> {
        if n > self.permits {
            return None;
        }
        self.permits -= n;
        Some(Self::new(self.holding.split(n as u64), Arc::clone(&self.semaphore), n))
    }

    /// Returns the semaphore of this permit.
    pub fn semaphore(&self) -> &Arc<Semaphore> {
        &self.semaphore
    }

    /// Returns the number of permits held.
    pub fn num_permits(&self) -> usize {
        self.permits
    }
}

impl Drop for OwnedSemaphorePermit {
    #[inline]
    fn drop(&mut self) {
        // The record ends before another task can acquire them.
        drop(mem::replace(&mut self.holding, Holding::NONE));
        self.semaphore.permits.add_permits(self.permits);
    }
}

#[allow(clippy::missing_fields_in_debug)] // As tokio's `Debug`.
impl fmt::Debug for OwnedSemaphorePermit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("OwnedSemaphorePermit")
            .field("sem", &self.semaphore)
            .field("permits", &self.permits)
            .finish()
    }
}
