//! Programs that look stuck and go on: a task on record, which is older than what they wait for,
//! drops that after a while.

use std::any::Any;
use std::sync::{Arc, Mutex as StdMutex, OnceLock};

use diagnose::{FutureExt as _, diagnose};
use futures::FutureExt as _;

use super::ms;
use crate::drop_in::{async_lock, tokio, tokio_util};
use crate::row::{Section, likely, row};
use tokio::runtime::Builder;
use tokio::sync::{Mutex, MutexGuard, RwLock, Semaphore, mpsc};
use tokio::task::{JoinSet, LocalSet, spawn_blocking, spawn_local};
use tokio::time::sleep;
use tokio_util::task::AbortOnDropHandle;

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("released.rs"),
    rows: &[
        row!(
            "Y240",
            set_dropped_without_a_look,
            "two tasks of a JoinSet lock A and B in opposite order; main sleeps, and drops the set"
        ),
        row!(
            "Y241",
            aborted_by_a_drop,
            "two tasks lock A and B in opposite order, and an older one drops an AbortOnDropHandle"
        ),
        row!(
            "Y242",
            handed_to_a_closure,
            "`lock().map()` hands the guard to a closure, which leaves it to an older task"
        ),
        row!(
            "Y243",
            set_run_for_a_while,
            "two tasks of a LocalSet lock A and B in opposite order; a thread runs the set for a while"
        ),
        row!(
            "Y244",
            future_handed_on_in_one_poll,
            "a body polls a future of a writer once, hands it to an older task, and waits behind it"
        )
        .seems(likely("self_wait")),
        row!(
            "Y245",
            lock_of_async_lock_moved,
            "a lock of async-lock is used, moves into a static, and lends its guard to an older task"
        ),
        row!(
            "Y246",
            semaphore_moved,
            "a semaphore is used, moves into a static, and lends its permit to an older task"
        ),
        row!(
            "Y247",
            guard_sent_from_a_field,
            "a guard moves out of a struct, and in a message to an older task"
        ),
        row!(
            "Y248",
            switched_off_under_a_lock,
            "recording is turned off, and the owner of a lock goes on with it"
        ),
    ],
};

/// How long each program looks stuck, in ms.
const LONG: u64 = 1_500;

type Kept = Arc<StdMutex<Vec<Box<dyn Any + Send>>>>;

/// A list that a task empties after a while.
async fn emptied_later() -> Kept {
    let kept = Kept::default();
    let theirs = Arc::clone(&kept);
    let empties = async move {
        sleep(ms(LONG)).await;
        drop(std::mem::take(&mut *theirs.lock().unwrap()));
    };
    tokio::spawn(empties.diagnose("empties"));
    sleep(ms(20)).await;
    kept
}

#[diagnose]
async fn transfer(from: Arc<Mutex<u32>>, to: Arc<Mutex<u32>>) {
    let _from = from.lock().await;
    sleep(ms(20)).await;
    let _to = to.lock().await;
}

fn accounts() -> [Arc<Mutex<u32>>; 2] {
    [Arc::new(Mutex::new(1)), Arc::new(Mutex::new(2))]
}

async fn set_dropped_without_a_look() {
    let [a, b] = accounts();
    let mut set = JoinSet::new();
    set.spawn(transfer(Arc::clone(&a), Arc::clone(&b)));
    set.spawn(transfer(b, a));
    sleep(ms(LONG)).await;
    drop(set);
}

async fn aborted_by_a_drop() {
    let kept = emptied_later().await;
    let [a, b] = accounts();
    let one = tokio::spawn(transfer(Arc::clone(&a), Arc::clone(&b)));
    let other = tokio::spawn(transfer(b, a));
    kept.lock().unwrap().push(Box::new(AbortOnDropHandle::new(one)));
    other.await.unwrap();
}

#[diagnose]
async fn keeps(table: &'static Mutex<u32>, kept: Kept) {
    table.lock().map(|rows| kept.lock().unwrap().push(Box::new(rows))).await;
    *table.lock().await += 1;
}

async fn handed_to_a_closure() {
    let kept = emptied_later().await;
    keeps(Box::leak(Box::default()), kept).await;
}

async fn set_run_for_a_while() {
    let runs = || {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let set = LocalSet::new();
        set.block_on(&runtime, async {
            let [a, b] = accounts();
            spawn_local(transfer(Arc::clone(&a), Arc::clone(&b)));
            spawn_local(transfer(b, a));
            sleep(ms(LONG)).await;
        });
    };
    spawn_blocking(runs).await.unwrap();
}

async fn future_handed_on_in_one_poll() {
    #[diagnose]
    async fn body(table: &'static RwLock<u32>, kept: Kept) {
        let first = table.read().await;
        let mut write = table.write().boxed();
        assert!((&mut write).now_or_never().is_none());
        kept.lock().unwrap().push(Box::new(write));
        let again = table.read().await;
        drop((first, again));
    }
    let kept = emptied_later().await;
    tokio::spawn(body(Box::leak(Box::default()), kept)).await.unwrap();
}

async fn lock_of_async_lock_moved() {
    static TABLE: OnceLock<async_lock::Mutex<u32>> = OnceLock::new();
    #[diagnose]
    async fn body(kept: Kept) {
        let table = async_lock::Mutex::new(0);
        *table.lock().await += 1;
        let table = TABLE.get_or_init(|| table);
        let rows = table.lock().await;
        kept.lock().unwrap().push(Box::new(rows));
        *table.lock().await += 1;
    }
    let kept = emptied_later().await;
    tokio::spawn(body(kept)).await.unwrap();
}

async fn semaphore_moved() {
    static PERMITS: OnceLock<Semaphore> = OnceLock::new();
    #[diagnose]
    async fn body(kept: Kept) {
        let permits = Semaphore::new(1);
        drop(permits.acquire().await);
        let permits = PERMITS.get_or_init(|| permits);
        let permit = permits.acquire().await.unwrap();
        kept.lock().unwrap().push(Box::new(permit));
        drop(permits.acquire().await);
    }
    let kept = emptied_later().await;
    tokio::spawn(body(kept)).await.unwrap();
}

async fn guard_sent_from_a_field() {
    type Rows = MutexGuard<'static, u32>;
    struct Transaction {
        rows: Rows,
    }
    #[diagnose]
    async fn begins(table: &'static Mutex<u32>) -> Transaction {
        let rows = table.lock().await;
        Transaction { rows }
    }
    #[diagnose]
    async fn body(table: &'static Mutex<u32>, to: mpsc::Sender<Rows>) {
        let transaction = begins(table).await;
        let rows = transaction.rows;
        to.send(rows).await.unwrap();
        *table.lock().await += 1;
    }
    let (to, mut from) = mpsc::channel::<Rows>(1);
    let worker = async move {
        let rows = from.recv().await;
        sleep(ms(LONG)).await;
        drop(rows);
    };
    tokio::spawn(worker.diagnose("worker"));
    sleep(ms(20)).await;
    tokio::spawn(body(Box::leak(Box::default()), to)).await.unwrap();
}

async fn switched_off_under_a_lock() {
    #[diagnose]
    async fn owns(rows: Arc<Mutex<u32>>) {
        let mut rows = rows.lock().await;
        for _ in 0..LONG / 20 {
            sleep(ms(20)).await;
            *rows += 1;
        }
    }
    #[diagnose]
    async fn wants(rows: Arc<Mutex<u32>>) {
        *rows.lock().await += 1;
    }
    let rows = Arc::<Mutex<u32>>::default();
    let owner = tokio::spawn(owns(Arc::clone(&rows)));
    sleep(ms(50)).await;
    let waiter = tokio::spawn(wants(rows));
    sleep(ms(50)).await;
    diagnose::set_enabled(false);
    sleep(ms(100)).await;
    diagnose::set_enabled(true);
    owner.await.unwrap();
    waiter.await.unwrap();
}
