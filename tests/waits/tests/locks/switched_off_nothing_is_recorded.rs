//! With recording off, locks work and leave no record. Runs alone, as the switch is global.

use diagnose::tokio::sync::{Barrier, Mutex, Notify, OnceCell, RwLock, Semaphore};
use diagnose_waits_tests::{is_alone, now};

#[test]
fn locks_work_and_leave_no_record_while_recording_is_off() {
    if !is_alone("switched_off_nothing_is_recorded::locks_work_and_leave_no_record_while_recording_is_off") {
        return;
    }
    diagnose::set_enabled(false);
    let mutex = Mutex::new(1);
    let guard = now(mutex.lock());
    let mut waits = std::pin::pin!(mutex.lock());
    assert!(diagnose_waits_tests::poll(waits.as_mut()).is_pending());
    let lock = RwLock::new(1);
    let reads = now(lock.read());
    let semaphore = Semaphore::new(1);
    semaphore.add_permits(1);
    let mut permit = now(semaphore.acquire_many(2)).unwrap();
    let part = permit.split(1).unwrap();
    let notify = Notify::new();
    notify.notify_one();
    now(notify.notified());
    assert!(now(Barrier::new(1).wait()).is_leader());
    assert_eq!(now(OnceCell::new().get_or_init(|| async { 1 })), &1);
    assert!(diagnose::snapshot().resources.is_empty() && diagnose::snapshot().waits.is_empty());

    // A guard acquired before has no record, and its release is harmless.
    diagnose::set_enabled(true);
    assert!(diagnose::snapshot().resources.is_empty());
    permit.merge(part);
    drop((guard, reads, permit));
    assert!(diagnose_waits_tests::poll(waits).is_ready());
    assert_eq!(diagnose::snapshot().resources.len(), 0);
}
