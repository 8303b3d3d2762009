//! Uses every stable public item of the wrapped part of `std`, original and wrapped.
//!
//! One text is compiled with the original and with the wrapper. Kept by hand against Rust
//! 1.95, for items up to 1.85, the MSRV. `RwLockWriteGuard::downgrade` (1.92) has its own test.

macro_rules! all_of_it {
    ($name:ident, $library:path) => {
        mod $name {
            use std::fmt::{Debug, Display};
            use std::ops::{Deref, DerefMut};
            use std::panic::{RefUnwindSafe, UnwindSafe};
            use std::thread;
            use std::time::Duration;

            use library::mpsc::{self, Receiver, Sender, SyncSender};
            use library::{
                Arc, Condvar, LockResult, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard,
                RwLockWriteGuard, TryLockError, TryLockResult, WaitTimeoutResult,
            };
            use $library as library;

            static MUTEX: Mutex<u8> = Mutex::new(1);
            static LOCK: RwLock<u8> = RwLock::new(1);
            static CONDVAR: Condvar = Condvar::new();

            fn reads<T: ?Sized + Debug + Display>(_: &(impl Deref<Target = T> + Debug + Display)) {}
            fn writes<T: ?Sized + Debug + Display>(guard: &(impl DerefMut<Target = T> + Debug + Display)) {
                reads(guard);
            }
            fn unwinds<T: UnwindSafe + RefUnwindSafe>(_: &T) {}

            #[test]
            fn a_mutex_has_every_item() {
                let made: [Mutex<u8>; 3] = [Mutex::new(0), Mutex::from(0), Mutex::default()];
                let [mut one, two, _] = made;
                unwinds(&one);
                assert_eq!(format!("{one:?}"), "Mutex { data: 0, poisoned: false, .. }");
                *one.get_mut().unwrap() += 1;
                assert_eq!(one.into_inner().unwrap(), 1);
                let guard: LockResult<MutexGuard<'_, u8>> = two.lock();
                let guard = guard.unwrap();
                writes(&guard);
                let tried: TryLockResult<MutexGuard<'_, u8>> = two.try_lock();
                assert!(matches!(tried, Err(TryLockError::WouldBlock)));
                assert!(format!("{two:?}").contains("<locked>"));
                drop(tried);
                drop(guard);
                let wide: Arc<Mutex<[u8]>> = Arc::new(Mutex::new([1, 2]));
                assert_eq!(wide.lock().unwrap().len(), 2);
                assert_eq!(*MUTEX.lock().unwrap(), 1);
            }

            #[test]
            fn a_mutex_is_poisoned() {
                let mutex = Arc::new(Mutex::new(1));
                let other = Arc::clone(&mutex);
                let panics = move || {
                    let _guard = other.lock().unwrap();
                    std::panic::resume_unwind(Box::new(()));
                };
                assert!(thread::spawn(panics).join().is_err());
                assert!(mutex.is_poisoned());
                let poisoned: PoisonError<MutexGuard<'_, i32>> = mutex.lock().unwrap_err();
                assert_eq!(**poisoned.get_ref(), 1);
                assert_eq!(poisoned.to_string(), "poisoned lock: another task failed inside");
                drop(poisoned);
                let Err(TryLockError::Poisoned(poisoned)) = mutex.try_lock() else { panic!("it is") };
                *poisoned.into_inner() += 1;
                mutex.clear_poison();
                assert_eq!(*mutex.lock().unwrap(), 2);
                let mutex = Arc::into_inner(mutex).unwrap();
                assert_eq!(mutex.into_inner().unwrap(), 2);
            }

            #[test]
            fn an_rw_lock_has_every_item() {
                let made: [RwLock<u8>; 3] = [RwLock::new(0), RwLock::from(0), RwLock::default()];
                let [mut one, two, _] = made;
                unwinds(&one);
                assert_eq!(format!("{one:?}"), "RwLock { data: 0, poisoned: false, .. }");
                *one.get_mut().unwrap() += 1;
                assert_eq!(one.into_inner().unwrap(), 1);
                let guard: LockResult<RwLockReadGuard<'_, u8>> = two.read();
                reads(&guard.unwrap());
                let guard: LockResult<RwLockWriteGuard<'_, u8>> = two.write();
                let guard = guard.unwrap();
                writes(&guard);
                assert!(two.try_read().is_err() && two.try_write().is_err());
                drop(guard);
                assert!(two.try_read().is_ok());
                assert!(two.try_write().is_ok());
                assert_eq!(*LOCK.read().unwrap(), 1);
            }

            #[test]
            fn a_lock_is_poisoned_by_a_writer() {
                let lock = RwLock::new(1);
                let panics = |writes: bool| {
                    thread::scope(|scope| {
                        let panics = || {
                            let _guards =
                                if writes { (None, lock.write().ok()) } else { (lock.read().ok(), None) };
                            std::panic::resume_unwind(Box::new(()));
                        };
                        assert!(scope.spawn(panics).join().is_err());
                    });
                };
                panics(false);
                assert!(!lock.is_poisoned());
                panics(true);
                assert!(lock.is_poisoned() && lock.read().is_err() && lock.write().is_err());
                assert!(matches!(lock.try_read(), Err(TryLockError::Poisoned(_))));
                assert!(matches!(lock.try_write(), Err(TryLockError::Poisoned(_))));
                lock.clear_poison();
                assert!(lock.read().is_ok());
            }

            #[test]
            #[allow(deprecated)]
            fn a_condvar_has_every_item() {
                let mutex = Mutex::new(0);
                let condvar = Condvar::default();
                assert_eq!(format!("{condvar:?}"), "Condvar { .. }");
                unwinds(&condvar);
                let guard = mutex.lock().unwrap();
                let (guard, notified): (_, bool) = condvar.wait_timeout_ms(guard, 0).unwrap();
                assert!(!notified);
                let (guard, result): (_, WaitTimeoutResult) =
                    condvar.wait_timeout(guard, Duration::ZERO).unwrap();
                assert!(result.timed_out());
                let (guard, result) =
                    condvar.wait_timeout_while(guard, Duration::ZERO, |value| *value != 0).unwrap();
                assert!(!result.timed_out());
                let guard = condvar.wait_while(guard, |value| *value != 0).unwrap();
                thread::scope(|scope| {
                    scope.spawn(|| {
                        *mutex.lock().unwrap() = 1;
                        condvar.notify_one();
                        condvar.notify_all();
                    });
                    let mut guard: MutexGuard<'_, i32> = guard;
                    while *guard == 0 {
                        guard = condvar.wait(guard).unwrap();
                    }
                });
                CONDVAR.notify_all();
            }

            #[test]
            fn a_channel_has_every_item() {
                let (sender, receiver): (Sender<u8>, Receiver<u8>) = mpsc::channel();
                unwinds(&sender);
                assert_eq!(format!("{sender:?} {receiver:?}"), "Sender { .. } Receiver { .. }");
                assert_eq!(receiver.try_recv(), Err(mpsc::TryRecvError::Empty));
                let timeout = receiver.recv_timeout(Duration::ZERO);
                assert_eq!(timeout, Err(mpsc::RecvTimeoutError::Timeout));
                for number in 0..6 {
                    sender.clone().send(number).unwrap();
                }
                assert_eq!((receiver.recv(), receiver.try_recv()), (Ok(0), Ok(1)));
                assert_eq!(receiver.recv_timeout(Duration::ZERO), Ok(2));
                assert_eq!(receiver.iter().next(), Some(3));
                assert_eq!((&receiver).into_iter().next(), Some(4));
                let rest: mpsc::TryIter<'_, u8> = receiver.try_iter();
                assert_eq!(rest.collect::<Vec<_>>(), [5]);
                drop(sender);
                assert_eq!(receiver.recv(), Err(mpsc::RecvError));
                assert_eq!(receiver.recv_timeout(Duration::ZERO), Err(mpsc::RecvTimeoutError::Disconnected));
                let all: mpsc::IntoIter<u8> = receiver.into_iter();
                assert_eq!(all.count(), 0);
                let (sender, receiver) = mpsc::channel();
                drop(receiver);
                assert_eq!(sender.send(1), Err(mpsc::SendError(1)));
            }

            #[test]
            fn a_channel_with_a_bound_has_every_item() {
                let (sender, receiver): (SyncSender<u8>, Receiver<u8>) = mpsc::sync_channel(1);
                assert_eq!(format!("{sender:?}"), "SyncSender { .. }");
                sender.send(1).unwrap();
                assert_eq!(sender.clone().try_send(2), Err(mpsc::TrySendError::Full(2)));
                drop(receiver);
                assert_eq!(sender.try_send(2), Err(mpsc::TrySendError::Disconnected(2)));
                assert_eq!(sender.send(2), Err(mpsc::SendError(2)));
                let (sender, receiver) = mpsc::sync_channel(0);
                assert_eq!(sender.try_send(0), Err(mpsc::TrySendError::Full(0)));
                let sends = thread::spawn(move || (0..3).all(|number| sender.send(number).is_ok()));
                assert_eq!(receiver.iter().collect::<Vec<_>>(), [0, 1, 2]);
                assert!(sends.join().unwrap());
            }
        }
    };
}

all_of_it!(original, ::std::sync);
all_of_it!(wrapped, ::diagnose::std::sync);

#[test]
fn wrappers_and_originals_convert_into_each_other() {
    let mutex: std::sync::Mutex<u8> = diagnose::std::sync::Mutex::new(1).into();
    assert_eq!(*diagnose::std::sync::Mutex::<u8>::from(mutex).lock().unwrap(), 1);
    let lock: std::sync::RwLock<u8> = diagnose::std::sync::RwLock::new(1).into();
    assert_eq!(*diagnose::std::sync::RwLock::<u8>::from(lock).read().unwrap(), 1);
    let condvar: std::sync::Condvar = diagnose::std::sync::Condvar::new().into();
    diagnose::std::sync::Condvar::from(condvar).notify_one();
    let by_reference: &std::sync::Mutex<u8> = &diagnose::std::sync::Mutex::new(2);
    assert_eq!(*by_reference.lock().unwrap(), 2);
}

#[test]
fn channel_ends_and_originals_convert_into_each_other() {
    use diagnose::std::sync::mpsc;

    let (sender, receiver) = mpsc::channel();
    let (sender, receiver): (std::sync::mpsc::Sender<u8>, std::sync::mpsc::Receiver<u8>) =
        (sender.into(), receiver.into_inner());
    mpsc::Sender::from(sender).send(1).unwrap();
    let receiver = mpsc::Receiver::from(receiver);
    assert_eq!(receiver.recv(), Ok(1));
    assert!(receiver.recv().is_err(), "the sender is gone");
    let (sender, receiver) = mpsc::sync_channel(1);
    let by_reference: &std::sync::mpsc::SyncSender<u8> = &sender;
    by_reference.send(2).unwrap();
    let sender: std::sync::mpsc::SyncSender<u8> = sender.into();
    assert!(mpsc::SyncSender::from(sender).try_send(3).is_err(), "it is full");
    assert_eq!(receiver.try_recv(), Ok(2));
}

#[test]
fn the_rest_of_the_standard_library_is_itself() {
    use diagnose::std;

    let map: ::std::collections::BTreeMap<u8, u8> = std::collections::BTreeMap::new();
    assert!(map.is_empty());
    let once: ::std::sync::OnceLock<u8> = std::sync::OnceLock::new();
    assert!(once.get().is_none());
}
