//! The usage counts of a lock are exact under any contention.

use std::thread;

use diagnose::tokio::sync::{RwLock, Semaphore};

const THREADS: u64 = 4;
const TIMES: u64 = 50_000;

/// The number of acquisitions of the resource with this name.
fn acquisitions(name: &str) -> u64 {
    let snapshot = diagnose::snapshot();
    let resource =
        snapshot.resources.iter().find(|it| it.created.as_ref().is_some_and(|it| it.file == file!()));
    let resource = resource.unwrap_or_else(|| panic!("{name} is held"));
    resource.usage.acquisitions
}

#[test]
fn permits_are_counted_exactly() {
    diagnose_isolation::isolated!();
    let semaphore = Semaphore::new(100);
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| (0..TIMES).for_each(|_| drop(semaphore.try_acquire().expect("a permit"))));
        }
    });
    let held = semaphore.try_acquire().expect("a permit");
    assert_eq!(acquisitions("the semaphore"), THREADS * TIMES + 1);
    drop(held);
    drop(semaphore);
    let lock = RwLock::new(());
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| (0..TIMES).for_each(|_| drop(lock.try_read().expect("nobody writes"))));
        }
    });
    let held = lock.try_read().expect("nobody writes");
    assert_eq!(acquisitions("the lock"), THREADS * TIMES + 1);
    drop(held);
}
