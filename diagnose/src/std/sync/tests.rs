//! Unit tests: the records of the standard library's wrappers.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::TrySendError;
use std::thread;
use std::time::Duration;

use super::{Condvar, Mutex, RwLock, mpsc};
use crate::waits::test_view::{holdings, made_at, queue, units, until_waiting};
use crate::waits::{Record, Role, WaitMode};

fn known(line: u32) -> &'static Record {
    made_at(file!(), line).expect("it is known from its first use on")
}

#[test]
fn a_mutex_records_its_holder_and_the_threads_it_blocks() {
    let (mutex, line) = (Mutex::new(0), line!());
    let guard = mutex.lock().unwrap();
    assert_eq!((units(known(line)), holdings(known(line))[0].at.unwrap().line()), (vec![1], line + 1));
    thread::scope(|scope| {
        scope.spawn(|| *mutex.lock().unwrap() += 1);
        until_waiting(known(line));
        let wait = &queue(known(line))[0];
        assert!(wait.is_blocking);
        assert_eq!((wait.mode, wait.at.line()), (WaitMode::Lock, line + 4));
        drop(guard);
    });
    assert_eq!((units(known(line)), queue(known(line)).len()), (vec![], 0));
    assert_eq!(mutex.into_inner().unwrap(), 1);
    assert!(made_at(file!(), line).is_none());
}

#[test]
fn a_poisoned_mutex_is_held_too() {
    let (mutex, line) = (Mutex::new(0), line!());
    let panics = || {
        let _guard = mutex.lock().unwrap();
        std::panic::resume_unwind(Box::new(()));
    };
    thread::scope(|scope| assert!(scope.spawn(panics).join().is_err()));
    assert_eq!(units(known(line)), [0; 0]);
    let guard = mutex.lock().unwrap_err().into_inner();
    assert_eq!(units(known(line)), [1]);
    drop(guard);
}

#[test]
fn readers_have_one_unit_and_a_writer_all() {
    let (lock, line) = (RwLock::new(0), line!());
    let readers = (lock.read().unwrap(), lock.try_read().unwrap());
    assert_eq!(units(known(line)), [1, 1]);
    drop(readers);
    let writer = lock.write().unwrap();
    assert_eq!(units(known(line)), [u64::from(u32::MAX)]);
    drop(super::RwLockWriteGuard::downgrade(writer));
    assert_eq!(units(known(line)), [0; 0]);
}

#[test]
fn a_waiter_of_a_condvar_does_not_hold_the_mutex() {
    let (mutex, mutex_line) = (Mutex::new(false), line!());
    let (condvar, line) = (Condvar::new(), line!());
    condvar.notify_all();
    thread::scope(|scope| {
        let waits = scope.spawn(|| {
            let guard = condvar.wait_while(mutex.lock().unwrap(), |is_set| !*is_set).unwrap();
            (*guard, units(known(mutex_line)))
        });
        until_waiting(known(line));
        // The waiting thread has released the mutex before it can be acquired here.
        let mut guard = mutex.lock().unwrap();
        assert_eq!(units(known(mutex_line)), [1]);
        assert_eq!(queue(known(line))[0].mode, WaitMode::Notified);
        *guard = true;
        condvar.notify_one();
        let last_notified = known(line).last_notified();
        let last_notified = last_notified.unwrap();
        assert_eq!(
            (last_notified.all, last_notified.waiting, last_notified.last.at.line()),
            (false, 1, line + 13)
        );
        drop(guard);
        assert_eq!(waits.join().unwrap(), (true, vec![1]));
    });
    assert_eq!((units(known(mutex_line)), queue(known(line)).len()), (vec![], 0));
}

#[test]
fn a_wait_with_a_timeout_ends_with_the_mutex_held() {
    let (mutex, line) = (Mutex::new(0), line!());
    let condvar = Condvar::new();
    let guard = mutex.lock().unwrap();
    let (guard, result) = condvar.wait_timeout(guard, Duration::ZERO).unwrap();
    assert!(result.timed_out());
    assert_eq!(units(known(line)), [1]);
    let mut looks = Vec::new();
    let condition = |value: &mut i32| {
        *value += 1;
        looks.push(units(known(line)));
        *value < 3
    };
    let (guard, _) = condvar.wait_timeout_while(guard, Duration::from_millis(1), condition).unwrap();
    assert!(looks.iter().all(|held| held == &[1]), "it is held whenever the condition is looked at");
    assert_eq!(units(known(line)), [1]);
    drop(guard);
}

#[test]
fn a_channel_knows_its_ends_and_counts_its_messages() {
    let ((sender, receiver), line) = (mpsc::sync_channel(1), line!());
    let another = sender.clone();
    let roles = |role| holdings(known(line)).iter().filter(|holding| holding.role == role).count();
    assert_eq!((roles(Role::Sends), roles(Role::Receives)), (2, 1));
    sender.send(1).unwrap();
    assert!(matches!(another.try_send(2), Err(TrySendError::Full(2))));
    assert_eq!((known(line).entered.load(Relaxed), known(line).left.load(Relaxed)), (1, 0));
    thread::scope(|scope| {
        scope.spawn(|| another.send(2));
        until_waiting(known(line));
        assert_eq!(queue(known(line))[0].mode, WaitMode::Send);
        assert_eq!(receiver.recv(), Ok(1));
    });
    assert_eq!(receiver.recv(), Ok(2));
    assert_eq!((known(line).entered.load(Relaxed), known(line).left.load(Relaxed)), (2, 2));
    drop(receiver);
    assert!(known(line).is_closed.load(Relaxed));
    drop((sender, another));
    assert!(made_at(file!(), line).is_none());
}

#[test]
fn an_empty_channel_records_the_thread_it_blocks() {
    let ((sender, receiver), line) = (mpsc::channel::<u8>(), line!());
    let receives = thread::spawn(move || receiver.into_iter().collect::<Vec<u8>>());
    until_waiting(known(line));
    assert_eq!((queue(known(line))[0].mode, queue(known(line))[0].at.line()), (WaitMode::Receive, line + 1));
    sender.send(1).unwrap();
    drop(sender);
    assert_eq!(receives.join().unwrap(), [1]);
}
