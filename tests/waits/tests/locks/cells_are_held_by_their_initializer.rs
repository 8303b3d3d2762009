//! One task initializes and holds the cell; if it is canceled, the next waiter does.

use std::pin::pin;
use std::sync::Arc;

use diagnose::model::{ResourceKind, Role, WaitMode};
use diagnose::tokio;
use diagnose::tokio::sync::{OnceCell, SetOnce, oneshot};
use diagnose_waits_tests::{made_in, poll, settle};

#[tokio::test]
async fn one_holds_and_others_wait() {
    let (cell, made) = (Arc::new(OnceCell::new()), line!());
    let (tells, told) = oneshot::channel::<u8>();
    let first = tokio::spawn({
        let cell = Arc::clone(&cell);
        async move { *cell.get_or_init(|| async { told.await.unwrap() }).await }
    });
    settle().await;
    let second = tokio::spawn({
        let cell = Arc::clone(&cell);
        async move { cell.get_or_try_init(|| async { Err::<u8, u8>(0) }).await.copied() }
    });
    settle().await;
    let (resource, queue) = made_in!(made);
    assert_eq!((resource.kind, resource.free), (ResourceKind::OnceCell, 0));
    assert_eq!((resource.holdings.len(), resource.holdings[0].role, queue.len()), (1, Role::Holds, 1));
    assert_eq!((queue[0].mode, queue[0].units), (WaitMode::Initialize, 1));
    assert_ne!(resource.holdings[0].task, queue[0].task);
    tells.send(7).unwrap();
    assert_eq!((first.await.unwrap(), second.await.unwrap()), (7, Ok(7)));
    assert!(diagnose_waits_tests::find(file!(), made).is_none());
}

#[tokio::test]
async fn the_next_waiter_initializes_after_a_cancellation() {
    let (cell, made) = (OnceCell::new(), line!());
    let mut first = Box::pin(cell.get_or_init(std::future::pending::<u8>));
    assert!(poll(first.as_mut()).is_pending());
    let (tells, told) = oneshot::channel::<u8>();
    let next = line!() + 1;
    let mut second = pin!(cell.get_or_init(|| async { told.await.unwrap() }));
    assert!(poll(second.as_mut()).is_pending());
    drop(first);
    assert!(poll(second.as_mut()).is_pending());
    let (resource, queue) = made_in!(made);
    assert_eq!((resource.holdings[0].place.as_ref().unwrap().line, queue.len()), (next, 0));
    tells.send(8).unwrap();
    assert_eq!(second.await, &8);
}

/// The initializing future gets the task's own waker, even if the task has waited before.
#[tokio::test]
async fn the_next_waiter_is_woken_by_a_cancellation() {
    let cell = Arc::new(OnceCell::new());
    let mut first = Box::pin(cell.get_or_init(std::future::pending::<u8>));
    assert!(poll(first.as_mut()).is_pending());
    let (tells, told) = oneshot::channel::<u8>();
    let second = tokio::spawn({
        let cell = Arc::clone(&cell);
        async move { *cell.get_or_init(|| async { told.await.unwrap() }).await }
    });
    settle().await;
    drop(first);
    settle().await;
    tells.send(9).unwrap();
    assert_eq!(second.await.unwrap(), 9);
}

#[tokio::test]
async fn a_set_once_has_no_holder_and_shows_its_waiters() {
    let (cell, made) = (SetOnce::new(), line!());
    let mut waits = pin!(cell.wait());
    assert!(poll(waits.as_mut()).is_pending());
    let (resource, queue) = made_in!(made);
    assert_eq!(
        (resource.kind, resource.holdings.len(), queue[0].mode),
        (ResourceKind::OnceCell, 0, WaitMode::Initialize)
    );
    cell.set(1).unwrap();
    assert_eq!(waits.await, &1);
}
