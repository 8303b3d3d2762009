//! A wait that a timeout ends is time that its call has waited, and no wait for an acquisition.

use std::future::{Future as _, poll_fn};
use std::sync::Arc;
use std::task::Poll;
use std::thread;
use std::time::Duration;

use diagnose::diagnose;
use diagnose::tokio;
use diagnose::tokio::sync::Mutex;
use diagnose::tokio::time::timeout;
use diagnose_waits_tests::{is_alone, made_in};

const LIMIT: Duration = Duration::from_millis(20);

#[diagnose]
async fn waits(mutex: &Mutex<u32>) {
    *mutex.lock().await += 1;
}

#[tokio::test]
async fn a_lock_is_given_up() {
    if !is_alone("given_up_waits_count_as_time_of_their_call::a_lock_is_given_up") {
        return;
    }
    let (mutex, made) = (Arc::new(Mutex::new(0)), line!());
    let guard = mutex.lock().await;
    // A resource's first wait has no place.
    for _ in 0..5 {
        assert!(timeout(LIMIT, waits(&mutex)).await.is_err(), "the lock is held");
    }
    drop(guard);
    let snapshot = diagnose::snapshot();
    let id = made_in!(made).0.id;
    let usage = &snapshot.resource(id).expect("it is on record").usage;
    assert_eq!((usage.acquisitions, usage.contended, usage.waited), (1, 5, 0), "{usage:#?}");
    assert_eq!((usage.wait.max_ns, usage.waited_ns), (0, 0), "{usage:#?}");
    let [row] = &usage.waiters[..] else { panic!("one call: {usage:#?}") };
    let limit_ns = u64::try_from(LIMIT.as_nanos()).unwrap();
    assert_eq!(row.count, 4, "{row:#?}");
    assert!(row.total_ns >= limit_ns * 4 && row.longest_ns >= limit_ns, "{row:#?}");
    let node = &snapshot.nodes[row.node.expect("it is recorded code").get()];
    assert_eq!(snapshot.site(node.site).map(|site| &*site.name), Some("mutex.lock().await"));
}

#[tokio::test]
async fn a_future_that_another_thread_drops_within_its_first_poll_has_not_waited() {
    let (mutex, made) = (Arc::new(Mutex::new(0)), line!());
    let guard = mutex.lock().await;
    // A resource's first wait has no place.
    assert!(timeout(LIMIT, waits(&mutex)).await.is_err(), "the lock is held");
    let wanted = Arc::clone(&mutex);
    tokio::spawn(poll_fn(move |context| {
        let mut first = Box::pin(Arc::clone(&wanted).lock_owned());
        assert!(first.as_mut().poll(context).is_pending());
        thread::spawn(move || drop(first)).join().unwrap();
        Poll::Ready(())
    }))
    .await
    .unwrap();
    let (resource, _) = made_in!(made);
    let usage = &resource.usage;
    let limit_ns = u64::try_from(LIMIT.as_nanos()).unwrap();
    assert!(usage.waiters.iter().all(|row| row.longest_ns < 1_000 * limit_ns), "{usage:#?}");
    assert_eq!(usage.contended, 2, "{usage:#?}");
    drop(guard);
}
