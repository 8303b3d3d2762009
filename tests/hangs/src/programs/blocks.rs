//! Async blocks that are recorded by `diagnose::block!`, for code that has no function to annotate.
//! The macro does not see what such a block does with its guards.

use std::pin::pin;
use std::sync::Arc;

use diagnose::block;

use super::ms;
use crate::drop_in::tokio;
use crate::row::{Section, likely, proven, row};
use tokio::sync::Mutex;
use tokio::time::{sleep, timeout};

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("blocks.rs"),
    rows: &[
        row!("Y161", long_block, "blocks wait for one that holds a lock over a long sleep, and ends"),
        row!("X102", spawned_blocks, "two spawned blocks lock two mutexes in opposite order")
            .is(proven("cycle"))
            .in_noise(likely("cycle")),
        row!("X103", block_set_aside, "a block that timed out is granted the lock that its task waits for")
            .is(proven("futurelock").detail("granted")),
        row!("X104", blocks_of_a_join, "two blocks of one join! lock two mutexes in opposite order")
            .is(proven("self_wait")),
    ],
};

/// How long the program that ends looks stuck, in ms.
const LONG: u64 = 1_500;

async fn long_block() {
    let lock = Arc::new(Mutex::new(()));
    let works = |for_ms| {
        let lock = Arc::clone(&lock);
        tokio::spawn(block!("works", async move {
            let _guard = lock.lock().await;
            sleep(ms(for_ms)).await;
        }))
    };
    let tasks = [works(LONG), works(0), works(0)];
    for task in tasks {
        task.await.unwrap();
    }
}

async fn spawned_blocks() {
    let (left, right) = (Arc::new(Mutex::new(())), Arc::new(Mutex::new(())));
    let transfers = |first: &Arc<Mutex<()>>, second: &Arc<Mutex<()>>| {
        let (first, second) = (Arc::clone(first), Arc::clone(second));
        tokio::spawn(block!("transfers", async move {
            let _first = first.lock().await; // holds
            sleep(ms(20)).await;
            let _second = second.lock().await; // waits
        }))
    };
    let tasks = [transfers(&left, &right), transfers(&right, &left)];
    for task in tasks {
        task.await.unwrap();
    }
}

async fn block_set_aside() {
    let lock = Arc::new(Mutex::new(()));
    let holds = Arc::clone(&lock).lock_owned().await;
    let mut reads = pin!(block!("reads", async { drop(lock.lock().await) })); // holds
    timeout(ms(20), &mut reads).await.unwrap_err();
    drop(holds);
    drop(block!("writes", async { lock.lock().await }).await); // waits
    reads.await;
}

async fn blocks_of_a_join() {
    let (left, right) = (&Mutex::new(()), &Mutex::new(()));
    let transfers = |one, other| {
        block!("transfers", async move {
            let _one = Mutex::lock(one).await; // holds
            sleep(ms(20)).await;
            let _other = Mutex::lock(other).await; // waits
        })
    };
    tokio::join!(transfers(left, right), transfers(right, left));
}
