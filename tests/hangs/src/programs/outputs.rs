//! Guards in the outputs of tasks, and the tasks that get these.

use std::sync::Arc;
use std::thread;

use diagnose::diagnose;

use super::ms;
use crate::drop_in::tokio;
use crate::row::{Section, likely, proven, row, suspect};
use tokio::sync::{Mutex, MutexGuard, OwnedMutexGuard};
use tokio::task::{JoinSet, spawn_blocking};

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("outputs.rs"),
    rows: &[
        row!("X128", output_kept, "a task joins another one, keeps the guard in its output, and locks again")
            .is(likely("self_wait"))
            .or(proven("self_wait"))
            .in_noise(suspect("self_wait")),
        row!("X129", output_of_a_set_kept, "the same with a JoinSet and an owned guard")
            .is(likely("self_wait"))
            .or(proven("self_wait"))
            .in_noise(suspect("self_wait")),
        row!("X130", output_of_a_job_kept, "the same with blocking work")
            .is(likely("self_wait"))
            .or(proven("self_wait"))
            .in_noise(suspect("self_wait")),
        row!("Y182", output_handed_on, "a task hands the guard in an output to a thread"),
        row!("Y183", output_of_a_set_handed_on, "the same with a JoinSet"),
        row!("Y184", output_of_a_job_handed_on, "the same with blocking work"),
        row!("Y185", output_not_taken, "a handle is dropped later, with the guard in the output"),
    ],
};

/// How long each program looks stuck, in ms.
const LONG: u64 = 1_500;

type Guard = MutexGuard<'static, u32>;

static LOCK: Mutex<u32> = Mutex::const_new(0);

/// Returns the guard in its output.
#[diagnose]
async fn takes() -> Guard {
    LOCK.lock().await
}

fn drop_late(it: impl Send + 'static) {
    thread::spawn(move || {
        thread::sleep(ms(LONG));
        drop(it);
    });
}

async fn output_kept() {
    #[diagnose]
    async fn takes() -> Guard {
        LOCK.lock().await // holds
        // The output has the guard.
    }
    #[diagnose]
    async fn joins() {
        let guard = tokio::spawn(takes()).await.unwrap();
        *LOCK.lock().await += *guard; // waits
    }
    tokio::spawn(joins()).await.unwrap();
}

async fn output_of_a_set_kept() {
    #[diagnose]
    async fn takes(lock: Arc<Mutex<u32>>) -> OwnedMutexGuard<u32> {
        lock.lock_owned().await // holds
    }
    #[diagnose]
    async fn joins() {
        let (lock, mut set) = (Arc::new(Mutex::new(0)), JoinSet::new());
        set.spawn(takes(Arc::clone(&lock)));
        let guard = set.join_next().await.unwrap().unwrap();
        *lock.lock().await += *guard; // waits
    }
    tokio::spawn(joins()).await.unwrap();
}

async fn output_of_a_job_kept() {
    #[diagnose]
    async fn joins() {
        let guard = spawn_blocking(|| LOCK.blocking_lock()).await.unwrap(); // holds
        *LOCK.lock().await += *guard; // waits
    }
    tokio::spawn(joins()).await.unwrap();
}

async fn output_handed_on() {
    #[diagnose]
    async fn joins() {
        drop_late(tokio::spawn(takes()).await.unwrap());
        *LOCK.lock().await += 1;
    }
    tokio::spawn(joins()).await.unwrap();
}

async fn output_of_a_set_handed_on() {
    #[diagnose]
    async fn joins() {
        let mut set = JoinSet::new();
        set.spawn(takes());
        drop_late(set.join_next().await.unwrap().unwrap());
        *LOCK.lock().await += 1;
    }
    tokio::spawn(joins()).await.unwrap();
}

async fn output_of_a_job_handed_on() {
    #[diagnose]
    async fn joins() {
        drop_late(spawn_blocking(|| LOCK.blocking_lock()).await.unwrap());
        *LOCK.lock().await += 1;
    }
    tokio::spawn(joins()).await.unwrap();
}

async fn output_not_taken() {
    drop_late(tokio::spawn(takes()));
    tokio::task::yield_now().await;
    *LOCK.lock().await += 1;
}
