//! Holds of a lock that another task waits for at their end are measured, among many.

use std::sync::Arc;

use diagnose::tokio;
use diagnose::tokio::sync::Mutex;
use diagnose_waits_tests::{made_in, settle};

#[tokio::test]
async fn a_rare_hold_is_measured_if_another_task_waits_for_its_end() {
    let (mutex, made) = (Arc::new(Mutex::new(0)), line!());
    let (short, short_at) = (|| async { *mutex.lock().await += 1 }, line!());
    // The measured holds of `short`, and those of the line. Only a lock in use is in a snapshot.
    let measured = |line: u32| {
        let mutex = &mutex;
        async move {
            let _in_use = mutex.lock().await;
            let holders = &made_in!(made).0.usage.holders;
            [short_at, line]
                .map(|line| holders.iter().find(|row| row.place.line == line).map_or(0, |row| row.count))
        }
    };

    for _ in 0..64 {
        short().await;
    }
    assert_eq!(measured(0).await, [64, 0]);

    // The first one makes the lock a contended one.
    let mut long_at = 0;
    for long in 0..3 {
        let guard = mutex.lock().await;
        long_at = line!() - 1;
        for _ in 0..2 {
            let waiter = Arc::clone(&mutex);
            tokio::spawn(async move { *waiter.lock().await += 1 });
        }
        settle().await;
        drop(guard);
        settle().await;
        assert_eq!(measured(long_at).await, [64, long]);
    }

    // One of some 64 counts for all of them, unless it is the longest.
    let mut counts = [64; 2];
    for _ in 0..2_000 {
        short().await;
        let [now, _] = measured(long_at).await;
        assert!([0, 1, 64].contains(&(now - counts[1])), "{now} after {counts:?}");
        counts[1] = now;
    }
    assert!(counts[1] >= 64 + 10 * 64, "{counts:?}");
}
