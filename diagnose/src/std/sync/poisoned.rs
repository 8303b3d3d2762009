//! Conversion of the guards in the results of locks, poisoned or not.

use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

#[inline]
pub(super) fn map<G, H>(result: LockResult<G>, with: impl FnOnce(G) -> H) -> LockResult<H> {
    match result {
        Ok(guard) => Ok(with(guard)),
        Err(poisoned) => Err(PoisonError::new(with(poisoned.into_inner()))),
    }
}

#[inline]
pub(super) fn map_try<G, H>(result: TryLockResult<G>, with: impl FnOnce(G) -> H) -> TryLockResult<H> {
    match result {
        Ok(guard) => Ok(with(guard)),
        Err(TryLockError::Poisoned(poisoned)) => {
            Err(TryLockError::Poisoned(PoisonError::new(with(poisoned.into_inner()))))
        }
        Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
    }
}

/// Returns the result of a tried lock, or of `block` if it would block, and whether `block` ran.
#[inline]
pub(super) fn or_block<G>(
    tried: TryLockResult<G>,
    block: impl FnOnce() -> LockResult<G>,
) -> (LockResult<G>, bool) {
    match tried {
        Ok(guard) => (Ok(guard), false),
        Err(TryLockError::Poisoned(poisoned)) => (Err(poisoned), false),
        Err(TryLockError::WouldBlock) => (block(), true),
    }
}
