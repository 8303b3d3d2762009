//! `tokio::sync::RwLock` and its guards.

mod lock;
mod read;
mod write;

pub use self::lock::RwLock;
pub use self::read::{OwnedRwLockReadGuard, RwLockReadGuard};
pub use self::write::{OwnedRwLockMappedWriteGuard, OwnedRwLockWriteGuard};
pub use self::write::{RwLockMappedWriteGuard, RwLockWriteGuard};
