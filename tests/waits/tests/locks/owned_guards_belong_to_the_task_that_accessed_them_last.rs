//! An owned guard can move: its holder is the task that last accessed the data.

use std::sync::Arc;

use diagnose::tokio;
use diagnose::tokio::sync::{Mutex, OwnedMutexGuard, oneshot};
use diagnose_waits_tests::{made_in, settle};

#[tokio::test]
async fn an_owned_guard_is_held_by_the_task_that_last_accessed_it() {
    let (mutex, made) = (Arc::new(Mutex::new(0)), line!());
    let mut guard: OwnedMutexGuard<u8> = Arc::clone(&mutex).lock_owned().await;
    let before = made_in!(made).0.holdings[0].task;
    let (other, also_made) = (Arc::new(Mutex::new(())), line!());
    let (ends, ended) = oneshot::channel::<()>();
    let task = tokio::spawn(async move {
        let _held = other.lock().await;
        *guard += 1;
        ended.await.unwrap();
        *guard
    });
    settle().await;
    let holding = made_in!(made).0.holdings.remove(0);
    assert_ne!(holding.task, before);
    assert_eq!(holding.task, made_in!(also_made).0.holdings[0].task);
    ends.send(()).unwrap();
    assert_eq!(task.await.unwrap(), 1);
    assert_eq!(*mutex.try_lock().unwrap(), 1);
}
