//! Unit tests: the records of async-lock's wrappers.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::task::{Context, Poll, Wake, Waker};

use super::rwlock::ALL;
use super::*;
use crate::waits::test_view::{holdings, made_at, queue, units, until_waiting};
use crate::waits::{Record, Role, WaitMode};

/// Counts its wakes.
#[derive(Default)]
struct Counts(AtomicU32);

impl Wake for Counts {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Relaxed);
    }
}

fn poll<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

fn now<F: Future>(future: F) -> F::Output {
    match poll(pin!(future)) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("it waits"),
    }
}

fn known(line: u32) -> &'static Record {
    made_at(file!(), line).expect("it is known from its first use on")
}

#[test]
fn a_lock_is_recorded_from_its_first_use_to_its_drop() {
    let (mutex, line) = (Mutex::new(0), line!());
    assert!(made_at(file!(), line).is_none());
    let guard = now(mutex.lock());
    let held = holdings(known(line));
    assert_eq!((held[0].role, held[0].units, held[0].is_movable), (Role::Holds, 1, false));
    assert_eq!(held[0].at.unwrap().line(), line + 2);
    drop(guard);
    assert_eq!(units(known(line)), [0_u64; 0]);
    drop(mutex);
    assert!(made_at(file!(), line).is_none());
}

#[test]
fn a_waiter_is_in_the_queue_and_is_woken_as_usual() {
    let (mutex, line) = (Mutex::new(0), line!());
    let first = now(mutex.lock());
    let counts = Arc::new(Counts::default());
    let waker = Waker::from(Arc::clone(&counts));
    let mut context = Context::from_waker(&waker);
    let mut waits = pin!(mutex.lock());
    assert!(waits.as_mut().poll(&mut context).is_pending());
    let given_up = {
        let mut waits = Box::pin(mutex.lock());
        assert!(poll(waits.as_mut()).is_pending());
        waits
    };
    let modes: Vec<WaitMode> = queue(known(line)).iter().map(|wait| wait.mode).collect();
    assert_eq!(modes, [WaitMode::Lock, WaitMode::Lock]);
    drop(given_up);
    assert_eq!(queue(known(line)).len(), 1);
    assert_eq!(counts.0.load(Relaxed), 0);
    drop(first);
    assert_eq!(counts.0.load(Relaxed), 1);
    assert_ne!(queue(known(line))[0].read().woken, 0);
    let Poll::Ready(second) = waits.as_mut().poll(&mut context) else { panic!("it is free") };
    assert_eq!(queue(known(line)).len(), 0);
    assert_eq!(units(known(line)), [1]);
    drop(second);
}

#[test]
fn an_owned_guard_can_go_elsewhere() {
    let (mutex, line) = (Arc::new(Mutex::new(0)), line!());
    let first = now(mutex.lock_arc());
    assert!(holdings(known(line))[0].is_movable);
    let mut waits = Box::pin(mutex.lock_arc());
    assert!(poll(waits.as_mut()).is_pending());
    assert_eq!(queue(known(line)).len(), 1);
    std::thread::spawn(move || drop(first)).join().unwrap();
    let Poll::Ready(second) = poll(waits.as_mut()) else { panic!("it is free") };
    assert_eq!((units(known(line)), queue(known(line)).len()), (vec![1], 0));
    drop((mutex, waits));
    assert_eq!(*second, 0);
    drop(second);
    assert!(made_at(file!(), line).is_none());
}

#[test]
fn readers_have_one_unit_and_a_writer_all() {
    let (lock, line) = (RwLock::new(0), line!());
    let (one, two) = (now(lock.read()), now(lock.upgradable_read()));
    assert_eq!(units(known(line)), [1, 1]);
    let mut upgrade = pin!(RwLockUpgradableReadGuard::upgrade(two));
    assert!(poll(upgrade.as_mut()).is_pending());
    let waits = queue(known(line));
    assert_eq!((waits[0].mode, waits[0].units), (WaitMode::Write, ALL - 1));
    assert_eq!(units(known(line)), [0, 1]);
    drop(one);
    let Poll::Ready(writes) = poll(upgrade.as_mut()) else { panic!("nobody reads") };
    assert_eq!((units(known(line)), queue(known(line)).len()), (vec![ALL], 0));
    let mut reads = pin!(lock.read());
    assert!(poll(reads.as_mut()).is_pending());
    assert_eq!(queue(known(line))[0].mode, WaitMode::Read);
    let reads_too = RwLockWriteGuard::downgrade(writes);
    assert_eq!(units(known(line)), [1]);
    assert!(poll(reads.as_mut()).is_ready());
    drop(reads_too);
}

#[test]
fn a_thread_that_is_blocked_is_in_the_queue() {
    let (lock, line) = (RwLock::new(0), line!());
    let reads = lock.try_read().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| drop(lock.write_blocking()));
        until_waiting(known(line));
        let wait = &queue(known(line))[0];
        assert!(wait.is_blocking);
        assert_eq!((wait.mode, wait.units, wait.at.line()), (WaitMode::Write, ALL, line + 3));
        drop(reads);
    });
    assert_eq!((units(known(line)), queue(known(line)).len()), (vec![], 0));
}

#[test]
fn added_and_forgotten_permits_are_counted() {
    let (semaphore, line) = (Arc::new(Semaphore::new(2)), line!());
    let (one, two) = (now(semaphore.acquire()), now(semaphore.acquire_arc()));
    assert_eq!(units(known(line)), [1, 1]);
    let mut waits = pin!(semaphore.acquire_arc());
    assert!(poll(waits.as_mut()).is_pending());
    assert_eq!(queue(known(line))[0].mode, WaitMode::Acquire);
    one.forget();
    assert_eq!((known(line).forgotten.load(Relaxed), units(known(line))), (1, vec![1]));
    semaphore.add_permits(1);
    assert_eq!(known(line).capacity.load(Relaxed), 3);
    assert!(known(line).is_refilled.load(Relaxed));
    assert!(poll(waits.as_mut()).is_ready());
    drop(two);
    assert_eq!(semaphore.available_permits(), 2);
}

#[test]
fn a_barrier_counts_the_arrivals_of_this_round() {
    let (barrier, line) = (Barrier::new(2), line!());
    let mut first = pin!(barrier.wait());
    assert!(poll(first.as_mut()).is_pending());
    assert_eq!(known(line).entered.load(Relaxed), 1);
    assert_eq!(queue(known(line))[0].mode, WaitMode::Arrive);
    assert!(now(barrier.wait()).is_leader());
    assert_eq!(known(line).entered.load(Relaxed), 0);
    assert!(poll(first.as_mut()).is_ready());
    assert_eq!(queue(known(line)).len(), 0);
}

#[test]
fn the_task_that_initializes_a_cell_holds_it_and_does_not_wait() {
    let (cell, line) = (OnceCell::new(), line!());
    let initializing = Box::pin(cell.get_or_init(std::future::pending::<u8>));
    let mut initializing = initializing;
    assert!(poll(initializing.as_mut()).is_pending());
    assert_eq!((units(known(line)), queue(known(line)).len()), (vec![1], 0));
    let mut next = pin!(cell.get_or_init(|| async { 2 }));
    assert!(poll(next.as_mut()).is_pending());
    let mut waits = pin!(cell.wait());
    assert!(poll(waits.as_mut()).is_pending());
    let modes: Vec<WaitMode> = queue(known(line)).iter().map(|wait| wait.mode).collect();
    assert_eq!(modes, [WaitMode::Initialize, WaitMode::Initialize]);
    // The next call initializes once the first is canceled.
    drop(initializing);
    assert_eq!(units(known(line)), [0_u64; 0]);
    assert_eq!(poll(next.as_mut()), Poll::Ready(&2));
    assert_eq!(poll(waits.as_mut()), Poll::Ready(&2));
    assert_eq!((units(known(line)), queue(known(line)).len()), (vec![], 0));
}

#[test]
fn an_initializer_that_runs_after_a_wait_gets_the_waker_of_its_task() {
    let (cell, line) = (OnceCell::<u8>::new(), line!());
    let mut first = Box::pin(cell.get_or_init(std::future::pending));
    assert!(poll(first.as_mut()).is_pending());
    let (sends, receives) = ::futures::channel::oneshot::channel::<u8>();
    let mut second = pin!(cell.get_or_init(|| async { receives.await.unwrap() }));
    let counts = Arc::new(Counts::default());
    let waker = Waker::from(Arc::clone(&counts));
    let mut context = Context::from_waker(&waker);
    assert!(second.as_mut().poll(&mut context).is_pending());
    drop(first);
    assert_eq!(counts.0.load(Relaxed), 1);
    assert!(second.as_mut().poll(&mut context).is_pending());
    assert_eq!((units(known(line)), queue(known(line)).len()), (vec![1], 0));
    sends.send(3).unwrap();
    assert_eq!(counts.0.load(Relaxed), 2);
    assert_eq!(second.as_mut().poll(&mut context), Poll::Ready(&3));
}

/// Ambiguous for a type that is `Unpin`: then the test below does not compile.
trait NotUnpin<A> {
    fn check() {}
}

struct IfUnpin;

impl<T> NotUnpin<()> for T {}
impl<T: Unpin> NotUnpin<IfUnpin> for T {}

#[test]
fn the_futures_of_the_originals_are_not_unpin() {
    use ::async_lock::futures as original;
    <original::Lock<'_, ()> as NotUnpin<_>>::check();
    <original::Read<'_, ()> as NotUnpin<_>>::check();
    <original::UpgradableRead<'_, ()> as NotUnpin<_>>::check();
    <original::Write<'_, ()> as NotUnpin<_>>::check();
    <original::Acquire<'_> as NotUnpin<_>>::check();
}
