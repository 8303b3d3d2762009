//! `async_std::sync` with the recorded locks of `async_lock`; the rest is async-std's own.
//!
//! `Barrier` is available without async-std's feature `unstable` too.

pub use ::async_std::sync::*;

pub use crate::async_lock::{
    Barrier, BarrierWaitResult, Mutex, MutexGuard, MutexGuardArc, RwLock, RwLockReadGuard,
    RwLockUpgradableReadGuard, RwLockWriteGuard,
};
