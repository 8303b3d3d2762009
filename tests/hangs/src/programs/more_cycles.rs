//! Cycles over more than two, through a helper, and between the arms of one task.

use std::sync::Arc;

use diagnose::{FutureExt as _, diagnose};

use super::ms;
use crate::drop_in::{tokio, tokio_util};
use crate::row::{Section, likely, proven, row};
use tokio::sync::{Mutex, OnceCell, RwLock};
use tokio::task::JoinSet;
use tokio::time::sleep;
use tokio_util::task::TaskTracker;

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("more_cycles.rs"),
    rows: &[
        row!("X06", three_locks, "three tasks around three locks").is(proven("cycle")).or(likely("cycle")),
        row!("X07", lock_and_join, "a task awaits a helper that needs the lock the task has")
            .is(proven("cycle")),
        row!("X08", lock_and_join_set, "a task awaits a JoinSet of helpers that need the lock the task has")
            .is(proven("cycle"))
            .or(likely("cycle")),
        row!("X09", write_and_read, "two tasks write one RwLock each and read the other")
            .is(proven("cycle"))
            .or(likely("cycle")),
        row!("X10", two_arms, "two arms of one join! lock in opposite order")
            .is(proven("cycle"))
            .or(proven("self_wait")),
        row!("X11", cell_and_lock, "an initializer waits for a lock whose holder waits for the cell")
            .is(proven("cycle"))
            .or(likely("cycle")),
        row!("X115", cells_of_a_state, "two parts of a shared state initialize each other")
            .is(proven("cycle")),
        row!(
            "X116",
            locks_under_one_join,
            "a join! of two handles, whose tasks lock two mutexes in opposite order"
        )
        .is(proven("cycle"))
        .or(likely("cycle"))
        .in_noise(likely("cycle")),
    ],
};

async fn three_locks() {
    let locks: Vec<_> = (0..3).map(|_| Arc::new(Mutex::new(()))).collect();
    let mut tasks = JoinSet::new();
    for number in 0..3 {
        let (own, next) = (Arc::clone(&locks[number]), Arc::clone(&locks[(number + 1) % 3]));
        let philosopher = async move {
            let _left = own.lock().await; // holds
            sleep(ms(150)).await;
            let _right = next.lock().await; // waits
        };
        tasks.spawn(philosopher.diagnose("philosopher"));
    }
    while tasks.join_next().await.is_some() {}
}

#[diagnose]
async fn lock_and_join() {
    let total = Arc::new(Mutex::new(0));
    let guard = total.lock().await; // holds
    let counted = Arc::clone(&total);
    let helper = tokio::spawn(async move {
        *counted.lock().await += 1; // waits
    });
    helper.await.unwrap(); // waits
    drop(guard);
}

#[diagnose]
async fn lock_and_join_set() {
    let total = Arc::new(Mutex::new(0));
    let mut helpers = JoinSet::new();
    let guard = total.lock().await; // holds
    for _ in 0..4 {
        let total = Arc::clone(&total);
        helpers.spawn(async move {
            *total.lock().await += 1; // waits
        });
    }
    while helpers.join_next().await.is_some() {} // waits
    drop(guard);
}

async fn write_and_read() {
    let (a, b) = (Arc::new(RwLock::new(1)), Arc::new(RwLock::new(2)));
    let (a_of_two, b_of_two) = (Arc::clone(&a), Arc::clone(&b));
    let one = async move {
        let mut a = a.write().await; // holds
        sleep(ms(150)).await;
        *a += *b.read().await; // waits
    };
    let two = async move {
        let mut b = b_of_two.write().await; // holds
        sleep(ms(150)).await;
        *b += *a_of_two.read().await; // waits
    };
    let one = tokio::spawn(one.diagnose("one"));
    let two = tokio::spawn(two.diagnose("two"));
    one.await.unwrap();
    two.await.unwrap();
}

async fn two_arms() {
    let (a, b) = (Mutex::new(()), Mutex::new(()));
    let one = async {
        let _a = a.lock().await; // holds
        sleep(ms(20)).await;
        let _b = b.lock().await; // waits
    };
    let other = async {
        let _b = b.lock().await; // holds
        sleep(ms(20)).await;
        let _a = a.lock().await; // waits
    };
    tokio::join!(one.diagnose("one"), other.diagnose("other"));
}

async fn cell_and_lock() {
    let state = Arc::new((OnceCell::new(), Mutex::new(7)));
    let shared = Arc::clone(&state);
    let initializes = async move {
        let (cell, seed) = &*shared;
        let initialize = || async {
            sleep(ms(150)).await;
            *seed.lock().await // waits
        };
        *cell.get_or_init(initialize).await // holds
    };
    let initializes = tokio::spawn(initializes.diagnose("initializes"));
    let (cell, seed) = &*state;
    let mut guard = seed.lock().await; // holds
    sleep(ms(250)).await;
    *guard += *cell.get_or_init(|| async { 1 }).await; // waits
    drop(guard);
    initializes.await.unwrap();
}

async fn cells_of_a_state() {
    #[derive(Default)]
    struct State {
        routes: OnceCell<u32>,
        backends: OnceCell<u32>,
    }

    #[diagnose]
    impl State {
        async fn routes(self: Arc<Self>) -> u32 {
            let routes = || async {
                sleep(ms(20)).await;
                *self.backends.get_or_init(|| async { 1 }).await // waits
            };
            *self.routes.get_or_init(routes).await // holds
        }

        async fn backends(self: Arc<Self>) -> u32 {
            let backends = || async {
                sleep(ms(20)).await;
                *self.routes.get_or_init(|| async { 1 }).await // waits
            };
            *self.backends.get_or_init(backends).await // holds
        }
    }

    let state = Arc::<State>::default();
    let tasks = TaskTracker::new();
    tasks.spawn(Arc::clone(&state).routes());
    tasks.spawn(state.backends());
    tasks.close();
    tasks.wait().await;
}

/// No function here is annotated but `transfer`.
async fn locks_under_one_join() {
    #[diagnose]
    async fn transfer(from: Arc<Mutex<u32>>, to: Arc<Mutex<u32>>) {
        let _from = from.lock().await; // holds
        sleep(ms(20)).await;
        let _to = to.lock().await; // waits
    }
    let (left, right) = (Arc::<Mutex<u32>>::default(), Arc::<Mutex<u32>>::default());
    let there = tokio::spawn(transfer(Arc::clone(&left), Arc::clone(&right)));
    let back = tokio::spawn(transfer(right, left));
    let (there, back) = ::tokio::join!(there, back);
    there.and(back).unwrap();
}
