//! Handles that were polled by one task and are in the hands of another: behind a lock that both
//! use, or given away after a poll. And handles that their await owns.

use std::future::{Future as _, pending, poll_fn};
use std::pin::Pin;
use std::sync::{Arc, Mutex as StdMutex};

use diagnose::diagnose;
use futures::FutureExt as _;

use super::ms;
use crate::drop_in::tokio;
use crate::row::{Section, likely, proven, row};
use tokio::sync::Mutex;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{sleep, timeout};

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("handles.rs"),
    rows: &[
        row!(
            "Y130",
            set_behind_a_lock,
            "a server polls its JoinSet behind a lock, and shuts down by it after a while"
        ),
        row!(
            "Y131",
            handle_behind_a_lock,
            "a task polls a handle behind a lock, and an older one aborts by it"
        ),
        row!(
            "Y132",
            handle_polled_before_it_goes,
            "a handle awaited with a timeout, then left in a static for a reaper"
        )
        .seems(likely("self_wait")),
        row!(
            "Y133",
            handle_polled_by_a_keeper,
            "an annotated task polls a handle once, then leaves it in a static for a reaper"
        )
        .seems(likely("self_wait")),
        row!(
            "Y135",
            set_given_up_before_it_goes,
            "a join_next that timed out, and its set is left to a reaper"
        ),
        row!(
            "Y136",
            set_polled_by_another_waker,
            "a set that was polled once with another waker, then left to a reaper"
        ),
        row!("X97", awaited_by_value, "an annotated task awaits the handle of a task that waits for itself")
            .is(proven("self_wait")),
        row!("X98", joined_by_value, "an arm of a join! awaits the handle of a task that waits for itself")
            .is(proven("self_wait")),
        row!("X99", awaited_in_a_set, "a JoinSet awaits a task that waits for itself")
            .is(proven("self_wait")),
    ],
};

/// How long each program looks stuck, in ms.
const LONG: u64 = 1_500;

/// Waits for itself.
async fn locks_twice() {
    let lock = Mutex::new(());
    let _first = lock.lock().await;
    let _second = lock.lock().await;
}

struct Server {
    tasks: StdMutex<JoinSet<()>>,
}

#[diagnose]
impl Server {
    async fn run(self: Arc<Self>) {
        while poll_fn(|context| self.tasks.lock().unwrap().poll_join_next(context)).await.is_some() {}
    }

    async fn shut_down(self: Arc<Self>) {
        ::tokio::time::sleep(ms(LONG)).await;
        self.tasks.lock().unwrap().abort_all();
    }
}

async fn set_behind_a_lock() {
    let server = Arc::new(Server { tasks: StdMutex::new(JoinSet::new()) });
    tokio::spawn(Arc::clone(&server).shut_down());
    server.tasks.lock().unwrap().spawn(locks_twice());
    tokio::spawn(server.run()).await.unwrap();
}

async fn handle_behind_a_lock() {
    let slot: Arc<StdMutex<Option<JoinHandle<()>>>> = Arc::default();
    let aborts = Arc::clone(&slot);
    tokio::spawn(async move {
        ::tokio::time::sleep(ms(LONG)).await;
        aborts.lock().unwrap().as_ref().unwrap().abort();
    });
    *slot.lock().unwrap() = Some(tokio::spawn(locks_twice()));
    let polls = poll_fn(move |context| Pin::new(slot.lock().unwrap().as_mut().unwrap()).poll(context));
    tokio::spawn(polls).await.unwrap().unwrap_err();
}

/// Whom a reaper aborts after a while.
type Reaped = StdMutex<Vec<JoinHandle<()>>>;

/// Aborts what is in `reaped` by then, and returns once it is done.
async fn reap(reaped: &'static Reaped) {
    ::tokio::time::sleep(ms(LONG)).await;
    let handles = std::mem::take(&mut *reaped.lock().unwrap());
    for handle in handles {
        handle.abort();
        handle.await.unwrap_err();
    }
}

async fn handle_polled_before_it_goes() {
    static REAPED: Reaped = StdMutex::new(Vec::new());
    let reaper = tokio::spawn(reap(&REAPED));
    drop(tokio::spawn(async {
        let mut handle = tokio::spawn(locks_twice());
        timeout(ms(50), &mut handle).await.unwrap_err();
        REAPED.lock().unwrap().push(handle);
        pending::<()>().await;
    }));
    reaper.await.unwrap();
}

async fn handle_polled_by_a_keeper() {
    static REAPED: Reaped = StdMutex::new(Vec::new());
    #[diagnose]
    async fn keeper() {
        let mut handle = tokio::spawn(locks_twice());
        assert!(futures::poll!(&mut handle).is_pending());
        REAPED.lock().unwrap().push(handle);
        pending::<()>().await;
    }
    let reaper = tokio::spawn(reap(&REAPED));
    drop(tokio::spawn(keeper()));
    reaper.await.unwrap();
}

/// Aborts all in the sets that are in `reaped` after a while.
async fn reap_sets(reaped: &'static StdMutex<Vec<JoinSet<()>>>) {
    ::tokio::time::sleep(ms(LONG)).await;
    let sets = std::mem::take(&mut *reaped.lock().unwrap());
    for mut set in sets {
        set.shutdown().await;
    }
}

async fn set_given_up_before_it_goes() {
    static REAPED: StdMutex<Vec<JoinSet<()>>> = StdMutex::new(Vec::new());
    #[diagnose]
    async fn keeper() {
        let mut set = JoinSet::new();
        set.spawn(locks_twice());
        timeout(ms(50), set.join_next()).await.unwrap_err();
        REAPED.lock().unwrap().push(set);
        pending::<()>().await;
    }
    let reaper = tokio::spawn(reap_sets(&REAPED));
    drop(tokio::spawn(keeper()));
    reaper.await.unwrap();
}

async fn set_polled_by_another_waker() {
    static REAPED: StdMutex<Vec<JoinSet<()>>> = StdMutex::new(Vec::new());
    #[diagnose]
    async fn keeper() {
        let mut set = JoinSet::new();
        set.spawn(locks_twice());
        assert!(set.join_next().now_or_never().is_none());
        ::tokio::task::yield_now().await;
        REAPED.lock().unwrap().push(set);
        pending::<()>().await;
    }
    let reaper = tokio::spawn(reap_sets(&REAPED));
    drop(tokio::spawn(keeper()));
    reaper.await.unwrap();
}

#[diagnose]
async fn awaited_by_value() {
    #[diagnose]
    async fn twice(lock: Mutex<()>) {
        let _first = lock.lock().await; // holds, shown
        let _second = lock.lock().await; // waits, shown
    }
    tokio::spawn(twice(Mutex::new(()))).await.unwrap();
}

#[diagnose]
async fn joined_by_value() {
    #[diagnose]
    async fn twice(lock: Mutex<()>) {
        let _first = lock.lock().await; // holds, shown
        let _second = lock.lock().await; // waits, shown
    }
    let handle = tokio::spawn(twice(Mutex::new(())));
    let pause = sleep(ms(30));
    let _ = tokio::join!(handle, pause);
}

async fn awaited_in_a_set() {
    #[diagnose]
    async fn twice(lock: Mutex<()>) {
        let _first = lock.lock().await; // holds, shown
        let _second = lock.lock().await; // waits, shown
    }
    let mut set = JoinSet::new();
    set.spawn(twice(Mutex::new(())));
    while set.join_next().await.is_some() {}
}
