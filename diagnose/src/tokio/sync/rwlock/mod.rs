//! `tokio::sync::RwLock` and its guards.

mod lock;
mod owned_write;
mod read;
mod write;

pub use self::lock::RwLock;
pub use self::owned_write::{OwnedRwLockMappedWriteGuard, OwnedRwLockWriteGuard};
pub use self::read::{OwnedRwLockReadGuard, RwLockReadGuard};
pub use self::write::{RwLockMappedWriteGuard, RwLockWriteGuard};
