//! `tokio::sync::Mutex` and its guards.

mod guard;
mod lock;
mod owned;

pub use self::guard::{MappedMutexGuard, MutexGuard};
pub use self::lock::Mutex;
pub use self::owned::{OwnedMappedMutexGuard, OwnedMutexGuard};
