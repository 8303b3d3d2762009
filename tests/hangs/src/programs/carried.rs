//! Programs that look stuck and go on: a static or a box that is not on record has carried the way
//! out to another task.

use std::collections::HashMap;
use std::mem;
use std::ops::Mul;
use std::sync::{Arc, Mutex as StdMutex, OnceLock};
use std::thread;

use diagnose::{FutureExt as _, diagnose};
use futures::FutureExt as _;
use futures::future::{BoxFuture, poll_immediate};

use super::ms;
use crate::drop_in::tokio;
use crate::row::{Section, likely, row};
use tokio::runtime::Handle;
use tokio::sync::{Mutex, MutexGuard, OwnedMutexGuard, Semaphore, broadcast, oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::sleep;

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("carried.rs"),
    rows: &[
        row!(
            "Y105",
            handles_in_a_static,
            "deadlocked tasks, whose join handles an unrelated task has in a static"
        )
        .seems(likely("cycle")),
        row!("Y106", tried_in_a_box, "a guard of try_lock in a box without annotation, which moves")
            .seems(likely("self_wait")),
        row!("Y107", permit_forgotten_by_a_task, "mem::forget of a permit, and another task adds one"),
        row!("Y108", replies_of_an_unrelated_task, "a map of requests, shared with a task of a thread"),
        row!(
            "Y109",
            guard_in_a_queue_of_drops,
            "an owned guard in a static, which a task of a thread empties"
        ),
        row!(
            "Y110",
            events_of_an_unrelated_task,
            "a broadcast in a static, and a task of a thread that sends"
        ),
        row!("Y229", guard_by_an_operator, "an operator of the program's own takes the guard"),
    ],
};

/// How long each program looks stuck, in ms.
const LONG: u64 = 1_500;

/// The reaper shares no ancestor with the tasks that it aborts.
async fn handles_in_a_static() {
    #[diagnose]
    async fn transfer(from: Arc<Mutex<u32>>, to: Arc<Mutex<u32>>) {
        let _from = from.lock().await;
        sleep(ms(20)).await;
        let _to = to.lock().await;
    }
    static SESSIONS: StdMutex<Vec<JoinHandle<()>>> = StdMutex::new(Vec::new());
    let reaps = async {
        sleep(ms(LONG)).await;
        SESSIONS.lock().unwrap().drain(..).for_each(|session| session.abort());
    };
    let runtime = Handle::current();
    thread::spawn(move || runtime.spawn(reaps.diagnose("reaps"))).join().unwrap();
    let (a, b) = (Arc::new(Mutex::new(1)), Arc::new(Mutex::new(2)));
    let one = tokio::spawn(transfer(Arc::clone(&a), Arc::clone(&b)));
    let other = tokio::spawn(transfer(b, Arc::clone(&a)));
    SESSIONS.lock().unwrap().extend([one, other]);
    sleep(ms(10)).await;
    drop(a.lock().await);
}

async fn tried_in_a_box() {
    static LEFT: StdMutex<Option<BoxFuture<'static, ()>>> = StdMutex::new(None);
    let worker = async {
        sleep(ms(LONG)).await;
        let first = LEFT.lock().unwrap().take().unwrap();
        first.await;
    };
    tokio::spawn(worker.diagnose("worker"));
    let lock = Arc::new(Mutex::new(()));
    let theirs = Arc::clone(&lock);
    let first = async move {
        let _guard = theirs.try_lock().unwrap();
        sleep(ms(LONG)).await;
    };
    let mut first = first.boxed();
    assert!(poll_immediate(&mut first).await.is_none());
    *LEFT.lock().unwrap() = Some(first);
    drop(lock.lock().await);
}

/// No record says that the permit is given up, as `forget()` would.
async fn permit_forgotten_by_a_task() {
    let tokens = Arc::new(Semaphore::new(1));
    let refilled = Arc::clone(&tokens);
    let refills = async move {
        sleep(ms(LONG)).await;
        refilled.add_permits(1);
    };
    tokio::spawn(refills.diagnose("refills"));
    let spent = Arc::clone(&tokens);
    let spends = async move { mem::forget(spent.acquire().await.unwrap()) };
    tokio::spawn(spends.diagnose("spends")).await.unwrap();
    drop(tokens.acquire().await.unwrap());
}

/// The root shares its map with a task that a thread has spawned.
async fn replies_of_an_unrelated_task() {
    type Replies = Arc<StdMutex<HashMap<u32, oneshot::Sender<u32>>>>;
    let replies: Replies = Arc::default();
    let theirs = Arc::clone(&replies);
    let reads = async move {
        sleep(ms(LONG)).await;
        theirs.lock().unwrap().remove(&7).unwrap().send(1).unwrap();
    };
    let runtime = Handle::current();
    thread::spawn(move || runtime.spawn(reads.diagnose("reads"))).join().unwrap();
    let (reply, replied) = oneshot::channel();
    replies.lock().unwrap().insert(7, reply);
    replied.await.unwrap();
}

/// What is dropped goes to a task that drops it later.
async fn guard_in_a_queue_of_drops() {
    static TRASH: StdMutex<Vec<OwnedMutexGuard<u32>>> = StdMutex::new(Vec::new());
    struct Session(Option<OwnedMutexGuard<u32>>);
    impl Drop for Session {
        fn drop(&mut self) {
            TRASH.lock().unwrap().extend(self.0.take());
        }
    }
    let empties = async {
        sleep(ms(LONG)).await;
        TRASH.lock().unwrap().clear();
    };
    let runtime = Handle::current();
    thread::spawn(move || runtime.spawn(empties.diagnose("empties"))).join().unwrap();
    let table = Arc::new(Mutex::new(0));
    drop(Session(Some(Arc::clone(&table).lock_owned().await)));
    drop(table.lock().await);
}

async fn events_of_an_unrelated_task() {
    static EVENTS: OnceLock<broadcast::Sender<u32>> = OnceLock::new();
    let mut events = EVENTS.get_or_init(|| broadcast::channel(2).0).subscribe();
    let (changed, mut changes) = watch::channel(0);
    let forwards = async move {
        while events.recv().await.is_ok() {
            changed.send_modify(|count| *count += 1);
        }
    };
    tokio::spawn(forwards.diagnose("forwards"));
    let runtime = Handle::current();
    let publishes = async {
        sleep(ms(LONG)).await;
        EVENTS.get().unwrap().send(1).unwrap();
    };
    thread::spawn(move || runtime.spawn(publishes.diagnose("publishes"))).join().unwrap();
    changes.changed().await.unwrap();
}

static PARKED: StdMutex<Vec<MutexGuard<'static, u32>>> = StdMutex::new(Vec::new());

/// Keeps what it is multiplied with.
struct Lot;

impl Mul<MutexGuard<'static, u32>> for Lot {
    type Output = ();

    fn mul(self, parked: MutexGuard<'static, u32>) {
        PARKED.lock().unwrap().push(parked);
    }
}

async fn guard_by_an_operator() {
    #[diagnose]
    async fn parks(table: &'static Mutex<u32>) {
        let guard = table.lock().await;
        Lot * guard;
        drop(table.lock().await);
    }
    thread::spawn(|| {
        thread::sleep(ms(LONG));
        PARKED.lock().unwrap().clear();
    });
    parks(Box::leak(Box::new(Mutex::new(0)))).await;
}
