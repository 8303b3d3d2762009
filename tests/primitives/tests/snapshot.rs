//! A snapshot shows other crates' locks with their holders and waiters, by task and line.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::time::Duration;

use diagnose::model::Place;
use diagnose::{Resource, Snapshot, diagnose, wait};
use diagnose_primitives_tests::{now, poll_once};

/// Returns the lines of the holdings and of the waits of the `library` resource created at `line`.
fn held_and_waited(snapshot: &Snapshot, library: &str, line: u32) -> (Vec<u32>, Vec<u32>) {
    let resources = snapshot.resources.iter();
    let mut made_here = resources.filter(|it| it.created.as_ref().is_some_and(|it| it.line == line));
    let resource = made_here.find(|it| it.library == library).expect("it is there");
    let line = |place: Option<&Place>| place.map_or(0, |place| place.line);
    let held = resource.holdings.iter().map(|it| line(it.place.as_ref())).collect();
    let waits = snapshot.waits.iter().filter(|it| it.resource == Some(resource.id));
    (held, waits.map(|it| line(it.place.as_ref())).collect())
}

#[diagnose(root)]
async fn lock(mutex: &diagnose::async_lock::Mutex<u8>) -> u8 {
    *mutex.lock().await
}

#[test]
fn locks_of_async_lock_are_in_the_snapshot() {
    diagnose_isolation::isolated!();
    let (mutex, line) = (diagnose::async_lock::Mutex::new(1), line!());
    let guard = now(mutex.lock());
    let mut waits = pin!(lock(&mutex));
    assert!(poll_once(waits.as_mut()).is_pending());
    let (held, waiting) = held_and_waited(&diagnose::snapshot(), "async-lock", line);
    assert_eq!((held, waiting), (vec![line + 1], vec![line - 6]));
    drop(guard);
    assert!(poll_once(waits.as_mut()).is_ready());
}

#[test]
fn custom_resources_are_in_the_snapshot() {
    diagnose_isolation::isolated!();
    let (pool, line) = (Resource::new("db-pool", 1), line!());
    let hold = pool.hold();
    let mut waits = pin!(wait("get connection", &pool, std::future::pending::<()>()));
    assert!(poll_once(waits.as_mut()).is_pending());
    let snapshot = diagnose::snapshot();
    let (held, waiting) = held_and_waited(&snapshot, "", line);
    assert_eq!((held, waiting), (vec![line + 1], vec![line + 2]));
    assert!(snapshot.resources.iter().any(|it| it.name.as_deref() == Some("db-pool") && it.free == 0));
    assert!(snapshot.spans.iter().any(|span| snapshot.sites[span.site].name == "get connection"));
    drop(hold);
}

/// The lock is locked when the condition runs.
#[test]
fn a_guard_whose_condition_panics_still_holds_its_lock() {
    diagnose_isolation::isolated!();
    let (mutex, line) = (diagnose::parking_lot::Mutex::new(1), line!());
    let condvar = diagnose::parking_lot::Condvar::new();
    let mut guard = mutex.lock();
    let mut waits = || condvar.wait_while_for(&mut guard, |_| panic!("no"), Duration::from_secs(1));
    assert!(catch_unwind(AssertUnwindSafe(|| waits().timed_out())).is_err());
    assert!(mutex.try_lock().is_none());
    let (held, _) = held_and_waited(&diagnose::snapshot(), "parking_lot", line);
    assert_eq!(held.len(), 1);
    drop(guard);
}

// notifies  ├ lock ┤ notify, bump ├ blocks ┄┄┄┄┄┄┄┄┄┄┄┄┤
// waits       ┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄├ has the lock ┤
#[test]
fn a_lock_that_is_bumped_to_a_notified_thread_has_one_holder() {
    use diagnose::parking_lot::{Condvar, Mutex, MutexGuard};
    diagnose_isolation::isolated!();
    let (mutex, line) = (Mutex::new(false), line!());
    let (condvar, is_waiting) = (Condvar::new(), Mutex::new(false));
    std::thread::scope(|threads| {
        let waits = threads.spawn(|| {
            let mut guard = mutex.lock();
            *is_waiting.lock() = true;
            while !*guard {
                condvar.wait(&mut guard);
            }
            held_and_waited(&diagnose::snapshot(), "parking_lot", line).0.len()
        });
        while !*is_waiting.lock() {
            std::thread::yield_now();
        }
        let mut guard = mutex.lock();
        *guard = true;
        assert!(condvar.notify_one());
        MutexGuard::bump(&mut guard);
        drop(guard);
        assert_eq!(waits.join().unwrap(), 1);
    });
}

/// The original acquires the lock again while it unwinds.
#[test]
fn a_guard_that_was_unlocked_by_a_call_that_panics_still_holds_its_lock() {
    diagnose_isolation::isolated!();
    let (mutex, line) = (diagnose::parking_lot::Mutex::new(1), line!());
    let mut guard = mutex.lock();
    let unlocked = || diagnose::parking_lot::MutexGuard::unlocked(&mut guard, || panic!("no"));
    assert!(catch_unwind(AssertUnwindSafe(unlocked)).is_err());
    assert!(mutex.try_lock().is_none());
    let (held, _) = held_and_waited(&diagnose::snapshot(), "parking_lot", line);
    assert_eq!(held, vec![line + 2]);
    drop(guard);
}
