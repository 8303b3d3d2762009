//! `tokio::sync::RwLock`.

use std::future::Future;
use std::panic::Location;
use std::sync::Arc;

use ::tokio::sync as real;
use ::tokio::sync::TryLockError;

use super::read::Reads;
use super::write::Writes;
use super::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLockReadGuard, RwLockWriteGuard};
use crate::tokio::sync::acquire::acquire;
use crate::tokio::sync::is_forced;
use crate::waits::{Acquire, Resource, ResourceKind, ResourceType, WaitMode};
use crate::wrap::{Owned, convert_lock, owned_wait, share};

static TYPE: ResourceType = ResourceType::fair(ResourceKind::RwLock, "tokio").granted_if(is_forced);

/// tokio's default for the maximum number of readers.
const MAX_READS: u32 = u32::MAX >> 3;

/// tokio's `RwLock`, which also records its readers, its writer and its waiters.
///
/// A reader holds one of `max_reads` units, a writer holds all. Recorded from its first use, under
/// its place of creation. It behaves exactly like tokio's.
pub struct RwLock<T: ?Sized> {
    resource: Resource,
    max_reads: u32,
    lock: real::RwLock<T>,
}

impl<T> RwLock<T> {
    /// Creates a lock in the unlocked state.
    #[track_caller]
    pub fn new(value: T) -> Self {
        Self::from(real::RwLock::new(value))
    }

    /// Creates a lock in the unlocked state that admits up to `max_reads` readers at a time.
    ///
    /// # Panics
    /// If `max_reads` is zero, or more than `u32::MAX >> 3`.
    #[track_caller]
    pub fn with_max_readers(value: T, max_reads: u32) -> Self {
        Self::made(real::RwLock::with_max_readers(value, max_reads), max_reads)
    }

    /// Creates a lock in the unlocked state. Can be used in a `const` or `static`.
    #[track_caller]
    pub const fn const_new(value: T) -> Self {
        Self::around(real::RwLock::const_new(value), MAX_READS)
    }

    /// Creates a lock that admits up to `max_reads` readers. Can be used in a `const` or `static`.
    ///
    /// # Panics
    /// If `max_reads` is zero, or more than `u32::MAX >> 3`.
    #[track_caller]
    pub const fn const_with_max_readers(value: T, max_reads: u32) -> Self {
        Self::around(real::RwLock::const_with_max_readers(value, max_reads), max_reads)
    }

    /// Consumes the lock, returning the underlying data.
    pub fn into_inner(self) -> T {
        self.lock.into_inner()
    }

    /// Returns tokio's own lock, for crates that expect it.
    ///
    /// With the feature `on` only; `.into()` works without it, too.
    pub fn into_tokio(self) -> real::RwLock<T> {
        self.lock
    }

    #[track_caller]
    fn made(lock: real::RwLock<T>, max_reads: u32) -> Self {
        let mut made = Self::around(lock, max_reads);
        made.resource = made.resource.with_creation();
        made
    }

    #[track_caller]
    const fn around(lock: real::RwLock<T>, max_reads: u32) -> Self {
        Self { resource: Resource::new(&TYPE, max_reads as u64, Location::caller()), max_reads, lock }
    }
}

impl<T: ?Sized> RwLock<T> {
    acquire! {
        lock, Read, |it| 1, "If there is a writer or a waiter.";
        /// Locks with read access, waiting if necessary. Readers wait behind a waiting writer.
        ///
        /// Cancel safe, but a cancelled call loses its place in the queue.
        read -> RwLockReadGuard;
        /// Blocks the current thread until it has read access.
        blocking_read;
        /// Locks with read access, as [`read`](Self::read) does. The returned guard owns the lock.
        read_owned -> OwnedRwLockReadGuard of Reads<T, T>;
        /// Locks with read access if there is no writer and no waiter.
        try_read;
        /// Like [`try_read`](Self::try_read). The returned guard owns the lock.
        try_read_owned;
    }

    acquire! {
        lock, Write, |it| it.units(), "If there is a reader or a writer.";
        /// Locks with write access, waiting if necessary. Cancel safe, but a cancelled call loses
        /// its place in the queue.
        write -> RwLockWriteGuard;
        /// Blocks the current thread until it has write access.
        blocking_write;
        /// Locks with write access, as [`write`](Self::write) does. The returned guard owns the
        /// lock.
        write_owned -> OwnedRwLockWriteGuard of Writes<T>;
        /// Locks with write access if the lock is free.
        try_write;
        /// Locks with write access if the lock is free. The returned guard owns the lock.
        try_write_owned;
    }

    /// Units that a writer holds.
    fn units(&self) -> u64 {
        u64::from(self.max_reads)
    }

    /// Returns the underlying data. `&mut self` proves that no guard exists.
    pub fn get_mut(&mut self) -> &mut T {
        self.lock.get_mut()
    }
}

// tokio's lock does not expose its maximum number of readers, so the default is assumed.
share!([T: ?Sized] RwLock<T>, lock: real::RwLock<T>);
convert_lock!(RwLock<T>, lock: real::RwLock<T>, Self::made(lock, MAX_READS));
