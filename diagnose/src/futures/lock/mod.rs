//! `futures::lock`: [`Mutex`] with its guards and futures, with who holds it and who waits for it.

mod locking;
mod mutex;
mod owned;
mod owned_guard;

pub use self::locking::{MutexLockFuture, OwnedMutexLockFuture};
pub use self::mutex::{MappedMutexGuard, Mutex, MutexGuard};
pub use self::owned_guard::OwnedMutexGuard;
// All that is there today is wrapped.
#[allow(unreachable_pub)]
pub use ::futures::lock::*;
