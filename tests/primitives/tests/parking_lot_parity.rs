//! Uses every safe public item of the wrapped part of `parking_lot`, original and wrapped.
//!
//! One text is compiled with the original and with the wrapper. Kept by hand against
//! `parking_lot` 0.12.5 and `lock_api` 0.4.14, without features and unsafe code.

macro_rules! all_of_it {
    ($name:ident, $library:path) => {
        mod $name {
            use std::fmt::{Debug, Display};
            use std::ops::{Deref, DerefMut};
            use std::thread;
            use std::time::{Duration, Instant};

            use ::parking_lot::{RawMutex, RawRwLock, lock_api};
            use library::{
                Condvar, MappedMutexGuard, MappedRwLockReadGuard, MappedRwLockWriteGuard, Mutex, MutexGuard,
                RwLock, RwLockReadGuard, RwLockUpgradableReadGuard, RwLockWriteGuard, WaitTimeoutResult,
                const_mutex, const_rwlock,
            };
            use $library as library;

            static MUTEX: Mutex<u8> = const_mutex(1);
            static LOCK: RwLock<u8> = const_rwlock(1);
            static RAW_MUTEX: Mutex<u8> = Mutex::const_new(<RawMutex as lock_api::RawMutex>::INIT, 2);
            static RAW_LOCK: RwLock<u8> = RwLock::const_new(<RawRwLock as lock_api::RawRwLock>::INIT, 3);
            static CONDVAR: Condvar = Condvar::new();

            fn reads<T: ?Sized + Debug + Display>(_: &(impl Deref<Target = T> + Debug + Display)) {}
            fn writes<T: ?Sized + Debug + Display>(guard: &(impl DerefMut<Target = T> + Debug + Display)) {
                reads(guard);
            }

            #[test]
            fn locks_are_made_of_raw_ones() {
                assert_eq!((*RAW_MUTEX.lock(), *RAW_LOCK.read()), (2, 3));
                let mutex = Mutex::from_raw(<RawMutex as lock_api::RawMutex>::INIT, 4);
                let lock = RwLock::from_raw(<RawRwLock as lock_api::RawRwLock>::INIT, 5);
                assert_eq!((mutex.into_inner(), lock.into_inner()), (4, 5));
            }

            #[test]
            fn a_mutex_has_every_item() {
                let made: [Mutex<u8>; 3] = [Mutex::new(0), Mutex::from(0), Mutex::default()];
                let [mut one, two, _] = made;
                assert_eq!(format!("{one:?}"), "Mutex { data: 0 }");
                *one.get_mut() += 1;
                assert_eq!(one.into_inner(), 1);
                let guard: MutexGuard<'_, u8> = two.lock();
                writes(&guard);
                assert!(std::ptr::eq(MutexGuard::mutex(&guard), &two) && two.is_locked());
                assert_eq!(format!("{two:?}"), "Mutex { data: <locked> }");
                assert!(two.try_lock().is_none() && two.try_lock_for(Duration::ZERO).is_none());
                assert!(two.try_lock_until(Instant::now()).is_none());
                assert!(!two.data_ptr().is_null());
                drop(guard);
                let mut guard = two.try_lock().unwrap();
                assert!(MutexGuard::unlocked(&mut guard, || two.try_lock().is_some()));
                assert!(MutexGuard::unlocked_fair(&mut guard, || two.try_lock().is_some()));
                MutexGuard::bump(&mut guard);
                MutexGuard::unlock_fair(guard);
                drop((two.try_lock_for(Duration::ZERO).unwrap(),));
                let mutex = Mutex::new(3);
                *MutexGuard::leak(mutex.lock()) += 1;
                assert!(mutex.is_locked());
                assert_eq!(*MUTEX.lock(), 1);
            }

            #[test]
            fn parts_of_a_mutex_have_every_item() {
                let mutex = Mutex::new((1, 2));
                let part: MappedMutexGuard<'_, i32> = MutexGuard::map(mutex.lock(), |pair| &mut pair.1);
                writes(&part);
                let Err(part) = MappedMutexGuard::try_map(part, |_| None::<&mut u8>) else {
                    panic!("no part")
                };
                let Err((part, 7)) = MappedMutexGuard::try_map_or_err(part, |_| Err::<&mut u8, _>(7)) else {
                    panic!("no part")
                };
                let part = MappedMutexGuard::map(part, |part| part);
                MappedMutexGuard::unlock_fair(part);
                let Err(guard) = MutexGuard::try_map(mutex.lock(), |_| None::<&mut u8>) else {
                    panic!("no part")
                };
                let Ok(part) = MutexGuard::try_map_or_err(guard, |pair| Ok::<_, u8>(&mut pair.0)) else {
                    panic!("a part")
                };
                assert_eq!(*part, 1);
            }

            #[test]
            fn an_rw_lock_has_every_item() {
                let made: [RwLock<u8>; 3] = [RwLock::new(0), RwLock::from(0), RwLock::default()];
                let [mut one, two, _] = made;
                assert_eq!(format!("{one:?}"), "RwLock { data: 0 }");
                *one.get_mut() += 1;
                assert_eq!(one.into_inner(), 1);
                let mut guard: RwLockReadGuard<'_, u8> = two.read();
                reads(&guard);
                assert!(std::ptr::eq(RwLockReadGuard::rwlock(&guard), &two));
                assert!(two.is_locked() && !two.is_locked_exclusive());
                drop((two.try_read().unwrap(), two.read_recursive(), two.try_read_recursive().unwrap()));
                drop((
                    two.try_read_for(Duration::ZERO).unwrap(),
                    two.try_read_until(Instant::now()).unwrap(),
                ));
                drop(two.try_read_recursive_for(Duration::ZERO).unwrap());
                drop(two.try_read_recursive_until(Instant::now()).unwrap());
                assert!(two.try_write().is_none() && two.try_write_for(Duration::ZERO).is_none());
                assert!(two.try_write_until(Instant::now()).is_none());
                assert!(RwLockReadGuard::unlocked(&mut guard, || two.try_write().is_some()));
                assert!(RwLockReadGuard::unlocked_fair(&mut guard, || two.try_write().is_some()));
                RwLockReadGuard::bump(&mut guard);
                RwLockReadGuard::unlock_fair(guard);
                let mut guard: RwLockWriteGuard<'_, u8> = two.write();
                writes(&guard);
                assert!(std::ptr::eq(RwLockWriteGuard::rwlock(&guard), &two));
                assert!(RwLockWriteGuard::unlocked(&mut guard, || two.try_write().is_some()));
                assert!(RwLockWriteGuard::unlocked_fair(&mut guard, || two.try_write().is_some()));
                RwLockWriteGuard::bump(&mut guard);
                drop(RwLockWriteGuard::downgrade(guard));
                let guard = RwLockWriteGuard::downgrade_to_upgradable(two.write());
                RwLockUpgradableReadGuard::unlock_fair(guard);
                RwLockWriteGuard::unlock_fair(two.try_write().unwrap());
                assert!(!two.data_ptr().is_null());
                assert_eq!(*LOCK.read(), 1);
            }

            #[test]
            fn upgradable_reads_have_every_item() {
                let lock = RwLock::new(0);
                let mut guard: RwLockUpgradableReadGuard<'_, i32> = lock.upgradable_read();
                reads(&guard);
                assert!(std::ptr::eq(RwLockUpgradableReadGuard::rwlock(&guard), &lock));
                assert!(lock.try_upgradable_read().is_none());
                assert!(lock.try_upgradable_read_for(Duration::ZERO).is_none());
                assert!(lock.try_upgradable_read_until(Instant::now()).is_none());
                assert!(RwLockUpgradableReadGuard::unlocked(&mut guard, || lock.try_write().is_some()));
                assert!(RwLockUpgradableReadGuard::unlocked_fair(&mut guard, || lock.try_write().is_some()));
                RwLockUpgradableReadGuard::bump(&mut guard);
                let adds = |value: &mut i32| {
                    *value += 1;
                    *value
                };
                assert_eq!(guard.with_upgraded(adds), 1);
                assert_eq!(guard.try_with_upgraded(adds), Some(2));
                assert_eq!(guard.try_with_upgraded_for(Duration::ZERO, adds), Some(3));
                assert_eq!(guard.try_with_upgraded_until(Instant::now(), adds), Some(4));
                let reads = lock.read();
                assert_eq!(guard.try_with_upgraded(adds), None);
                let Err(guard) = RwLockUpgradableReadGuard::try_upgrade(guard) else { panic!("read") };
                let Err(guard) = RwLockUpgradableReadGuard::try_upgrade_for(guard, Duration::ZERO) else {
                    panic!("read")
                };
                let Err(guard) = RwLockUpgradableReadGuard::try_upgrade_until(guard, Instant::now()) else {
                    panic!("read")
                };
                drop(reads);
                let guard: RwLockWriteGuard<'_, i32> = RwLockUpgradableReadGuard::upgrade(guard);
                let guard = RwLockWriteGuard::downgrade_to_upgradable(guard);
                drop(RwLockUpgradableReadGuard::downgrade(guard));
            }

            #[test]
            fn parts_of_an_rw_lock_have_every_item() {
                let lock = RwLock::new((1, 2));
                let part: MappedRwLockReadGuard<'_, i32> = RwLockReadGuard::map(lock.read(), |pair| &pair.1);
                reads(&part);
                let Err(part) = MappedRwLockReadGuard::try_map(part, |_| None::<&u8>) else {
                    panic!("no part")
                };
                let Err((part, 7)) = MappedRwLockReadGuard::try_map_or_else(part, |_| Err::<&u8, _>(7))
                else {
                    panic!("no part")
                };
                MappedRwLockReadGuard::unlock_fair(MappedRwLockReadGuard::map(part, |part| part));
                let Err(guard) = RwLockReadGuard::try_map(lock.read(), |_| None::<&u8>) else {
                    panic!("no part")
                };
                drop(RwLockReadGuard::try_map_or_err(guard, |pair| Ok::<_, u8>(&pair.0)));
                let part: MappedRwLockWriteGuard<'_, i32> =
                    RwLockWriteGuard::map(lock.write(), |pair| &mut pair.1);
                writes(&part);
                let Err(part) = MappedRwLockWriteGuard::try_map(part, |_| None::<&mut u8>) else {
                    panic!("no part")
                };
                let part = MappedRwLockWriteGuard::try_map_or_err(part, |part| Ok::<_, u8>(part));
                let Ok(part) = part else { panic!("a part") };
                MappedRwLockWriteGuard::unlock_fair(MappedRwLockWriteGuard::map(part, |part| part));
                let Err(guard) = RwLockWriteGuard::try_map(lock.write(), |_| None::<&mut u8>) else {
                    panic!("no part")
                };
                drop(RwLockWriteGuard::try_map_or_err(guard, |pair| Ok::<_, u8>(&mut pair.0)));
            }

            #[test]
            fn a_condvar_has_every_item() {
                let (mutex, condvar) = (Mutex::new(0), Condvar::default());
                assert_eq!(format!("{condvar:?}"), "Condvar { .. }");
                let mut guard = mutex.lock();
                let result: WaitTimeoutResult = condvar.wait_for(&mut guard, Duration::ZERO);
                assert!(result.timed_out() && condvar.wait_until(&mut guard, Instant::now()).timed_out());
                let never = |value: &mut i32| *value != 0;
                condvar.wait_while(&mut guard, never);
                assert!(!condvar.wait_while_for(&mut guard, never, Duration::ZERO).timed_out());
                assert!(!condvar.wait_while_until(&mut guard, never, Instant::now()).timed_out());
                thread::scope(|scope| {
                    scope.spawn(|| {
                        *mutex.lock() = 1;
                        condvar.notify_one();
                        condvar.notify_all();
                    });
                    let mut guard = guard;
                    while *guard == 0 {
                        condvar.wait(&mut guard);
                    }
                });
                assert_eq!((CONDVAR.notify_one(), CONDVAR.notify_all()), (false, 0));
            }
        }
    };
}

all_of_it!(original, ::parking_lot);
all_of_it!(wrapped, ::diagnose::parking_lot);

#[test]
fn wrappers_and_originals_convert_into_each_other() {
    let mutex: parking_lot::Mutex<u8> = diagnose::parking_lot::Mutex::new(1).into();
    assert_eq!(*diagnose::parking_lot::Mutex::<u8>::from(mutex).lock(), 1);
    let lock: parking_lot::RwLock<u8> = diagnose::parking_lot::RwLock::new(1).into();
    assert_eq!(*diagnose::parking_lot::RwLock::<u8>::from(lock).read(), 1);
    let condvar: parking_lot::Condvar = diagnose::parking_lot::Condvar::new().into();
    assert!(!diagnose::parking_lot::Condvar::from(condvar).notify_one());
}
