//! Calls every public method of tokio's locks, original and wrapped. Kept by hand against tokio
//! 1.54.

use std::sync::Arc;

use diagnose_waits_tests::now;

macro_rules! methods {
    ($module:ident, $($sync:tt)+) => {
        mod $module {
            use super::*;
            use $($sync)+::*;

            static MUTEX: Mutex<u8> = Mutex::const_new(1);
            static LOCK: RwLock<u8> = RwLock::const_new(1);
            static FEW: RwLock<u8> = RwLock::const_with_max_readers(1, 2);
            static SEMAPHORE: Semaphore = Semaphore::const_new(1);

            pub(super) fn mutex() {
                let mut mutex: Mutex<(u8, u8)> = Mutex::new((1, 2));
                let guard: MutexGuard<'_, (u8, u8)> = now(mutex.lock());
                let _: &Mutex<(u8, u8)> = MutexGuard::mutex(&guard);
                let guard = MutexGuard::try_map::<u8, _>(guard, |_| None).unwrap_err();
                let Ok(guard) = MutexGuard::try_map(guard, |it| Some(it)) else { unreachable!() };
                let guard = MappedMutexGuard::try_map::<u8, _>(guard, |_| None).unwrap_err();
                let Ok(guard) = MappedMutexGuard::try_map(guard, |it| Some(it)) else { unreachable!() };
                let mut guard: MappedMutexGuard<'_, u8> = MappedMutexGuard::map(guard, |it| &mut it.0);
                *guard += 1;
                assert_eq!((*guard, format!("{guard:?} {guard}")), (2, "2 2".to_owned()));
                let error: TryLockError = mutex.try_lock().unwrap_err();
                assert_eq!(error.to_string(), "operation would block");
                drop(guard);
                let guard: MutexGuard<'_, (u8, u8)> = mutex.try_lock().unwrap();
                let mut guard = MutexGuard::map(guard, |it| &mut it.1);
                *guard += 1;
                drop(guard);
                *mutex.blocking_lock() = (4, 5);
                mutex.get_mut().0 = 7;
                assert_eq!(mutex.into_inner(), (7, 5));
                let mut guard = now(MUTEX.lock());
                *guard += 1;
                assert_eq!(format!("{guard:?} {guard}"), "2 2");
                let _: (Mutex<u8>, Mutex<u8>) = (Mutex::default(), Mutex::from(1));
                let unsized_: Arc<Mutex<[u8]>> = Arc::new(Mutex::new([1, 2]));
                assert_eq!(now(unsized_.lock()).len(), 2);
            }

            pub(super) fn owned_mutex() {
                let mutex = Arc::new(Mutex::new((1_u8, 2_u8)));
                let guard: OwnedMutexGuard<(u8, u8)> = now(Arc::clone(&mutex).lock_owned());
                let _: &Arc<Mutex<(u8, u8)>> = OwnedMutexGuard::mutex(&guard);
                let _: TryLockError = Arc::clone(&mutex).try_lock_owned().unwrap_err();
                let guard = OwnedMutexGuard::try_map::<u8, _>(guard, |_| None).unwrap_err();
                let Ok(guard) = OwnedMutexGuard::try_map(guard, |it| Some(it)) else { unreachable!() };
                let guard = OwnedMappedMutexGuard::try_map::<u8, _>(guard, |_| None).unwrap_err();
                let Ok(guard) = OwnedMappedMutexGuard::try_map(guard, |it| Some(it)) else { unreachable!() };
                let mut guard: OwnedMappedMutexGuard<(u8, u8), u8> =
                    OwnedMappedMutexGuard::map(guard, |it| &mut it.1);
                *guard += 1;
                assert_eq!(format!("{guard:?} {guard} {}", *guard), "3 3 3");
                drop(guard);
                let mut guard =
                    OwnedMutexGuard::map(Arc::clone(&mutex).blocking_lock_owned(), |it| &mut it.0);
                *guard += 1;
                drop(guard);
                let mut guard: OwnedMutexGuard<(u8, u8)> = Arc::clone(&mutex).try_lock_owned().unwrap();
                assert_eq!((*guard, format!("{guard:?}")), ((2, 3), "(2, 3)".to_owned()));
                guard.0 = 9;
                drop(guard);
                assert_eq!(Arc::into_inner(mutex).unwrap().into_inner(), (9, 3));
            }

            pub(super) fn lock() {
                let mut lock: RwLock<(u8, u8)> = RwLock::new((1, 2));
                let guard: RwLockReadGuard<'_, (u8, u8)> = now(lock.read());
                let guard = RwLockReadGuard::try_map::<_, u8>(guard, |_| None).unwrap_err();
                let Ok(guard) = RwLockReadGuard::try_map(guard, |it| Some(it)) else { unreachable!() };
                let guard: RwLockReadGuard<'_, u8> = RwLockReadGuard::map(guard, |it| &it.0);
                assert_eq!((*guard, format!("{guard:?} {guard}")), (1, "1 1".to_owned()));
                let _: (TryLockError, _) = (lock.try_write().unwrap_err(), lock.try_read().unwrap());
                drop(guard);
                let guard: RwLockWriteGuard<'_, (u8, u8)> = now(lock.write());
                let guard = RwLockWriteGuard::try_map::<_, u8>(guard, |_| None).unwrap_err();
                let guard = RwLockWriteGuard::try_downgrade_map::<_, u8>(guard, |_| None).unwrap_err();
                let Ok(guard) = RwLockWriteGuard::try_map(guard, |it| Some(it)) else { unreachable!() };
                let guard = RwLockMappedWriteGuard::try_map::<_, u8>(guard, |_| None).unwrap_err();
                let Ok(guard) = RwLockMappedWriteGuard::try_map(guard, |it| Some(it)) else { unreachable!() };
                let mut guard: RwLockMappedWriteGuard<'_, u8> =
                    RwLockMappedWriteGuard::map(guard, |it| &mut it.0);
                *guard += 1;
                assert_eq!(format!("{guard:?} {guard} {}", *guard), "2 2 2");
                let _: TryLockError = lock.try_read().unwrap_err();
                drop(guard);
                let mut guard: RwLockMappedWriteGuard<'_, (u8, u8)> =
                    RwLockWriteGuard::into_mapped(lock.try_write().unwrap());
                guard.1 += 1;
                drop(guard);
                let guard = RwLockWriteGuard::map(now(lock.write()), |it| &mut it.1);
                drop(guard);
                let mut guard = now(lock.write());
                guard.0 = 5;
                let guard: RwLockReadGuard<'_, (u8, u8)> = guard.downgrade();
                assert_eq!((guard.0, lock.try_read().is_ok(), lock.try_write().is_err()), (5, true, true));
                drop(guard);
                let guard: RwLockReadGuard<'_, u8> =
                    RwLockWriteGuard::downgrade_map(now(lock.write()), |it| &it.0);
                drop(guard);
                let guard = now(lock.write());
                let Ok(guard) = RwLockWriteGuard::try_downgrade_map(guard, |it| Some(&it.0)) else {
                    unreachable!()
                };
                drop(guard);
                assert_eq!(lock.blocking_read().0, 5);
                assert_eq!(lock.blocking_write().1, 3);
                lock.get_mut().0 = 7;
                assert_eq!(lock.into_inner(), (7, 3));
                let _ = (now(LOCK.read()), now(FEW.read()), RwLock::with_max_readers(1, 1));
                let _: (RwLock<u8>, RwLock<u8>) = (RwLock::default(), RwLock::from(1));
                let unsized_: Arc<RwLock<[u8]>> = Arc::new(RwLock::new([1, 2]));
                assert_eq!(now(unsized_.read()).len(), 2);
            }

            pub(super) fn owned_lock() {
                let lock = Arc::new(RwLock::new((1_u8, 2_u8)));
                let guard: OwnedRwLockReadGuard<(u8, u8)> = now(Arc::clone(&lock).read_owned());
                let _: &Arc<RwLock<(u8, u8)>> = OwnedRwLockReadGuard::rwlock(&guard);
                let guard = OwnedRwLockReadGuard::try_map::<_, u8>(guard, |_| None).unwrap_err();
                let Ok(guard) = OwnedRwLockReadGuard::try_map(guard, |it| Some(it)) else { unreachable!() };
                let guard: OwnedRwLockReadGuard<(u8, u8), u8> = OwnedRwLockReadGuard::map(guard, |it| &it.0);
                assert_eq!(format!("{guard:?} {guard} {}", *guard), "1 1 1");
                let _: TryLockError = Arc::clone(&lock).try_write_owned().unwrap_err();
                drop((guard, Arc::clone(&lock).try_read_owned().unwrap()));
                let guard: OwnedRwLockWriteGuard<(u8, u8)> = now(Arc::clone(&lock).write_owned());
                let _: &Arc<RwLock<(u8, u8)>> = OwnedRwLockWriteGuard::rwlock(&guard);
                let _: TryLockError = Arc::clone(&lock).try_read_owned().unwrap_err();
                let guard = OwnedRwLockWriteGuard::try_map::<_, u8>(guard, |_| None).unwrap_err();
                let guard = OwnedRwLockWriteGuard::try_downgrade_map::<_, u8>(guard, |_| None).unwrap_err();
                let Ok(guard) = OwnedRwLockWriteGuard::try_map(guard, |it| Some(it)) else { unreachable!() };
                let guard = OwnedRwLockMappedWriteGuard::try_map::<_, u8>(guard, |_| None).unwrap_err();
                let Ok(guard) = OwnedRwLockMappedWriteGuard::try_map(guard, |it| Some(it)) else {
                    unreachable!()
                };
                let _: &Arc<RwLock<(u8, u8)>> = OwnedRwLockMappedWriteGuard::rwlock(&guard);
                let mut guard: OwnedRwLockMappedWriteGuard<(u8, u8), u8> =
                    OwnedRwLockMappedWriteGuard::map(guard, |it| &mut it.0);
                *guard += 1;
                assert_eq!(format!("{guard:?} {guard} {}", *guard), "2 2 2");
                drop(guard);
                let mut guard = Arc::clone(&lock).try_write_owned().unwrap();
                guard.1 += 1;
                assert_eq!((*guard, format!("{guard:?}")), ((2, 3), "(2, 3)".to_owned()));
                drop(OwnedRwLockWriteGuard::into_mapped(guard));
                drop(OwnedRwLockWriteGuard::map(now(Arc::clone(&lock).write_owned()), |it| &mut it.1));
                let guard: OwnedRwLockReadGuard<(u8, u8)> = now(Arc::clone(&lock).write_owned()).downgrade();
                assert_eq!((lock.try_read().is_ok(), lock.try_write().is_err()), (true, true));
                drop(guard);
                let guard = now(Arc::clone(&lock).write_owned());
                let guard: OwnedRwLockReadGuard<(u8, u8), u8> =
                    OwnedRwLockWriteGuard::downgrade_map(guard, |it| &it.0);
                assert_eq!((lock.try_read().is_ok(), lock.try_write().is_err()), (true, true));
                drop(guard);
                let guard = now(Arc::clone(&lock).write_owned());
                let Ok(guard) = OwnedRwLockWriteGuard::try_downgrade_map(guard, |it| Some(&it.1)) else {
                    unreachable!()
                };
                assert_eq!(*guard, 3);
                drop(guard);
                assert_eq!(Arc::into_inner(lock).unwrap().into_inner(), (2, 3));
            }

            pub(super) fn semaphore() {
                assert_eq!(Semaphore::MAX_PERMITS, ::tokio::sync::Semaphore::MAX_PERMITS);
                let semaphore: Arc<Semaphore> = Arc::new(Semaphore::new(3));
                let permit: Result<SemaphorePermit<'_>, AcquireError> = now(semaphore.acquire());
                let mut permit = permit.unwrap();
                permit.merge(now(semaphore.acquire_many(2)).unwrap());
                assert_eq!((permit.num_permits(), semaphore.available_permits()), (3, 0));
                let error: TryAcquireError = semaphore.try_acquire().unwrap_err();
                assert_eq!(error, TryAcquireError::NoPermits);
                assert!(permit.split(4).is_none());
                drop(permit.split(2).unwrap());
                let _: &Semaphore = permit.semaphore();
                permit.forget();
                drop((semaphore.try_acquire().unwrap(), semaphore.try_acquire_many(1).unwrap()));
                drop(semaphore.blocking_acquire().unwrap());
                drop(semaphore.blocking_acquire_many(2).unwrap());
                assert_eq!((semaphore.forget_permits(5), semaphore.available_permits()), (2, 0));
                semaphore.add_permits(3);
                let owned: Result<OwnedSemaphorePermit, AcquireError> =
                    now(Arc::clone(&semaphore).acquire_owned());
                let mut owned = owned.unwrap();
                owned.merge(now(Arc::clone(&semaphore).acquire_many_owned(2)).unwrap());
                assert_eq!((owned.num_permits(), semaphore.available_permits()), (3, 0));
                let _: TryAcquireError = Arc::clone(&semaphore).try_acquire_owned().unwrap_err();
                assert!(owned.split(4).is_none());
                drop(owned.split(2).unwrap());
                let _: &Arc<Semaphore> = owned.semaphore();
                drop(Arc::clone(&semaphore).try_acquire_owned().unwrap());
                drop(Arc::clone(&semaphore).try_acquire_many_owned(2).unwrap());
                drop(Arc::clone(&semaphore).blocking_acquire_owned().unwrap());
                drop(Arc::clone(&semaphore).blocking_acquire_many_owned(2).unwrap());
                owned.forget();
                assert_eq!(semaphore.available_permits(), 2);
                semaphore.close();
                assert!(semaphore.is_closed() && now(semaphore.acquire()).is_err());
                assert_eq!(semaphore.try_acquire().unwrap_err(), TryAcquireError::Closed);
                assert!(now(Arc::clone(&semaphore).acquire_owned()).is_err());
                assert!(SEMAPHORE.try_acquire().is_ok());
            }
        }

        // One test per type, so that the name of a failed test gives the type.
        #[test]
        fn $module() {
            $module::mutex();
            $module::owned_mutex();
            $module::lock();
            $module::owned_lock();
            $module::semaphore();
        }
    };
}

methods!(original, ::tokio::sync);
methods!(wrapper, diagnose::tokio::sync);
