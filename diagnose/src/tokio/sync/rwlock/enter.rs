//! How a `RwLock` is entered, whichever guard there will be.

use std::panic::Location;
use std::pin::pin;

use ::tokio::sync as real;
use ::tokio::sync::TryLockError;

use super::RwLock;
use crate::waits::{Leaf, Mode, Stake, Waited};

type Place = &'static Location<'static>;

impl<T: ?Sized> RwLock<T> {
    #[inline]
    pub(in super::super) async fn enter_read(
        &self,
        at: Place,
        is_movable: bool,
    ) -> (real::RwLockReadGuard<'_, T>, Stake) {
        let record = self.resource.record();
        let mut waited = pin!(Waited::new(self.lock.read(), Leaf::on(record, Mode::Read, 1, at)));
        let guard = waited.as_mut().await;
        (guard, Stake::hold_after(record, 1, at, is_movable, waited.has_waited()))
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
    pub(in super::super) async fn enter_write(
        &self,
        at: Place,
        is_movable: bool,
    ) -> (real::RwLockWriteGuard<'_, T>, Stake) {
        let record = self.resource.record();
        let leaf = Leaf::on(record, Mode::Write, self.units(), at);
        let mut waited = pin!(Waited::new(self.lock.write(), leaf));
        let guard = waited.as_mut().await;
        (guard, Stake::hold_after(record, self.units(), at, is_movable, waited.has_waited()))
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
