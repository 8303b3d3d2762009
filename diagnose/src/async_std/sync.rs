//! `async_std::sync`: its locks are async-lock's, and here those on record; the rest is async-std's own. `Barrier` is here without
//! its feature `unstable` too.

pub use ::async_std::sync::*;

pub use crate::async_lock::{
    Barrier, BarrierWaitResult, Mutex, MutexGuard, MutexGuardArc, RwLock, RwLockReadGuard,
    RwLockUpgradableReadGuard, RwLockWriteGuard,
};
