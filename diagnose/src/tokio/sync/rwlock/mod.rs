//! `tokio::sync::RwLock` and its guards.

mod enter;
mod lock;
mod owned_read;
mod owned_write;
mod read;
mod write;

pub use self::lock::RwLock;
pub use self::owned_read::OwnedRwLockReadGuard;
pub use self::owned_write::{OwnedRwLockMappedWriteGuard, OwnedRwLockWriteGuard};
pub use self::read::RwLockReadGuard;
pub use self::write::{RwLockMappedWriteGuard, RwLockWriteGuard};
