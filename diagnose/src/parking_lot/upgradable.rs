//! The upgradable read guard of a `parking_lot::RwLock`.

use std::panic::Location;
use std::time::{Duration, Instant};

use super::mutex::left;
use super::parts::unlocked;
use super::rwlock::ALL;
use super::{RwLock, RwLockReadGuard, RwLockWriteGuard};
use crate::waits::{BlockedThread, Holding, WaitMode};
use crate::wrap::guard;

guard! {
    /// A guard that releases upgradable read access when dropped.
    ///
    /// Other readers may coexist with it, but no second upgradable reader. Unlike the original,
    /// `Sync` needs `T: Send`, as [`rwlock`](Self::rwlock) gives shared access.
    #[must_use = "if unused the RwLock will immediately unlock"]
    pub struct RwLockUpgradableReadGuard<'a, T: ?Sized> for &T {
        guard: Reads<'a, T>,
        lock: &'a RwLock<T>,
    }
}

type Reads<'a, T> = ::parking_lot::RwLockUpgradableReadGuard<'a, T>;
type Writes<'a, T> = ::parking_lot::RwLockWriteGuard<'a, T>;

impl<'a, T: ?Sized> RwLockUpgradableReadGuard<'a, T> {
    /// Returns the lock that this guard came from.
    pub fn rwlock(s: &Self) -> &'a RwLock<T> {
        s.lock
    }

    /// Releases the lock and hands it to the longest waiter.
    #[inline]
    pub fn unlock_fair(s: Self) {
        drop(s.holding);
        Reads::unlock_fair(s.guard);
    }

    /// Downgrades into a regular read guard.
    #[inline]
    #[track_caller]
    pub fn downgrade(s: Self) -> RwLockReadGuard<'a, T> {
        RwLockReadGuard::new(s.holding, Reads::downgrade(s.guard), s.lock)
    }

    /// Upgrades into a write guard, blocking the current thread while there are other readers.
    #[inline]
    #[track_caller]
    pub fn upgrade(s: Self) -> RwLockWriteGuard<'a, T> {
        let at = Location::caller();
        match s.turn(at, Reads::try_upgrade) {
            Ok(guard) => guard,
            Err(s) => {
                let blocked = s.blocked(at);
                let guard = Reads::upgrade(s.guard);
                drop((blocked, s.holding));
                RwLockWriteGuard::new(s.lock.hold(ALL, at, true), guard, s.lock)
            }
        }
    }

    /// Attempts to upgrade into a write guard without blocking.
    ///
    /// # Errors
    /// Returns the guard if there is another reader.
    #[inline]
    #[track_caller]
    pub fn try_upgrade(s: Self) -> Result<RwLockWriteGuard<'a, T>, Self> {
        s.turn(Location::caller(), Reads::try_upgrade)
    }

    /// Like [`upgrade`](Self::upgrade), blocking for at most `timeout`.
    ///
    /// # Errors
    /// Returns the guard if there are still other readers.
    #[inline]
    #[track_caller]
    pub fn try_upgrade_for(s: Self, timeout: Duration) -> Result<RwLockWriteGuard<'a, T>, Self> {
        s.turn_while(timeout, Location::caller(), |guard| Reads::try_upgrade_for(guard, timeout))
    }

    /// Like [`upgrade`](Self::upgrade), blocking until `timeout` at most.
    ///
    /// # Errors
    /// Returns the guard if there are still other readers.
    #[inline]
    #[track_caller]
    pub fn try_upgrade_until(s: Self, timeout: Instant) -> Result<RwLockWriteGuard<'a, T>, Self> {
        s.turn_while(left(timeout), Location::caller(), |guard| Reads::try_upgrade_until(guard, timeout))
    }

    /// Holds write access while `f` runs, blocking the thread while there are other readers.
    #[inline]
    #[track_caller]
    pub fn with_upgraded<Ret, F: FnOnce(&mut T) -> Ret>(&mut self, f: F) -> Ret {
        let mut f = Some(f);
        let mut call = |value: &mut T| match f.take() {
            Some(f) => f(value),
            None => unreachable!("it is called once"),
        };
        if let Some(result) = self.try_with_upgraded(&mut call) {
            return result;
        }
        let mut blocked = self.blocked(Location::caller());
        let holding = &self.holding;
        self.guard.with_upgraded(|value| writes(holding, &mut blocked, value, call))
    }

    /// Holds write access while `f` runs. Returns `None` if there is another reader.
    #[inline]
    #[track_caller]
    pub fn try_with_upgraded<Ret, F: FnOnce(&mut T) -> Ret>(&mut self, f: F) -> Option<Ret> {
        let holding = &self.holding;
        self.guard.try_with_upgraded(|value| writes(holding, &mut None, value, f))
    }

    /// Like [`with_upgraded`](Self::with_upgraded), blocking for at most `timeout`.
    #[inline]
    #[track_caller]
    pub fn try_with_upgraded_for<Ret, F: FnOnce(&mut T) -> Ret>(
        &mut self,
        timeout: Duration,
        f: F,
    ) -> Option<Ret> {
        let mut blocked = self.blocked_for(timeout, Location::caller());
        let holding = &self.holding;
        self.guard.try_with_upgraded_for(timeout, |value| writes(holding, &mut blocked, value, f))
    }

    /// Like [`with_upgraded`](Self::with_upgraded), blocking until `timeout` at most.
    #[inline]
    #[track_caller]
    pub fn try_with_upgraded_until<Ret, F: FnOnce(&mut T) -> Ret>(
        &mut self,
        timeout: Instant,
        f: F,
    ) -> Option<Ret> {
        let mut blocked = self.blocked_for(left(timeout), Location::caller());
        let holding = &self.holding;
        self.guard.try_with_upgraded_until(timeout, |value| writes(holding, &mut blocked, value, f))
    }

    /// Records that the thread waits for all units but its own, which it does not wait for.
    fn blocked(&self, at: &'static Location<'static>) -> Option<BlockedThread> {
        self.holding.set_units(0);
        BlockedThread::begin(self.holding.record(), WaitMode::Write, ALL - 1, at)
    }

    /// Records that the thread waits for all units but its own, for at most `limit`.
    fn blocked_for(&self, limit: Duration, at: &'static Location<'static>) -> Option<BlockedThread> {
        BlockedThread::begin_for(self.holding.record(), WaitMode::Write, ALL - 1, limit, at)
    }

    #[inline]
    fn turn(
        self,
        at: &'static Location<'static>,
        turn: impl FnOnce(Reads<'a, T>) -> Result<Writes<'a, T>, Reads<'a, T>>,
    ) -> Result<RwLockWriteGuard<'a, T>, Self> {
        let Self { holding, guard, lock } = self;
        match turn(guard) {
            Ok(guard) => {
                drop(holding);
                Ok(RwLockWriteGuard::new(lock.hold(ALL, at, false), guard, lock))
            }
            Err(guard) => Err(Self { holding, guard, lock }),
        }
    }

    fn turn_while(
        self,
        limit: Duration,
        at: &'static Location<'static>,
        turn: impl FnOnce(Reads<'a, T>) -> Result<Writes<'a, T>, Reads<'a, T>>,
    ) -> Result<RwLockWriteGuard<'a, T>, Self> {
        let waits = match self.turn(at, Reads::try_upgrade) {
            Ok(guard) => return Ok(guard),
            Err(waits) => waits,
        };
        let _blocked = waits.blocked_for(limit, at);
        waits.turn(at, turn)
    }
}

/// Ends the recorded wait and holds all units until `f` returns or panics.
fn writes<T: ?Sized, Ret>(
    holding: &Holding,
    blocked: &mut Option<BlockedThread>,
    value: &mut T,
    f: impl FnOnce(&mut T) -> Ret,
) -> Ret {
    struct All<'a>(&'a Holding);
    impl Drop for All<'_> {
        fn drop(&mut self) {
            self.0.set_units(1);
        }
    }
    *blocked = None;
    holding.set_units(ALL);
    let _all = All(holding);
    f(value)
}

unlocked!(RwLockUpgradableReadGuard, |it, at| it.lock.hold(1, at, true));
