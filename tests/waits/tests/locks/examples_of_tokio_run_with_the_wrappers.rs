//! The examples of tokio's documentation, run with the wrappers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use diagnose::tokio;
use diagnose::tokio::sync::{Barrier, Mutex, Notify, OnceCell, RwLock, Semaphore, SetOnce};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tasks_count_behind_a_mutex() {
    let count = Arc::new(Mutex::new(0));
    let tasks: Vec<_> = (0..5)
        .map(|_| {
            let count = Arc::clone(&count);
            tokio::spawn(async move {
                for _ in 0..100 {
                    let mut lock = count.lock().await;
                    *lock += 1;
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(*count.lock().await, 500);
}

#[tokio::test]
async fn readers_wait_behind_a_writer() {
    let lock = Arc::new(RwLock::new(1));
    let reads = lock.read().await;
    let writes = tokio::spawn({
        let lock = Arc::clone(&lock);
        async move { *lock.write().await += 1 }
    });
    diagnose_waits_tests::settle().await;
    assert!(lock.try_read().is_err());
    drop(reads);
    assert_eq!(*lock.read().await, 2);
    writes.await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn at_most_three_tasks_hold_a_permit() {
    let (semaphore, running) = (Arc::new(Semaphore::new(3)), Arc::new(AtomicUsize::new(0)));
    let tasks: Vec<_> = (0..10)
        .map(|_| {
            let (semaphore, running) = (Arc::clone(&semaphore), Arc::clone(&running));
            tokio::spawn(async move {
                let _permit = semaphore.acquire_owned().await.unwrap();
                assert!(running.fetch_add(1, Relaxed) < 3);
                tokio::time::sleep(Duration::from_millis(2)).await;
                running.fetch_sub(1, Relaxed);
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(semaphore.available_permits(), 3);
}

/// A token bucket: one task forgets permits, another adds them.
#[tokio::test]
async fn a_token_bucket_is_emptied_and_refilled() {
    let semaphore = Arc::new(Semaphore::new(1));
    let refills = tokio::spawn({
        let semaphore = Arc::clone(&semaphore);
        async move {
            loop {
                tokio::time::sleep(Duration::from_millis(1)).await;
                if semaphore.available_permits() < 1 {
                    semaphore.add_permits(1);
                }
            }
        }
    });
    for _ in 0..5 {
        semaphore.acquire().await.unwrap().forget();
    }
    refills.abort();
}

static NUMBER: OnceCell<u32> = OnceCell::const_new();

#[tokio::test]
async fn a_global_value_is_initialized_once() {
    assert_eq!(NUMBER.get_or_init(|| async { 1 + 1 }).await, &2);
    assert_eq!(NUMBER.get_or_try_init(|| async { Err("late") }).await, Ok(&2));
}

static ONCE: SetOnce<u32> = SetOnce::const_new();

#[tokio::test]
async fn a_value_set_by_a_task_reaches_its_waiter() {
    tokio::spawn(async { ONCE.set(20) });
    assert_eq!(ONCE.wait().await, &20);
}

#[tokio::test]
async fn a_barrier_for_ten_has_one_leader() {
    let barrier = Arc::new(Barrier::new(10));
    let tasks: Vec<_> = (0..10)
        .map(|_| {
            let barrier = Arc::clone(&barrier);
            tokio::spawn(async move { barrier.wait().await.is_leader() })
        })
        .collect();
    let mut leaders = 0;
    for task in tasks {
        leaders += usize::from(task.await.unwrap());
    }
    assert_eq!(leaders, 1);
}

/// An unbounded channel built from a lock and a `Notify`, which is enabled before each check.
#[tokio::test]
async fn a_channel_of_a_lock_and_a_notify_delivers_in_order() {
    struct Channel {
        values: Mutex<Vec<u8>>,
        notify: Notify,
    }
    let channel = Arc::new(Channel { values: Mutex::new(Vec::new()), notify: Notify::new() });
    let receives = tokio::spawn({
        let channel = Arc::clone(&channel);
        async move {
            let mut future = std::pin::pin!(channel.notify.notified());
            let mut seen = Vec::new();
            while seen.len() < 3 {
                future.as_mut().enable();
                seen.append(&mut *channel.values.lock().await);
                if seen.len() < 3 {
                    future.as_mut().await;
                    future.set(channel.notify.notified());
                }
            }
            seen
        }
    });
    for value in 0..3 {
        channel.values.lock().await.push(value);
        channel.notify.notify_one();
        tokio::task::yield_now().await;
    }
    assert_eq!(receives.await.unwrap(), [0, 1, 2]);
}
