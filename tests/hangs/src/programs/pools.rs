//! Semaphores, and what is made of them: those who have a part of what they need wait for the rest.

use std::sync::Arc;

use diagnose::FutureExt as _;

use super::ms;
use crate::drop_in::{async_lock, tokio};
use crate::row::{Section, likely, proven, row, suspect};
use tokio::sync::{Barrier, Mutex, Semaphore};
use tokio::task::JoinSet;
use tokio::time::sleep;

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("pools.rs"),
    rows: &[
        row!("C26", second_connection, "each holder of a pool's three permits wants a second")
            .is(proven("cycle").detail("knot"))
            .or(likely("cycle").detail("knot")),
        row!("C32", barrier_one_short, "two of three arrive at a barrier")
            .is(likely("starved"))
            .in_noise(suspect("starved")),
        // Its constructor is const, so nobody knows which tasks are older: one that goes on might
        // add permits.
        row!(
            "X12",
            second_connection_async_lock,
            "async-lock: each holder of a pool's three permits wants a second"
        )
        .is(proven("cycle").detail("knot"))
        .or(likely("cycle").detail("knot")),
        row!(
            "X13",
            partial_holding,
            "acquire_many has two of three permits and waits for the holder behind it"
        )
        .is(proven("cycle"))
        .or(likely("cycle").detail("via_queue")),
        row!("X14", nested_permit, "a helper acquires the only permit, which its caller has")
            .is(proven("self_wait"))
            .or(likely("self_wait"))
            .or(proven("cycle").detail("knot")),
        row!("X15", asks_for_too_many, "acquire_many asks for more permits than there ever were")
            .is(likely("starved"))
            .in_noise(suspect("starved")),
        row!(
            "X146",
            items_counted_under_a_lock,
            "a consumer has the lock of a list while it waits for a permit per item, and a producer locks first"
        )
        .is(likely("cycle"))
        .in_noise(suspect("cycle")),
    ],
};

async fn second_connection() {
    let pool = Arc::new(Semaphore::new(3));
    let mut tasks = JoinSet::new();
    for _ in 0..3 {
        let pool = Arc::clone(&pool);
        let request = async move {
            let _first = pool.acquire().await.unwrap(); // holds
            sleep(ms(150)).await;
            let _second = pool.acquire().await.unwrap(); // waits
        };
        tasks.spawn(request.diagnose("request"));
    }
    while tasks.join_next().await.is_some() {}
}

async fn barrier_one_short() {
    let barrier = Arc::new(Barrier::new(3));
    let other = Arc::clone(&barrier);
    let other = async move {
        other.wait().await; // waits
    };
    let other = tokio::spawn(other.diagnose("other"));
    barrier.wait().await; // waits
    other.await.unwrap();
}

async fn second_connection_async_lock() {
    let pool = Arc::new(async_lock::Semaphore::new(2));
    let mut tasks = JoinSet::new();
    for _ in 0..2 {
        let pool = Arc::clone(&pool);
        let request = async move {
            let _first = pool.acquire().await; // holds
            sleep(ms(150)).await;
            let _second = pool.acquire().await; // waits
        };
        tasks.spawn(request.diagnose("request"));
    }
    while tasks.join_next().await.is_some() {}
}

async fn partial_holding() {
    let memory = Arc::new(Semaphore::new(3));
    let first = memory.acquire().await.unwrap(); // holds
    let shared = Arc::clone(&memory);
    let all = async move {
        let _all = shared.acquire_many(3).await.unwrap(); // waits, holds
    };
    let all = tokio::spawn(all.diagnose("all"));
    sleep(ms(200)).await;
    let second = memory.acquire().await.unwrap(); // waits
    drop((first, second));
    all.await.unwrap();
}

async fn nested_permit() {
    async fn write(files: &Semaphore) {
        let _permit = files.acquire().await.unwrap(); // waits
    }
    let files = Semaphore::new(1);
    let permit = files.acquire().await.unwrap(); // holds
    write(&files).diagnose("write").await; // waits
    drop(permit);
}

async fn asks_for_too_many() {
    let memory = Semaphore::new(4);
    let _permits = memory.acquire_many(5).await.unwrap(); // waits
}

async fn items_counted_under_a_lock() {
    let (items, count) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Semaphore::new(0)));
    let (theirs, counted) = (Arc::clone(&items), Arc::clone(&count));
    let consumes = async move {
        let mut items = theirs.lock().await; // holds
        counted.acquire().await.unwrap().forget(); // waits
        items.pop()
    };
    let consumes = tokio::spawn(consumes.diagnose("consumes"));
    sleep(ms(150)).await;
    items.lock().await.push(1); // waits
    count.add_permits(1);
    consumes.await.unwrap();
}
