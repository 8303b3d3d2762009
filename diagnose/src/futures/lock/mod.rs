//! `futures::lock`: [`Mutex`] with its guards and futures, with who holds it and who waits for it.

mod locking;
mod mutex;
mod owned;
mod owned_guard;

pub use self::locking::{MutexLockFuture, OwnedMutexLockFuture};
pub use self::mutex::{MappedMutexGuard, Mutex, MutexGuard};
pub use self::owned_guard::OwnedMutexGuard;
// All that is there today is wrapped: this is for what a later version adds.
#[allow(unreachable_pub, unused_imports)]
pub use ::futures::lock::*;
