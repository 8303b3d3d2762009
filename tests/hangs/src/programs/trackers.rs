//! Shutdowns that wait for tracked tasks, and handles that abort their task when they are dropped.

use std::sync::Arc;
use std::thread;

use diagnose::diagnose;

use super::ms;
use crate::drop_in::{tokio, tokio_util};
use crate::row::{Section, likely, proven, row, suspect};
use tokio::sync::{Mutex, oneshot};
use tokio::task::LocalSet;
use tokio::time::sleep;
use tokio_util::task::{AbortOnDropHandle, TaskTracker};

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("trackers.rs"),
    rows: &[
        row!("X108", lock_over_a_drain, "main keeps a lock while it waits for tracked tasks that want it")
            .is(proven("cycle")),
        row!("X109", message_after_the_drain, "a tracked task waits for what main sends after the drain")
            .is(likely("cycle"))
            .in_noise(suspect("cycle")),
        row!("X110", aborts_once_it_is_done, "the holder of a lock awaits a task that wants it, to abort it")
            .is(proven("cycle"))
            .in_noise(likely("cycle")),
        row!("X111", lock_over_blocking_work, "main keeps a lock over a drain, and blocking work wants it")
            .is(proven("cycle")),
        row!("X112", never_closed, "main waits for tracked tasks, which end, and nothing closes the tracker")
            .is(likely("starved"))
            .in_noise(suspect("starved")),
        row!(
            "X117",
            tracked_on_a_local_set,
            "main waits for a tracked task of a LocalSet that it runs later"
        )
        .is(suspect("driver_starved").detail("undriven")),
        row!("Y162", drain_of_slow_tasks, "tracked tasks take a lock in turn, slowly, and the drain ends"),
        row!("Y163", closed_by_a_thread, "a thread closes the tracker that main waits for"),
        row!("Y164", token_in_a_thread, "a thread has the last token of a tracker, and drops it"),
        row!("Y165", aborted_by_an_older_task, "a task aborts a tracked one that waits for main's lock"),
        row!(
            "Y166",
            drain_closed_by_an_older_task,
            "a clone of the tracker moves to an older task, which closes it"
        ),
    ],
};

/// How long each program that ends looks stuck, in ms.
const LONG: u64 = 1_500;

#[diagnose]
async fn adds(table: Arc<Mutex<u32>>, for_ms: u64) {
    let mut sum = table.lock().await; // waits
    sleep(ms(for_ms)).await;
    *sum += 1;
}

async fn lock_over_a_drain() {
    let (table, tracker) = (Arc::new(Mutex::new(0)), TaskTracker::new());
    let sum = table.lock().await; // holds
    for _ in 0..3 {
        tracker.spawn(adds(Arc::clone(&table), 0)); // holds
    }
    tracker.close();
    tracker.wait().await; // waits
    drop(sum);
}

async fn message_after_the_drain() {
    #[diagnose]
    async fn reports(last: oneshot::Receiver<u32>) {
        last.await.unwrap(); // waits
    }
    let tracker = TaskTracker::new();
    let (stops, stopped) = oneshot::channel(); // holds
    tracker.spawn(reports(stopped)); // holds
    tracker.close();
    tracker.wait().await; // waits
    stops.send(1).unwrap();
}

async fn aborts_once_it_is_done() {
    let table = Arc::new(Mutex::new(0));
    let sum = table.lock().await; // holds
    let task = AbortOnDropHandle::new(tokio::spawn(adds(Arc::clone(&table), 0)));
    task.await.unwrap(); // waits
    drop(sum);
}

async fn lock_over_blocking_work() {
    let (table, tracker) = (Arc::new(Mutex::new(0)), TaskTracker::new());
    let sum = table.lock().await; // holds
    let theirs = Arc::clone(&table);
    tracker.spawn_blocking(move || *theirs.blocking_lock() += 1); // waits, holds
    tracker.close();
    tracker.wait().await; // waits
    drop(sum);
}

async fn never_closed() {
    let tracker = TaskTracker::new();
    for _ in 0..3 {
        tracker.spawn(sleep(ms(10)));
    }
    tracker.wait().await; // waits
}

#[diagnose]
async fn tracked_on_a_local_set() {
    let (tracker, set) = (TaskTracker::new(), LocalSet::new());
    tracker.spawn_local_on(sleep(ms(10)), &set);
    tracker.close();
    tracker.wait().await; // waits
    set.await;
}

async fn drain_of_slow_tasks() {
    #[diagnose]
    async fn drains() {
        let (table, tracker) = (Arc::new(Mutex::new(0)), TaskTracker::new());
        for _ in 0..3 {
            tracker.spawn(adds(Arc::clone(&table), LONG));
        }
        tracker.close();
        tracker.wait().await;
    }
    drains().await;
}

async fn closed_by_a_thread() {
    let tracker = TaskTracker::new();
    let theirs = tracker.clone();
    thread::spawn(move || {
        thread::sleep(ms(LONG));
        theirs.close();
    });
    tracker.spawn(sleep(ms(10)));
    tracker.wait().await;
}

async fn token_in_a_thread() {
    let tracker = TaskTracker::new();
    let token = tracker.token();
    thread::spawn(move || {
        thread::sleep(ms(LONG));
        drop(token);
    });
    tracker.close();
    tracker.wait().await;
}

async fn aborted_by_an_older_task() {
    let (table, tracker) = (Arc::new(Mutex::new(0)), TaskTracker::new());
    let (aborts, aborted) = oneshot::channel();
    ::tokio::spawn(async {
        let task: ::tokio::task::AbortHandle = aborted.await.unwrap();
        ::tokio::time::sleep(ms(LONG)).await;
        task.abort();
    });
    let sum = table.lock().await;
    let task = tracker.spawn(adds(Arc::clone(&table), 0));
    aborts.send(task.abort_handle().into()).unwrap();
    tracker.close();
    tracker.wait().await;
    drop((sum, task));
}

async fn drain_closed_by_an_older_task() {
    let (sends, received) = oneshot::channel::<TaskTracker>();
    tokio::spawn(async {
        let tracker = received.await.unwrap();
        sleep(ms(LONG)).await;
        tracker.close();
    });
    let tracker = TaskTracker::new();
    sends.send(tracker.clone()).unwrap();
    tracker.wait().await;
}
