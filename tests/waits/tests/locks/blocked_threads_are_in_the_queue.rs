//! A thread that blocks, as in `blocking_lock`, is in the queue while it blocks.

use std::cell::Cell;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use diagnose::model::WaitMode;
use diagnose::tokio;
use diagnose::tokio::sync::{Mutex, RwLock, Semaphore};
use diagnose_waits_tests::find;

/// Blocks until the queue of the resource created at `line` has a waiter.
fn waiting(line: u32) -> (WaitMode, u64) {
    loop {
        match find(file!(), line) {
            Some((_, queue)) if !queue.is_empty() => return (queue[0].mode, queue[0].units),
            _ => thread::sleep(Duration::from_millis(1)),
        }
    }
}

#[test]
fn a_thread_is_in_the_queue_while_it_blocks() {
    let (mutex, made) = (Arc::new(Mutex::new(0)), line!());
    let guard = mutex.try_lock().unwrap();
    let thread = thread::spawn({
        let mutex = Arc::clone(&mutex);
        move || *mutex.blocking_lock() += 1
    });
    assert_eq!(waiting(made), (WaitMode::Lock, 1));
    drop(guard);
    thread.join().unwrap();
    assert!(find(file!(), made).is_none());

    let (lock, made) = (Arc::new(RwLock::with_max_readers(0, 4)), line!());
    let guard = lock.try_read().unwrap();
    let thread = thread::spawn({
        let lock = Arc::clone(&lock);
        move || *lock.blocking_write() += 1
    });
    assert_eq!(waiting(made), (WaitMode::Write, 4));
    drop(guard);
    thread.join().unwrap();

    let (semaphore, made) = (Arc::new(Semaphore::new(2)), line!());
    let permit = semaphore.try_acquire().unwrap();
    let thread = thread::spawn({
        let semaphore = Arc::clone(&semaphore);
        move || semaphore.blocking_acquire_many_owned(2).is_ok()
    });
    assert_eq!(waiting(made), (WaitMode::Acquire, 2));
    drop(permit);
    assert!(thread.join().unwrap());
}

#[tokio::test]
async fn in_async_code_it_panics_as_the_original_does() {
    let mutex = Mutex::new(0);
    let panics = std::panic::AssertUnwindSafe(|| drop(mutex.blocking_lock()));
    let panic = std::panic::catch_unwind(panics).unwrap_err();
    let text = panic.downcast_ref::<String>().unwrap();
    assert!(text.starts_with("Cannot block the current thread from within a runtime."), "{text}");
}

thread_local! {
    /// The place of this thread's last panic.
    static PANICKED_AT: Cell<Option<(String, u32)>> = const { Cell::new(None) };
}

#[tokio::test]
async fn in_async_code_it_panics_at_the_call() {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        PANICKED_AT.set(panic.location().map(|at| (String::from(at.file()), at.line())));
        hook(panic);
    }));
    let (mutex, lock, semaphore) = (Mutex::new(0), RwLock::new(0), Arc::new(Semaphore::new(1)));
    let calls: [(u32, &dyn Fn()); 3] = [
        (line!(), &|| drop(mutex.blocking_lock())),
        (line!(), &|| drop(lock.blocking_write())),
        (line!(), &|| drop(semaphore.blocking_acquire())),
    ];
    for (line, call) in calls {
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).is_err());
        assert_eq!(PANICKED_AT.take(), Some((String::from(file!()), line)));
    }
}

#[tokio::test]
async fn a_job_that_waited_for_a_lock_has_a_time() {
    let (lock, made) = (Arc::new(diagnose::std::sync::Mutex::new(0)), line!());
    // A resource's first wait has no place.
    for _ in 0..2 {
        let guard = lock.lock().unwrap();
        let job = Arc::clone(&lock);
        let job = tokio::task::spawn_blocking(move || *job.lock().unwrap() += 1);
        assert_eq!(waiting(made), (WaitMode::Lock, 1));
        drop(guard);
        job.await.unwrap();
    }
    let _guard = lock.lock().unwrap();
    let (resource, _) = find(file!(), made).unwrap();
    let row = &resource.usage.waiters[0];
    assert_eq!((row.place.line, row.count), (made + 5, 1));
    assert!(row.total_ns > 0, "{row:?}");
}

/// Nobody else uses the locks.
#[test]
fn a_thread_that_finds_a_lock_free_does_not_wait_for_it() {
    if !diagnose_waits_tests::is_alone(
        "blocked_threads_are_in_the_queue::a_thread_that_finds_a_lock_free_does_not_wait_for_it",
    ) {
        return;
    }
    let (lock, rows, permits) = (Arc::new(Mutex::new(0)), RwLock::new(0), Arc::new(Semaphore::new(2)));
    for _ in 0..100 {
        *lock.blocking_lock() += 1;
        *Arc::clone(&lock).blocking_lock_owned() += 1;
        *rows.blocking_write() += 1;
        assert!(*rows.blocking_read() > 0);
        drop(Arc::clone(&permits).blocking_acquire_many_owned(2).unwrap());
    }
    let (_lock, _rows, _permits) = (lock.blocking_lock(), rows.blocking_read(), permits.try_acquire());
    let snapshot = diagnose::snapshot();
    let contended: Vec<u64> = snapshot.resources.iter().map(|it| it.usage.contended).collect();
    assert_eq!(contended, [0, 0, 0]);
}
