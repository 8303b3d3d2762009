//! The behavior that async-lock documents holds for the wrappers: cancellation, fairness, blocking.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

use diagnose::async_lock::{Barrier, Mutex, OnceCell, RwLock, RwLockUpgradableReadGuard, Semaphore};
use diagnose_primitives_tests::{now, poll_once};
use futures::executor::block_on;

#[test]
fn a_mutex_excludes_and_loses_nothing() {
    diagnose_isolation::isolated!();
    let mutex = Arc::new(Mutex::new(0));
    thread::scope(|scope| {
        for number in 0..4 {
            let mutex = Arc::clone(&mutex);
            scope.spawn(move || {
                for _ in 0..2_000 {
                    match number {
                        0 => *mutex.lock_blocking() += 1,
                        1 => *mutex.lock_arc_blocking() += 1,
                        2 => *block_on(mutex.lock()) += 1,
                        _ => *block_on(mutex.lock_arc()) += 1,
                    }
                }
            });
        }
    });
    assert_eq!(Arc::into_inner(mutex).unwrap().into_inner(), 8_000);
}

#[test]
fn a_lock_has_one_writer_or_readers() {
    diagnose_isolation::isolated!();
    let lock = Arc::new(RwLock::new((0, 0)));
    thread::scope(|scope| {
        for number in 0..4 {
            let lock = Arc::clone(&lock);
            scope.spawn(move || {
                for _ in 0..1_000 {
                    let mut both = match number {
                        0 => block_on(lock.write()),
                        1 => lock.write_blocking(),
                        2 => {
                            let reads = block_on(lock.upgradable_read());
                            block_on(RwLockUpgradableReadGuard::upgrade(reads))
                        }
                        _ => {
                            let both = block_on(lock.read_arc());
                            assert_eq!(both.0, both.1);
                            continue;
                        }
                    };
                    both.0 += 1;
                    thread::yield_now();
                    both.1 += 1;
                }
            });
        }
    });
    assert_eq!(*lock.try_read().unwrap(), (3_000, 3_000));
}

#[test]
fn a_semaphore_admits_as_many_as_it_has_permits() {
    diagnose_isolation::isolated!();
    let (semaphore, inside) = (Arc::new(Semaphore::new(2)), AtomicUsize::new(0));
    thread::scope(|scope| {
        for number in 0..4 {
            let (semaphore, inside) = (Arc::clone(&semaphore), &inside);
            scope.spawn(move || {
                let enters = || {
                    assert!(inside.fetch_add(1, Relaxed) < 2);
                    thread::yield_now();
                    inside.fetch_sub(1, Relaxed);
                };
                for _ in 0..1_000 {
                    if number % 2 == 0 {
                        let _permit = block_on(semaphore.acquire());
                        enters();
                    } else {
                        let _permit = block_on(semaphore.acquire_arc());
                        enters();
                    }
                }
            });
        }
    });
    assert_eq!(semaphore.available_permits(), 2);
}

#[test]
fn a_dropped_future_leaves_the_queue() {
    diagnose_isolation::isolated!();
    let mutex = Arc::new(Mutex::new(0));
    let guard = now(mutex.lock());
    let mut first = Box::pin(mutex.lock());
    let mut second = pin!(mutex.lock());
    let mut third = Box::pin(mutex.lock_arc());
    assert!(poll_once(first.as_mut()).is_pending());
    assert!(poll_once(second.as_mut()).is_pending());
    assert!(poll_once(third.as_mut()).is_pending());
    drop(guard);
    // The first waiter was notified; dropping it passes the notification on to the next.
    drop((first, third));
    assert!(poll_once(second.as_mut()).is_ready());
}

#[test]
fn an_upgrade_that_is_dropped_frees_the_lock() {
    diagnose_isolation::isolated!();
    let lock = Arc::new(RwLock::new(0));
    let reads = now(lock.read());
    let mut upgrade = Box::pin(RwLockUpgradableReadGuard::upgrade(now(lock.upgradable_read())));
    assert!(poll_once(upgrade.as_mut()).is_pending());
    assert!(lock.try_read().is_none(), "nobody new reads");
    drop(upgrade);
    assert!(lock.try_read().is_some());
    drop(reads);
    assert!(lock.try_write_arc().is_some());
}

#[test]
fn a_barrier_releases_all_and_can_be_reused() {
    diagnose_isolation::isolated!();
    let barrier = Barrier::new(3);
    let leaders = AtomicUsize::new(0);
    thread::scope(|scope| {
        for number in 0..3 {
            let (barrier, leaders) = (&barrier, &leaders);
            scope.spawn(move || {
                for _ in 0..100 {
                    let result = if number == 0 { barrier.wait_blocking() } else { block_on(barrier.wait()) };
                    leaders.fetch_add(usize::from(result.is_leader()), Relaxed);
                }
            });
        }
    });
    assert_eq!(leaders.load(Relaxed), 100);
}

#[test]
fn a_cell_is_initialized_once_by_the_first_caller() {
    diagnose_isolation::isolated!();
    let (cell, calls) = (OnceCell::new(), AtomicUsize::new(0));
    thread::scope(|scope| {
        for number in 0..4 {
            let (cell, calls) = (&cell, &calls);
            scope.spawn(move || {
                let value = match number {
                    0 => cell.wait_blocking(),
                    1 => cell.get_or_init_blocking(|| calls.fetch_add(1, Relaxed)),
                    2 => block_on(cell.wait()),
                    _ => block_on(cell.get_or_init(|| async { calls.fetch_add(1, Relaxed) })),
                };
                assert_eq!(*value, 0);
            });
        }
    });
    assert_eq!(calls.load(Relaxed), 1);
}

#[test]
fn a_cell_stays_empty_if_its_initializer_fails_or_panics() {
    diagnose_isolation::isolated!();
    let cell = OnceCell::new();
    assert_eq!(block_on(cell.get_or_try_init(|| async { Err::<u8, _>(1) })), Err(1));
    let panics = || block_on(cell.get_or_init(|| async { std::panic::resume_unwind(Box::new(())) }));
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(panics)).is_err());
    assert_eq!(block_on(cell.get_or_init(|| async { 2 })), &2);
}

#[test]
fn a_lock_future_may_borrow_what_is_not_static() {
    diagnose_isolation::isolated!();
    let text = "borrowed".to_owned();
    let mutex = Arc::new(Mutex::new(text.as_str()));
    let guard = now(mutex.lock_arc());
    let lock = Arc::new(RwLock::new(&*text));
    assert_eq!((*guard, *now(lock.write_arc())), ("borrowed", "borrowed"));
}
