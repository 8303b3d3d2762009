//! Conversion of the guards in the results of locks, poisoned or not.

use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

/// Calls `with` in one place, so that it is inlined and its guard stays in registers.
#[inline]
pub(super) fn map<G, H>(result: LockResult<G>, with: impl FnOnce(G) -> H) -> LockResult<H> {
    let (guard, is_poisoned) = match result {
        Ok(guard) => (guard, false),
        Err(poisoned) => (poisoned.into_inner(), true),
    };
    let guard = with(guard);
    if is_poisoned { Err(PoisonError::new(guard)) } else { Ok(guard) }
}

#[inline]
pub(super) fn map_try<G, H>(result: TryLockResult<G>, with: impl FnOnce(G) -> H) -> TryLockResult<H> {
    let locked = match result {
        Ok(guard) => Ok(guard),
        Err(TryLockError::Poisoned(poisoned)) => Err(poisoned),
        Err(TryLockError::WouldBlock) => return Err(TryLockError::WouldBlock),
    };
    map(locked, with).map_err(TryLockError::Poisoned)
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
