//! What calls waited for is on record after its end, by place of creation.

use std::sync::Arc;

use diagnose::model::{PastResources, ResourceKind};
use diagnose::tokio;
use diagnose::tokio::sync::{Mutex, oneshot};
use diagnose_waits_tests::{is_alone, made_in, settle};

/// Three tasks wait for the lock in turn.
async fn contend(mutex: &Arc<Mutex<u32>>) {
    let guard = mutex.lock().await;
    for _ in 0..3 {
        let mutex = Arc::clone(mutex);
        tokio::spawn(async move { *mutex.lock().await += 1 });
    }
    settle().await;
    drop(guard);
    settle().await;
}

fn past_of(line: u32) -> Vec<PastResources> {
    let past = diagnose::snapshot().past_resources;
    let is_its =
        |it: &PastResources| it.created.as_ref().is_some_and(|at| at.file == file!() && at.line == line);
    past.into_iter().filter(is_its).collect()
}

/// The number of resources, their acquisitions and waits, and the waits by call.
fn counts(past: &PastResources) -> [u64; 5] {
    let usage = &past.usage;
    let by_call = usage.waiters.iter().map(|row| row.count).sum();
    [past.count, usage.acquisitions, usage.contended, usage.waited, by_call]
}

#[tokio::test]
async fn locks_of_one_place_are_added_up() {
    if !is_alone("locks_that_are_gone_keep_their_usage::locks_of_one_place_are_added_up") {
        return;
    }
    let mut made = 0;
    let mut max_ns = 0;
    for _ in 0..3 {
        let (mutex, line) = (Arc::new(Mutex::new(0)), line!());
        contend(&mutex).await;
        made = line;
        max_ns = max_ns.max(made_in!(made).0.usage.wait.max_ns);
    }
    let past = past_of(made);
    let [past] = &past[..] else { panic!("one place: {past:#?}") };
    // The first wait of each lock has no place.
    assert_eq!(counts(past), [3, 12, 9, 9, 6], "{past:#?}");
    assert_eq!((past.kind, past.capacity), (ResourceKind::Mutex, Some(3)));
    assert_eq!(past.library, "tokio");
    // Equal ticks: each snapshot measures their frequency anew, within a few millionths.
    assert!(past.usage.wait.max_ns.abs_diff(max_ns) <= 1 + max_ns / 100_000, "{max_ns} {past:#?}");
    assert!((1..past.usage.waited_ns).contains(&past.most_waited_ns), "{past:#?}");
    assert!(past.usage.holders.iter().all(|row| row.place.file == file!()), "{past:#?}");
    // The capture sees none of them any more.
    assert!(diagnose_waits_tests::find(file!(), made).is_none());
}

#[tokio::test]
async fn what_nobody_waited_for_leaves_nothing_behind() {
    if !is_alone("locks_that_are_gone_keep_their_usage::what_nobody_waited_for_leaves_nothing_behind") {
        return;
    }
    for _ in 0..200 {
        drop(Mutex::new(0).lock().await);
        let (sender, receiver) = oneshot::channel();
        tokio::join!(receiver, async { sender.send(1) }).0.expect("it was sent");
    }
    let quiet = Mutex::new(0);
    for _ in 0..200 {
        *quiet.lock().await += 1;
    }
    drop(quiet);
    assert_eq!(diagnose::snapshot().past_resources, []);
}

/// As in a forked child, whose parent may have held the table at the fork.
#[tokio::test]
async fn a_drop_while_recording_is_off_does_not_touch_the_table() {
    if !is_alone(
        "locks_that_are_gone_keep_their_usage::a_drop_while_recording_is_off_does_not_touch_the_table",
    ) {
        return;
    }
    let mutex = Arc::new(Mutex::new(0));
    contend(&mutex).await;
    diagnose::set_enabled(false);
    drop(mutex);
    diagnose::set_enabled(true);
    assert_eq!(diagnose::snapshot().past_resources, []);
}

#[tokio::test]
async fn a_reset_forgets_it_and_subtracts_what_was_before() {
    if !is_alone("locks_that_are_gone_keep_their_usage::a_reset_forgets_it_and_subtracts_what_was_before") {
        return;
    }
    contend(&Arc::new(Mutex::new(0))).await;
    let (mutex, made) = (Arc::new(Mutex::new(0)), line!());
    let (still, still_made) = (Arc::new(Mutex::new(0)), line!());
    contend(&mutex).await;
    contend(&still).await;
    assert_eq!(diagnose::snapshot().past_resources.len(), 1);

    diagnose::reset();
    assert_eq!(diagnose::snapshot().past_resources, []);
    contend(&mutex).await;
    drop((mutex, still));
    assert_eq!(counts(&past_of(made)[0]), [1, 4, 3, 3, 3]);
    assert_eq!(past_of(still_made), []);
}

#[tokio::test]
async fn names_past_the_bound_count_with_those_without() {
    if !is_alone("locks_that_are_gone_keep_their_usage::names_past_the_bound_count_with_those_without") {
        return;
    }
    for number in 0..300 {
        let resource = diagnose::Resource::new(&format!("shard {number}"), 1);
        for _ in 0..3 {
            diagnose::wait("shard", &resource, tokio::task::yield_now()).await;
        }
    }
    let past = diagnose::snapshot().past_resources;
    let unnamed = past.iter().find(|it| it.name.is_none()).expect("those past the bound");
    assert_eq!((past.len(), unnamed.count), (17, 284));
}
