//! After a reset, acquisitions, waits and holds count from the reset on.

use std::sync::Arc;

use diagnose::model::Usage;
use diagnose::tokio;
use diagnose::tokio::sync::Mutex;
use diagnose_waits_tests::{is_alone, made_in, settle};

/// Two tasks wait for the lock and acquire it.
async fn contend(mutex: &Arc<Mutex<u32>>) {
    let guard = mutex.lock().await;
    for _ in 0..2 {
        let mutex = Arc::clone(mutex);
        tokio::spawn(async move { *mutex.lock().await += 1 });
    }
    settle().await;
    drop(guard);
    settle().await;
}

fn counts(usage: &Usage) -> [u64; 5] {
    let at_places = |places: &[diagnose::model::UsagePlace]| places.iter().map(|place| place.count).sum();
    [usage.acquisitions, usage.contended, usage.waited, at_places(&usage.waiters), at_places(&usage.holders)]
}

#[tokio::test]
async fn a_lock_counts_from_the_last_reset() {
    if !is_alone("resets_restart_the_usage::a_lock_counts_from_the_last_reset") {
        return;
    }
    let (mutex, made) = (Arc::new(Mutex::new(0)), line!());
    contend(&mutex).await;
    contend(&mutex).await;
    let usage = made_in!(made).0.usage.clone();
    // A resource's first wait has no place.
    assert_eq!(counts(&usage)[..4], [6, 4, 4, 3], "{usage:#?}");
    assert!(usage.wait.max_ns > 0 && usage.waited_ns > 0, "{usage:#?}");

    diagnose::reset();
    let guard = mutex.lock().await;
    let usage = made_in!(made).0.usage.clone();
    assert_eq!(counts(&usage), [1, 0, 0, 0, 0], "{usage:#?}");
    assert_eq!((usage.wait.max_ns, usage.held.max_ns, usage.waited_ns), (0, 0, 0), "{usage:#?}");
    drop(guard);

    contend(&mutex).await;
    let usage = made_in!(made).0.usage.clone();
    assert_eq!(counts(&usage)[..4], [4, 2, 2, 2], "{usage:#?}");
    assert!(usage.wait.max_ns > 0, "{usage:#?}");

    diagnose::reset();
    diagnose::reset();
    let (_guard, fresh) = (mutex.lock().await, Arc::new(Mutex::new(0)));
    let fresh_made = line!() - 1;
    assert_eq!(counts(&made_in!(made).0.usage)[..3], [1, 0, 0]);
    let _fresh = fresh.lock().await;
    assert_eq!(made_in!(fresh_made).0.usage.acquisitions, 1, "it did not exist at the reset");
}
