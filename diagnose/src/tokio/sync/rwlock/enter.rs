//! How a `RwLock` is entered, whichever guard there will be.

use std::future::Future;
use std::panic::Location;

use ::tokio::sync as real;
use ::tokio::sync::TryLockError;

use super::RwLock;
use crate::waits::{Acquire, AcquireArgs, Holding, WaitMode};

type Place = &'static Location<'static>;

impl<T: ?Sized> RwLock<T> {
    #[inline]
    pub(super) fn enter_read<'a, G>(
        &'a self,
        at: Place,
        is_movable: bool,
        guard: impl Fn(real::RwLockReadGuard<'a, T>, Holding) -> G,
    ) -> impl Future<Output = G> {
        let record = self.resource.record();
        Acquire::new(
            self.lock.read(),
            AcquireArgs { record, mode: WaitMode::Read, units: 1, at, is_movable },
            guard,
        )
    }

    #[inline]
    pub(super) fn try_enter_read(
        &self,
        at: Place,
        is_movable: bool,
    ) -> Result<(real::RwLockReadGuard<'_, T>, Holding), TryLockError> {
        let guard = self.lock.try_read()?;
        Ok((guard, Holding::hold(self.resource.record(), 1, at, is_movable)))
    }

    #[inline]
    pub(super) fn enter_write<'a, G>(
        &'a self,
        at: Place,
        is_movable: bool,
        guard: impl Fn(real::RwLockWriteGuard<'a, T>, Holding) -> G,
    ) -> impl Future<Output = G> {
        let (record, units) = (self.resource.record(), self.units());
        Acquire::new(
            self.lock.write(),
            AcquireArgs { record, mode: WaitMode::Write, units, at, is_movable },
            guard,
        )
    }

    #[inline]
    pub(super) fn try_enter_write(
        &self,
        at: Place,
        is_movable: bool,
    ) -> Result<(real::RwLockWriteGuard<'_, T>, Holding), TryLockError> {
        let guard = self.lock.try_write()?;
        Ok((guard, Holding::hold(self.resource.record(), self.units(), at, is_movable)))
    }

    /// What a writer has.
    pub(super) fn units(&self) -> u64 {
        u64::from(self.max_reads)
    }
}
