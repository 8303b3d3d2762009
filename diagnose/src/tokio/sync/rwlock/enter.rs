//! How a `RwLock` is entered, whichever guard there will be.

use std::future::Future;
use std::panic::Location;

use ::tokio::sync as real;
use ::tokio::sync::TryLockError;

use super::RwLock;
use crate::waits::{Entered, Leaf, Mode, Stake};

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
        let leaf = move || Leaf::on(record, Mode::Read, 1, at);
        Entered::new(self.lock.read(), leaf, move |real, has_waited| {
            guard(real, Stake::hold_after(record, 1, at, is_movable, has_waited))
        })
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
        let record = self.resource.record();
        let units = self.units();
        let leaf = move || Leaf::on(record, Mode::Write, units, at);
        Entered::new(self.lock.write(), leaf, move |real, has_waited| {
            guard(real, Stake::hold_after(record, units, at, is_movable, has_waited))
        })
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
