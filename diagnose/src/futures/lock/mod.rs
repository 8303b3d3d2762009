//! `futures::lock`: [`Mutex`] with a record of its holder and its waiters.

mod locking;
mod mutex;
mod owned;
mod owned_guard;

pub use self::locking::{MutexLockFuture, OwnedMutexLockFuture};
pub use self::mutex::{MappedMutexGuard, Mutex, MutexGuard};
pub use self::owned_guard::OwnedMutexGuard;
// Everything here is wrapped today; this re-exports the additions of later versions.
#[allow(unreachable_pub, unused_imports)]
pub use ::futures::lock::*;
