//! Threads that have left their runtime, unseen: others have taken their places.

use std::sync::Arc;
use std::thread;

use diagnose::{FutureExt as _, diagnose};

use super::ms;
use crate::drop_in::{futures, tokio};
use crate::row::{Section, likely, row};
use ::tokio::runtime::RuntimeFlavor;
use futures::executor;
use tokio::runtime::{Builder, Handle};
use tokio::sync::{Mutex, Notify};
use tokio::time::sleep;

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("replaced.rs"),
    rows: &[
        row!(
            "Y206",
            workers_replaced,
            "tokio's own block_in_place, and its workers' successors sleep in foreign code"
        )
        .seems(likely("blocked_worker"))
        .or(likely("driver_starved")),
        row!("Y207", replaced_in_block_on, "the same with a block_on inside")
            .seems(likely("blocked_worker"))
            .or(likely("driver_starved")),
        row!(
            "Y208",
            driven_by_another,
            "tokio's own block_on drives a runtime that another thread has driven before"
        )
        .seems(likely("blocked_worker"))
        .or(likely("driver_starved")),
    ],
};

const LONG: u64 = 2_500;

type Lock = Arc<Mutex<u64>>;

#[diagnose]
async fn hold(lock: Lock) {
    let mut rows = lock.lock().await;
    sleep(ms(200)).await;
    *rows += 1;
}

/// Calls `block` once per worker, in `block_in_place`. The threads that take the places of the
/// workers sleep in code that is not recorded.
async fn replace_workers(lock: Lock, block: fn(Lock)) {
    let handle = Handle::current();
    let holds = tokio::spawn(hold(lock.clone()));
    sleep(ms(50)).await;
    if handle.runtime_flavor() == RuntimeFlavor::CurrentThread {
        return holds.await.unwrap();
    }
    let one = |lock: Lock| async move {
        ::tokio::spawn(async { thread::sleep(ms(LONG)) });
        ::tokio::task::block_in_place(|| block(lock));
    };
    let all: Vec<_> = (0..handle.metrics().num_workers())
        .map(|_| tokio::spawn(one(lock.clone()).diagnose("one")))
        .collect();
    for task in all {
        task.await.unwrap();
    }
    holds.await.unwrap();
}

async fn workers_replaced() {
    replace_workers(Lock::default(), |lock| *lock.blocking_lock() += 1).await;
}

async fn replaced_in_block_on() {
    #[diagnose]
    async fn add(lock: Lock) {
        *lock.lock().await += 1;
    }
    replace_workers(Lock::default(), |lock| Handle::current().block_on(add(lock))).await;
}

async fn driven_by_another() {
    #[diagnose]
    async fn hold_until(lock: Lock, go: Arc<Notify>) {
        let mut rows = lock.lock().await;
        go.notified().await;
        *rows += 1;
    }
    #[diagnose]
    async fn add(lock: Lock) {
        *lock.blocking_lock() += 1;
    }
    let (lock, go) = (Lock::default(), Arc::new(Notify::new()));
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let holds = runtime.spawn(hold_until(lock.clone(), go.clone()));
    let runtime = Arc::new(runtime.into_inner());
    let drives_later = Arc::clone(&runtime);
    let blocks = thread::spawn(move || {
        runtime.block_on(async { ::tokio::time::sleep(ms(100)).await });
        executor::block_on(add(lock));
    });
    let drives = thread::spawn(move || {
        thread::sleep(ms(LONG));
        drives_later.block_on(async { ::tokio::time::sleep(ms(400)).await });
    });
    sleep(ms(200)).await;
    go.notify_one();
    for thread in [blocks, drives] {
        while !thread.is_finished() {
            sleep(ms(20)).await;
        }
    }
    holds.await.unwrap();
}
