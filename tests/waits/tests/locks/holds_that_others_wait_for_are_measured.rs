//! Of many holds of a lock, those that another task waits for at their end are measured.

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

    let (guard, long_at) = (mutex.lock().await, line!());
    let waiter = Arc::clone(&mutex);
    let waiter = tokio::spawn(async move { *waiter.lock().await += 1 });
    settle().await;
    drop(guard);
    waiter.await.unwrap();
    assert_eq!(measured(long_at).await, [64, 1], "although it is the 66th");

    for _ in 68..126 {
        short().await;
    }
    assert_eq!(measured(long_at).await, [64, 1]);
    short().await;
    assert_eq!(measured(long_at).await, [64 + 64, 1], "the 128th counts for the 64 since the last");
}
