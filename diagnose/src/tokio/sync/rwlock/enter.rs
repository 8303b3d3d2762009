//! How a `RwLock` is entered, whichever guard there will be.

use std::future::Future;
use std::panic::Location;

use ::tokio::sync as real;
use ::tokio::sync::TryLockError;

use super::RwLock;
use crate::waits::{Ask, Entered, Mode, Stake};

type Place = &'static Location<'static>;

impl<T: ?Sized> RwLock<T> {
    #[inline]
    pub(in super::super) fn enter_read<'a, G>(
        &'a self,
        at: Place,
        is_movable: bool,
        guard: impl Fn(real::RwLockReadGuard<'a, T>, Stake) -> G,
    ) -> impl Future<Output = G> {
        let record = self.resource.record();
        Entered::new(self.lock.read(), Ask { record, mode: Mode::Read, units: 1, at, is_movable }, guard)
    }

    #[inline]
    pub(in super::super) fn try_enter_read(
        &self,
        at: Place,
        is_movable: bool,
    ) -> Result<(real::RwLockReadGuard<'_, T>, Stake), TryLockError> {
        let guard = self.lock.try_read()?;
        Ok((guard, Stake::hold(self.resource.record(), 1, at, is_movable)))
    }

    #[inline]
    pub(in super::super) fn enter_write<'a, G>(
        &'a self,
        at: Place,
        is_movable: bool,
        guard: impl Fn(real::RwLockWriteGuard<'a, T>, Stake) -> G,
    ) -> impl Future<Output = G> {
        let (record, units) = (self.resource.record(), self.units());
        Entered::new(self.lock.write(), Ask { record, mode: Mode::Write, units, at, is_movable }, guard)
    }

    #[inline]
    pub(in super::super) fn try_enter_write(
        &self,
        at: Place,
        is_movable: bool,
    ) -> Result<(real::RwLockWriteGuard<'_, T>, Stake), TryLockError> {
        let guard = self.lock.try_write()?;
        Ok((guard, Stake::hold(self.resource.record(), self.units(), at, is_movable)))
    }

    /// What a writer has.
    pub(super) fn units(&self) -> u64 {
        u64::from(self.max_reads)
    }
}
