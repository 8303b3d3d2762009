//! Jobs on threads for blocking code that wait for what the task that awaits them has.

use std::sync::Arc;

use diagnose::diagnose;

use super::ms;
use crate::drop_in::tokio;
use crate::row::{Section, proven, row, suspect};
use tokio::runtime::Handle;
use tokio::sync::{Mutex, RwLock, Semaphore};
use tokio::task::spawn_blocking;
use tokio::time::sleep;

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("jobs.rs"),
    rows: &[
        row!("X105", job_of_the_owner, "a job blocks on a lock of the task that awaits the job")
            .is(proven("cycle")),
        row!("X106", nested_job_of_the_owner, "a job blocks on an async block that locks what its task has")
            .is(proven("cycle"))
            .in_noise(suspect("cycle")),
        row!("X107", job_wants_all_permits, "a job blocks on more permits than its task has left")
            .is(proven("cycle"))
            .in_noise(suspect("cycle")),
        row!("Y167", job_of_a_reader, "a job waits to write what a task reads over a long sleep, and ends"),
    ],
};

/// How long the program that ends looks stuck, in ms.
const LONG: u64 = 1_500;

#[diagnose]
async fn job_of_the_owner() {
    let cache = Arc::new(Mutex::new(0));
    let theirs = Arc::clone(&cache);
    let held = cache.lock().await; // holds
    let fills = spawn_blocking(move || *theirs.blocking_lock() += 1); // waits
    fills.await.unwrap(); // waits
    drop(held);
}

#[diagnose]
async fn nested_job_of_the_owner() {
    let cache = Arc::new(Mutex::new(0));
    let theirs = Arc::clone(&cache);
    let runtime = Handle::current();
    let held = cache.lock_owned().await; // holds
    let fills = spawn_blocking(move || {
        runtime.block_on(async move {
            *theirs.lock().await += 1; // waits
        });
    });
    fills.await.unwrap(); // waits
    drop(held);
}

#[diagnose]
async fn job_wants_all_permits() {
    let slots = Arc::new(Semaphore::new(2));
    let theirs = Arc::clone(&slots);
    let runtime = Handle::current();
    let held = slots.acquire_owned().await.unwrap(); // holds
    let fills = spawn_blocking(move || {
        runtime.block_on(async move {
            drop(theirs.acquire_many(2).await.unwrap()); // waits
        });
    });
    fills.await.unwrap(); // waits
    drop(held);
}

#[diagnose]
async fn job_of_a_reader() {
    let table = Arc::new(RwLock::new(0));
    let theirs = Arc::clone(&table);
    let read = table.read_owned().await;
    let writes = spawn_blocking(move || *theirs.blocking_write() += 1);
    sleep(ms(LONG)).await;
    drop(read);
    writes.await.unwrap();
}
