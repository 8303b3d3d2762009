//! A contended lock shows its holder, place and time, and its waiters in order.

use std::sync::Arc;

use diagnose::model::{Attribution, ResourceKind, Role, WaitMode};
use diagnose::tokio;
use diagnose::tokio::sync::{Mutex, RwLock, Semaphore};
use diagnose_waits_tests::{is_alone, made_in, settle};

#[tokio::test]
async fn a_mutex_shows_its_holder_and_its_waiters_in_order() {
    let (mutex, made) = (Arc::new(Mutex::new(0)), line!());
    let (guard, held) = (mutex.lock().await, line!());
    let waits = line!() + 4;
    for _ in 0..2 {
        tokio::spawn({
            let mutex = Arc::clone(&mutex);
            async move { *mutex.lock().await += 1 }
        });
    }
    settle().await;
    let (resource, queue) = made_in!(made);
    assert_eq!(
        (resource.kind, resource.library.as_str(), resource.is_fair),
        (ResourceKind::Mutex, "tokio", true)
    );
    assert_eq!((resource.capacity, resource.free), (Some(1), 0));
    assert_eq!((resource.usage.acquisitions, resource.usage.contended), (1, 2));
    let [holding] = resource.holdings.as_slice() else { panic!("{resource:#?}") };
    assert_eq!((holding.role, holding.units), (Role::Holds, 1));
    assert_eq!(holding.place.as_ref().unwrap().line, held);
    let places: Vec<_> = queue.iter().map(|wait| wait.place.as_ref().unwrap().line).collect();
    assert_eq!(places, [waits, waits]);
    let ahead: Vec<_> =
        queue.iter().map(|wait| (wait.mode, wait.ahead, wait.is_granted, wait.wakers > 0)).collect();
    assert_eq!(ahead, [(WaitMode::Lock, 0, false, true), (WaitMode::Lock, 1, false, true)]);
    assert_ne!(queue[0].task, queue[1].task);

    drop(guard);
    let (resource, queue) = made_in!(made);
    assert!(resource.holdings.is_empty());
    let granted: Vec<_> = queue.iter().map(|wait| wait.is_granted).collect();
    assert_eq!(granted, [true, false], "it was handed to the first, which has not run yet");

    settle().await;
    assert_eq!(*mutex.lock().await, 2);
    // A contended lock stays listed after its release.
    let (resource, queue) = made_in!(made);
    assert!(resource.holdings.is_empty() && queue.is_empty(), "{resource:#?} {queue:#?}");
}

#[tokio::test]
async fn a_writer_waits_for_all_readers_and_ahead_of_later_ones() {
    let (lock, made) = (Arc::new(RwLock::with_max_readers(0, 7)), line!());
    let guards = (lock.read().await, lock.read().await);
    tokio::spawn({
        let lock = Arc::clone(&lock);
        async move { *lock.write().await += 1 }
    });
    settle().await;
    tokio::spawn({
        let lock = Arc::clone(&lock);
        async move { drop(lock.read().await) }
    });
    settle().await;
    let (resource, queue) = made_in!(made);
    assert_eq!((resource.kind, resource.capacity, resource.free), (ResourceKind::RwLock, Some(7), 5));
    let units: Vec<_> = resource.holdings.iter().map(|holding| holding.units).collect();
    assert_eq!(units, [1, 1]);
    let waits: Vec<_> = queue.iter().map(|wait| (wait.mode, wait.units, wait.ahead)).collect();
    assert_eq!(waits, [(WaitMode::Write, 7, 0), (WaitMode::Read, 1, 1)]);
    drop(guards);
    settle().await;
    let writer = lock.write().await;
    let (resource, queue) = made_in!(made);
    assert_eq!((resource.holdings[0].units, resource.free, queue.len()), (7, 0, 0));
    drop(writer);
}

#[tokio::test]
async fn a_semaphore_shows_its_permits_and_the_units_that_a_wait_asks_for() {
    let (semaphore, made) = (Arc::new(Semaphore::new(4)), line!());
    let permits =
        (semaphore.acquire().await.unwrap(), semaphore.clone().acquire_many_owned(2).await.unwrap());
    tokio::spawn({
        let semaphore = Arc::clone(&semaphore);
        async move { drop(semaphore.acquire_many(3).await) }
    });
    settle().await;
    let (resource, queue) = made_in!(made);
    assert_eq!((resource.kind, resource.capacity, resource.free), (ResourceKind::Semaphore, Some(4), 1));
    assert_eq!((resource.is_refilled, resource.is_closed, resource.forgotten), (false, false, 0));
    let holdings: Vec<_> = resource.holdings.iter().map(|holding| (holding.role, holding.units)).collect();
    assert_eq!(holdings, [(Role::Holds, 1), (Role::Holds, 2)]);
    assert_eq!((queue.len(), queue[0].mode, queue[0].units), (1, WaitMode::Acquire, 3));
    drop(permits);
}

#[tokio::test]
async fn a_permit_that_borrows_is_with_the_task_that_took_it() {
    if !is_alone("locks_are_held_and_waited_for::a_permit_that_borrows_is_with_the_task_that_took_it") {
        return;
    }
    let (semaphore, made) = (Arc::new(Semaphore::new(2)), line!());
    let shared = Arc::clone(&semaphore);
    let waits = async move {
        let permit = shared.acquire().await.unwrap();
        std::future::pending::<()>().await;
        drop(permit);
    };
    tokio::spawn(waits);
    settle().await;
    assert_eq!(made_in!(made).0.holdings[0].attribution, Attribution::Exact);
    let permit = semaphore.acquire().await.unwrap();
    let own = made_in!(made).0.holdings[1].attribution;
    assert_eq!(own, Attribution::Unmoved, "a poll may lend it to scoped threads");
    drop(permit);
}

#[tokio::test]
async fn a_closed_semaphore_is_shown_as_closed() {
    let (semaphore, made) = (Semaphore::new(1), line!());
    let permit = semaphore.acquire().await.unwrap();
    semaphore.close();
    assert!(made_in!(made).0.is_closed);
    drop(permit);
}
