//! A `Notify` records its waiters, the tasks that waited or notified, and the last notification.

use std::pin::pin;
use std::sync::Arc;
use std::thread;

use diagnose::model::{ResourceKind, Role, WaitMode};
use diagnose::tokio;
use diagnose::tokio::sync::Notify;
use diagnose_waits_tests::{made_in, poll, settle};

#[tokio::test]
async fn the_last_notification_is_recorded() {
    let (notify, made) = (Arc::new(Notify::new()), line!());
    let waits = line!() + 3;
    tokio::spawn({
        let notify = Arc::clone(&notify);
        async move { notify.notified().await }
    });
    settle().await;
    let (resource, queue) = made_in!(made);
    assert_eq!((resource.kind, &resource.last_notified), (ResourceKind::Notify, &None));
    assert_eq!(
        (queue.len(), queue[0].mode, queue[0].place.as_ref().unwrap().line),
        (1, WaitMode::Notified, waits)
    );
    assert_eq!((resource.holdings.len(), resource.holdings[0].role), (1, Role::Uses));
    let tells = line!() + 1;
    notify.notify_waiters();
    let told = made_in!(made).0.last_notified.clone().unwrap();
    assert_eq!((told.waiters, told.is_broadcast, told.place.unwrap().line), (1, true, tells));
    assert_eq!(made_in!(made).0.holdings.len(), 2);
    settle().await;
    notify.notify_one();
    let (resource, queue) = made_in!(made);
    let told = resource.last_notified.clone().unwrap();
    assert_eq!((told.waiters, told.is_broadcast, queue.len()), (0, false, 0));
}

#[tokio::test]
async fn an_owned_notified_future_is_in_the_queue() {
    let (notify, made) = (Arc::new(Notify::new()), line!());
    let mut waits = pin!(notify.notified_owned());
    assert!(poll(waits.as_mut()).is_pending());
    assert_eq!(made_in!(made).1.len(), 1);
}

/// Past a bound, the possible notifiers are unknown, and the record says so.
#[tokio::test]
async fn notifiers_past_the_bound_are_unknown() {
    let (notify, made) = (Arc::new(Notify::new()), line!());
    for _ in 0..30 {
        let notify = Arc::clone(&notify);
        tokio::spawn(async move { notify.notify_one() }).await.unwrap();
    }
    let (resource, _) = made_in!(made);
    assert_eq!(resource.holdings.len(), 17);
    assert_eq!(
        resource
            .holdings
            .iter()
            .filter(|holding| holding.task.is_none() && holding.thread_id.is_none())
            .count(),
        1
    );
}

#[test]
fn a_thread_outside_of_tasks_is_recorded_as_the_creator() {
    let (notify, made) = (Notify::new(), line!());
    let mut waits = pin!(notify.notified());
    assert!(poll(waits.as_mut()).is_pending());
    let (resource, _) = made_in!(made);
    assert!(resource.created_by.is_none() && resource.created_on.is_some());
    let user = &resource.holdings[0];
    assert_eq!((user.role, user.thread_id), (Role::Uses, resource.created_on));
}

#[test]
fn a_thread_that_only_notifies_is_recorded() {
    let (notify, made) = (Notify::new(), line!());
    thread::scope(|threads| {
        threads.spawn(|| notify.notify_one()).join().unwrap();
    });
    let users = &made_in!(made).0.holdings;
    assert_eq!((users.len(), users[0].role), (1, Role::Uses));
}
