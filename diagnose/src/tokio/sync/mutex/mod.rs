//! `tokio::sync::Mutex` and its guards.

mod guards;
mod lock;

pub use self::guards::{MappedMutexGuard, MutexGuard, OwnedMappedMutexGuard, OwnedMutexGuard};
pub use self::lock::Mutex;
