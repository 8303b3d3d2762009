//! Unit tests: the records of `parking_lot`'s wrappers.

use std::thread;
use std::time::Duration;

use super::{Condvar, Mutex, MutexGuard, RwLock, RwLockUpgradableReadGuard, RwLockWriteGuard};
use crate::waits::test_view::{holdings, made_at, queue, units, until_waiting};
use crate::waits::{Record, WaitMode};

const ALL: u64 = u32::MAX as u64;

fn known(line: u32) -> &'static Record {
    made_at(file!(), line).expect("it is known from its first use on")
}

#[test]
fn a_mutex_records_its_holder_and_the_threads_it_blocks() {
    let (mutex, line) = (Mutex::new((0, 1)), line!());
    let guard = MutexGuard::map(mutex.lock(), |pair| &mut pair.1);
    assert_eq!((units(known(line)), holdings(known(line))[0].at.unwrap().line()), (vec![1], line + 1));
    thread::scope(|scope| {
        scope.spawn(|| drop(mutex.lock()));
        until_waiting(known(line));
        assert!(queue(known(line))[0].is_blocking && queue(known(line))[0].mode == WaitMode::Lock);
        drop(guard);
    });
    assert_eq!((units(known(line)), queue(known(line)).len()), (vec![], 0));
}

#[test]
fn a_copy_of_a_holding_tells_that_it_is_over() {
    let (mutex, line) = (Mutex::new(0), line!());
    let guard = mutex.lock();
    let copy = holdings(known(line))[0];
    assert!(!copy.is_over());
    drop(guard);
    assert!(copy.is_over());
}

#[test]
fn nobody_holds_a_mutex_that_is_unlocked_for_a_while() {
    let (mutex, line) = (Mutex::new(0), line!());
    let mut guard = mutex.lock();
    MutexGuard::unlocked(&mut guard, || assert_eq!(units(known(line)), [0_u64; 0]));
    assert_eq!(units(known(line)), [1]);
    MutexGuard::bump(&mut guard);
    assert_eq!(units(known(line)), [1]);
    MutexGuard::unlock_fair(guard);
    assert_eq!(units(known(line)), [0_u64; 0]);
}

#[test]
fn readers_have_one_unit_and_a_writer_all() {
    let (lock, line) = (RwLock::new(0), line!());
    let (one, two) = (lock.read(), lock.upgradable_read());
    assert_eq!(units(known(line)), [1, 1]);
    let Err(two) = RwLockUpgradableReadGuard::try_upgrade_for(two, Duration::from_millis(1)) else {
        panic!("another reads")
    };
    assert_eq!((units(known(line)), queue(known(line)).len()), (vec![1, 1], 0));
    drop(one);
    let mut two = two;
    two.with_upgraded(|_| assert_eq!(units(known(line)), [ALL]));
    assert_eq!((units(known(line)), queue(known(line)).len()), (vec![1], 0));
    let writes = RwLockUpgradableReadGuard::upgrade(two);
    assert_eq!(units(known(line)), [ALL]);
    drop(RwLockWriteGuard::downgrade(writes));
    assert_eq!(units(known(line)), [0_u64; 0]);
}

#[test]
fn a_waiter_of_a_condvar_does_not_hold_the_mutex() {
    let (mutex, mutex_line) = (Mutex::new(false), line!());
    let (condvar, line) = (Condvar::new(), line!());
    assert!(!condvar.notify_one());
    thread::scope(|scope| {
        let waits = scope.spawn(|| {
            let mut guard = mutex.lock();
            condvar.wait_while(&mut guard, |is_set| !*is_set);
            (*guard, units(known(mutex_line)))
        });
        until_waiting(known(line));
        // The waiting thread has released the mutex before it can be acquired here.
        let mut guard = mutex.lock();
        assert_eq!(units(known(mutex_line)), [1]);
        assert_eq!(queue(known(line))[0].mode, WaitMode::Notified);
        *guard = true;
        drop(guard);
        condvar.notify_all();
        assert_eq!(waits.join().unwrap(), (true, vec![1]));
    });
}
