//! Uses every public item of the wrapped part of async-lock, original and wrapped.
//!
//! One text is compiled with the original and with the wrapper. Kept by hand against
//! async-lock 3.5.0. `OnceCell::get_unchecked` is left out: it is unsafe, and comes by `Deref`.

/// The code that is compiled twice.
macro_rules! all_of_it {
    ($name:ident, $library:path) => {
        mod $name {
            use std::fmt::{Debug, Display};
            use std::future::Future;
            use std::ops::{Deref, DerefMut};
            use std::sync::Arc;

            use library::futures::{
                Acquire, AcquireArc, BarrierWait, Lock, LockArc, Read, ReadArc, UpgradableRead,
                UpgradableReadArc, Upgrade, UpgradeArc, Write, WriteArc,
            };
            use library::{
                Barrier, BarrierWaitResult, Mutex, MutexGuard, MutexGuardArc, OnceCell, RwLock,
                RwLockReadGuard, RwLockReadGuardArc, RwLockUpgradableReadGuard, RwLockUpgradableReadGuardArc,
                RwLockWriteGuard, RwLockWriteGuardArc, Semaphore, SemaphoreGuard, SemaphoreGuardArc,
            };
            use $library as library;

            static MUTEX: Mutex<u8> = Mutex::new(1);
            static LOCK: RwLock<u8> = RwLock::new(1);
            static SEMAPHORE: Semaphore = Semaphore::new(1);
            static BARRIER: Barrier = Barrier::new(1);
            static CELL: OnceCell<u8> = OnceCell::new();

            fn reads<T: ?Sized + Debug + Display>(_: &(impl Deref<Target = T> + Debug + Display)) {}
            fn writes<T: ?Sized + Debug + Display>(guard: &(impl DerefMut<Target = T> + Debug + Display)) {
                reads(guard);
            }
            fn future<F: Future + Debug>(future: F) -> F {
                future
            }

            #[test]
            fn a_mutex_has_every_item() {
                let made: [Mutex<u8>; 3] = [Mutex::new(0), Mutex::from(0), Mutex::default()];
                let [mut one, two, _] = made;
                assert_eq!(format!("{one:?}"), "Mutex { data: 0 }");
                *one.get_mut() += 1;
                assert_eq!(one.into_inner(), 1);
                let lock: Lock<'_, u8> = future(two.lock());
                assert_eq!(format!("{lock:?}"), "Lock { .. }");
                let guard: MutexGuard<'_, u8> = futures::executor::block_on(lock);
                writes(&guard);
                assert!(std::ptr::eq(MutexGuard::source(&guard), &two));
                assert_eq!(format!("{two:?}"), "Mutex { data: <locked> }");
                assert!(two.try_lock().is_none());
                drop(guard);
                let guard: Option<MutexGuard<'_, u8>> = two.try_lock();
                drop(guard);
                let guard: MutexGuard<'_, u8> = two.lock_blocking();
                drop(guard);
                let arc = Arc::new(two);
                let lock: LockArc<u8> = arc.lock_arc();
                let guard: MutexGuardArc<u8> = futures::executor::block_on(lock);
                writes(&guard);
                assert!(Arc::ptr_eq(MutexGuardArc::source(&guard), &arc));
                assert!(arc.try_lock_arc().is_none());
                drop(guard);
                let guard: MutexGuardArc<u8> = arc.lock_arc_blocking();
                drop(guard);
                let wide: Arc<Mutex<[u8]>> = Arc::new(Mutex::new([1, 2]));
                assert_eq!(wide.try_lock_arc().unwrap().len(), 2);
                assert_eq!(wide.try_lock().unwrap().len(), 2);
                assert_eq!(*MUTEX.try_lock().unwrap(), 1);
            }

            #[test]
            fn an_rw_lock_has_every_item() {
                let made: [RwLock<u8>; 3] = [RwLock::new(0), RwLock::from(0), RwLock::default()];
                let [mut one, two, _] = made;
                assert_eq!(format!("{one:?}"), "RwLock { value: 0 }");
                *one.get_mut() += 1;
                assert_eq!(one.into_inner(), 1);
                let read: Read<'_, u8> = future(two.read());
                let guard: RwLockReadGuard<'_, u8> = futures::executor::block_on(read);
                reads(&guard);
                assert!(two.try_read().is_some() && two.try_write().is_none());
                drop((guard, two.read_blocking()));
                let read: UpgradableRead<'_, u8> = future(two.upgradable_read());
                let guard: RwLockUpgradableReadGuard<'_, u8> = futures::executor::block_on(read);
                reads(&guard);
                assert!(two.try_upgradable_read().is_none());
                let upgrade: Upgrade<'_, u8> = future(RwLockUpgradableReadGuard::upgrade(guard));
                assert_eq!(format!("{upgrade:?}"), "Upgrade");
                let guard: RwLockWriteGuard<'_, u8> = futures::executor::block_on(upgrade);
                writes(&guard);
                let guard = RwLockWriteGuard::downgrade_to_upgradable(guard);
                let guard = RwLockUpgradableReadGuard::try_upgrade(guard).unwrap();
                drop(RwLockWriteGuard::downgrade(guard));
                drop(RwLockUpgradableReadGuard::downgrade(two.upgradable_read_blocking()));
                drop(RwLockUpgradableReadGuard::upgrade_blocking(two.try_upgradable_read().unwrap()));
                let write: Write<'_, u8> = future(two.write());
                drop(futures::executor::block_on(write));
                drop(two.write_blocking());
                assert_eq!(*LOCK.try_write().unwrap(), 1);
            }

            #[test]
            fn an_rw_lock_in_an_arc_has_every_item() {
                let lock = Arc::new(RwLock::new(0));
                let read: ReadArc<'_, u8> = future(lock.read_arc());
                let guard: RwLockReadGuardArc<u8> = futures::executor::block_on(read);
                reads(&guard);
                assert!(lock.try_read_arc().is_some() && lock.try_write_arc().is_none());
                drop((guard, lock.read_arc_blocking()));
                let read: UpgradableReadArc<'_, u8> = future(lock.upgradable_read_arc());
                let guard: RwLockUpgradableReadGuardArc<u8> = futures::executor::block_on(read);
                reads(&guard);
                assert!(lock.try_upgradable_read_arc().is_none());
                let upgrade: UpgradeArc<u8> = future(RwLockUpgradableReadGuardArc::upgrade(guard));
                assert_eq!(format!("{upgrade:?}"), "ArcUpgrade");
                let guard: RwLockWriteGuardArc<u8> = futures::executor::block_on(upgrade);
                writes(&guard);
                let guard = RwLockWriteGuardArc::downgrade_to_upgradable(guard);
                let guard = RwLockUpgradableReadGuardArc::try_upgrade(guard).unwrap();
                drop(RwLockWriteGuardArc::downgrade(guard));
                drop(RwLockUpgradableReadGuardArc::downgrade(lock.upgradable_read_arc_blocking()));
                let guard = lock.try_upgradable_read_arc().unwrap();
                drop(RwLockUpgradableReadGuardArc::upgrade_blocking(guard));
                let write: WriteArc<'_, u8> = future(lock.write_arc());
                drop(futures::executor::block_on(write));
                drop(lock.write_arc_blocking());
                let wide: Arc<RwLock<[u8]>> = Arc::new(RwLock::new([1, 2]));
                assert_eq!(wide.try_write_arc().unwrap().len(), 2);
                assert_eq!(wide.try_upgradable_read_arc().unwrap().len(), 2);
            }

            #[test]
            fn a_semaphore_has_every_item() {
                let semaphore = Semaphore::new(1);
                let acquire: Acquire<'_> = future(semaphore.acquire());
                let guard: SemaphoreGuard<'_> = futures::executor::block_on(acquire);
                assert!(format!("{guard:?}").starts_with("SemaphoreGuard(Semaphore { count: 0"));
                assert!(semaphore.try_acquire().is_none());
                drop(guard);
                semaphore.acquire_blocking().forget();
                assert_eq!(semaphore.available_permits(), 0);
                semaphore.add_permits(2);
                let arc = Arc::new(semaphore);
                let acquire: AcquireArc = future(arc.acquire_arc());
                let guard: SemaphoreGuardArc = futures::executor::block_on(acquire);
                assert!(format!("{guard:?}").starts_with("SemaphoreGuardArc(Some(Semaphore { count: 1"));
                drop(guard);
                assert_eq!(arc.available_permits(), 2);
                arc.try_acquire_arc().unwrap().forget();
                assert_eq!((arc.available_permits(), Arc::strong_count(&arc)), (1, 1));
                drop(arc.acquire_arc_blocking());
                assert!(SEMAPHORE.try_acquire().is_some());
            }

            #[test]
            fn a_barrier_has_every_item() {
                let barrier = Barrier::new(1);
                let wait: BarrierWait<'_> = future(barrier.wait());
                assert_eq!(format!("{wait:?}"), "BarrierWait { .. }");
                let result: BarrierWaitResult = futures::executor::block_on(wait);
                assert!(result.clone().is_leader() && barrier.wait_blocking().is_leader());
                assert!(format!("{BARRIER:?}").starts_with("Barrier { n: 1"));
            }

            #[test]
            fn a_once_cell_has_every_item() {
                use std::convert::Infallible;

                let mut cell = OnceCell::<u8>::new();
                assert_eq!(format!("{cell:?}"), "OnceCell(<uninitialized>)");
                assert!(!cell.is_initialized() && cell.get().is_none() && cell.get_mut().is_none());
                let fails = cell.get_or_try_init(|| async { Err::<u8, _>("fails") });
                assert_eq!(futures::executor::block_on(fails), Err("fails"));
                assert_eq!(futures::executor::block_on(cell.get_or_init(|| async { 1 })), &1);
                assert_eq!(format!("{cell:?}"), "OnceCell(1)");
                assert_eq!(futures::executor::block_on(cell.wait()), &1);
                assert_eq!(cell.wait_blocking(), &1);
                assert_eq!(cell.take(), Some(1));
                assert_eq!(cell.get_or_try_init_blocking(|| Ok::<u8, Infallible>(2)), Ok(&2));
                assert_eq!(cell.get_or_init_blocking(|| 3), &2);
                assert_eq!(cell.try_set(4), Err(4));
                assert_eq!(futures::executor::block_on(cell.set(5)), Err(5));
                assert_eq!(cell.set_blocking(6), Err(6));
                assert_eq!(cell.into_inner(), Some(2));
                assert_eq!(futures::executor::block_on(OnceCell::default().set(7)), Ok(&7));
                assert_eq!(OnceCell::new().set_blocking(8), Ok(&8));
                assert_eq!(OnceCell::from(9).get(), Some(&9));
                assert_eq!(CELL.try_set(10), Ok(()));
            }
        }
    };
}

all_of_it!(original, ::async_lock);
all_of_it!(wrapped, ::diagnose::async_lock);
all_of_it!(of_smol, ::diagnose::smol::lock);

#[test]
fn locks_of_async_std_are_those_of_async_lock() {
    let mutex: diagnose::async_lock::Mutex<u8> = diagnose::async_std::sync::Mutex::new(1);
    let lock: diagnose::async_lock::RwLock<u8> = diagnose::async_std::sync::RwLock::new(1);
    let guard: Option<diagnose::async_std::sync::MutexGuard<'_, u8>> = mutex.try_lock();
    assert!(guard.is_some() && lock.try_read().is_some());
}

#[test]
fn wrappers_and_originals_convert_into_each_other() {
    let mutex: async_lock::Mutex<u8> = diagnose::async_lock::Mutex::new(1).into();
    assert_eq!(*diagnose::async_lock::Mutex::<u8>::from(mutex).try_lock().unwrap(), 1);
    let lock: async_lock::RwLock<u8> = diagnose::async_lock::RwLock::new(1).into();
    assert_eq!(*diagnose::async_lock::RwLock::<u8>::from(lock).try_read().unwrap(), 1);
    let semaphore: async_lock::Semaphore = diagnose::async_lock::Semaphore::new(2).into();
    assert_eq!(diagnose::async_lock::Semaphore::from(semaphore).available_permits(), 2);
    let by_reference: &async_lock::Barrier = &diagnose::async_lock::Barrier::new(1);
    assert!(by_reference.wait_blocking().is_leader());
    let barrier: async_lock::Barrier = diagnose::async_lock::Barrier::new(1).into();
    assert!(diagnose::async_lock::Barrier::from(barrier).wait_blocking().is_leader());
}
