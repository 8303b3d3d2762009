//! Readers that a writer keeps out, and what unrecorded code, sets and plain threads wait for.

use std::cell::Cell;
use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;
use std::thread;

use diagnose::{FutureExt as _, diagnose};
use futures::FutureExt as _;

use super::ms;
use crate::drop_in::{async_lock, parking_lot, std_sync, tokio};
use crate::row::{Section, likely, proven, row, suspect};
use tokio::runtime;
use tokio::sync::{Mutex, OnceCell, oneshot};
use tokio::task::{LocalSet, spawn_blocking};
use tokio::time::{sleep, timeout};

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("overtaken.rs"),
    rows: &[
        row!("X138", two_plain_threads_cross, "two plain threads lock A and B of std in opposite order")
            .is(proven("cycle")),
        row!(
            "X139",
            second_read_async_lock,
            "async-lock: select! over &mut read(), and read() again in the other arm"
        )
        .is(proven("futurelock").detail("granted"))
        .or(likely("futurelock").detail("granted")),
        row!(
            "X140",
            second_initialization,
            "get_or_init(): the first fails, and the next in turn is set aside by a select!"
        )
        .is(proven("futurelock").detail("granted"))
        .or(likely("futurelock").detail("granted")),
        row!(
            "X142",
            thread_with_an_async_lock,
            "a plain thread has an async lock, and waits for a message of the task that waits for the lock"
        )
        .is(suspect("cycle"))
        .or(likely("cycle")),
        row!(
            "Y214",
            upgrade_overtakes_a_writer,
            "parking_lot: read() again behind a writer, and behind an upgrade that gives up"
        ),
        row!(
            "Y215",
            upgrade_overtakes_async_lock,
            "async-lock: read() again behind a writer set aside, and behind an upgrade that gives up"
        ),
        row!(
            "Y216",
            job_with_a_time_limit,
            "a job blocks on a lock of its awaiter, with a time limit that is not on record"
        ),
        row!("Y217", main_of_a_set, "a set polls its main each time that a task of it is woken"),
        row!(
            "Y218",
            shared_after_its_first_poller,
            "a Shared future goes on in a second task, after the one that polled it first has ended"
        ),
    ],
};

/// How long each program that ends looks stuck, in ms.
const LONG: u64 = 2_000;

async fn two_plain_threads_cross() {
    let (left, right) = (Arc::new(std_sync::Mutex::new(0)), Arc::new(std_sync::Mutex::new(0)));
    let cross = |first: &Arc<std_sync::Mutex<i32>>, second: &Arc<std_sync::Mutex<i32>>| {
        let (first, second) = (Arc::clone(first), Arc::clone(second));
        thread::spawn(move || {
            let _first = first.lock().unwrap(); // holds
            thread::sleep(ms(100));
            *second.lock().unwrap() += 1; // waits
        })
    };
    let threads = [cross(&left, &right), cross(&right, &left)];
    let joins = move || threads.into_iter().for_each(|thread| thread.join().unwrap());
    spawn_blocking(joins).await.unwrap();
}

async fn second_read_async_lock() {
    let table = Arc::new(async_lock::RwLock::new(0));
    let (locked, is_locked) = oneshot::channel();
    let held = Arc::clone(&table);
    let writes = async move {
        let _guard = held.write().await;
        locked.send(()).unwrap();
        sleep(ms(500)).await;
    };
    tokio::spawn(writes.diagnose("writes"));
    is_locked.await.unwrap();
    let first = async {
        let _guard = table.read().await; // holds
    };
    let second = async {
        let _guard = table.read().await; // waits
    };
    let mut first = pin!(first.diagnose("first"));
    tokio::select! {
        () = &mut first => {}
        () = sleep(ms(50)) => second.diagnose("second").await, // waits
    }
}

async fn second_initialization() {
    let cell = Arc::new(OnceCell::<u32>::new());
    let (begun, has_begun) = oneshot::channel();
    let theirs = Arc::clone(&cell);
    let fails = async move {
        let load = || async {
            begun.send(()).unwrap();
            sleep(ms(500)).await;
            Err::<u32, ()>(())
        };
        theirs.get_or_try_init(load).await.unwrap_err();
    };
    tokio::spawn(fails.diagnose("fails"));
    has_begun.await.unwrap();
    let first = async {
        cell.get_or_init(|| async { 1 }).await; // holds
    };
    let second = async {
        cell.get_or_init(|| async { 2 }).await; // waits
    };
    let mut first = pin!(first.diagnose("first"));
    tokio::select! {
        () = &mut first => {}
        () = sleep(ms(50)) => second.diagnose("second").await, // waits
    }
}

async fn thread_with_an_async_lock() {
    let table = Arc::new(Mutex::new(0));
    let (locked, is_locked) = oneshot::channel();
    let (ask, asked) = oneshot::channel();
    let theirs = Arc::clone(&table);
    let answers = thread::spawn(move || {
        let mut table = theirs.blocking_lock(); // holds
        locked.send(()).unwrap();
        *table += asked.blocking_recv().unwrap(); // waits, shown
    });
    is_locked.await.unwrap();
    let number = *table.lock().await; // waits, shown
    ask.send(number).unwrap();
    spawn_blocking(|| answers.join().unwrap()).await.unwrap();
}

async fn upgrade_overtakes_a_writer() {
    let table = Arc::new(parking_lot::RwLock::new(0_u32));
    let [reads, upgrades, writes] = [(); 3].map(|()| Arc::clone(&table));
    let reads = spawn_blocking(move || {
        let first = reads.read();
        thread::sleep(ms(500));
        let second = reads.read();
        *first + *second
    });
    let upgrades = spawn_blocking(move || {
        thread::sleep(ms(20));
        let upgradable = upgrades.upgradable_read();
        thread::sleep(ms(380));
        drop(parking_lot::RwLockUpgradableReadGuard::try_upgrade_for(upgradable, ms(LONG)));
    });
    let writes = spawn_blocking(move || {
        thread::sleep(ms(200));
        *writes.write() += 1;
    });
    reads.await.unwrap();
    upgrades.await.unwrap();
    writes.await.unwrap();
}

async fn upgrade_overtakes_async_lock() {
    #[diagnose]
    async fn reads_again(table: Arc<async_lock::RwLock<u32>>) {
        let first = table.read().await;
        sleep(ms(200)).await;
        let mut writes = pin!(table.write());
        tokio::select! {
            _ = &mut writes => {}
            () = sleep(ms(100)) => {}
        }
        sleep(ms(200)).await;
        let second = table.read().await;
        assert_eq!(*first, *second);
    }
    #[diagnose]
    async fn upgrades(table: Arc<async_lock::RwLock<u32>>) {
        sleep(ms(20)).await;
        let upgradable = table.upgradable_read().await;
        sleep(ms(380)).await;
        let _ = timeout(ms(LONG), async_lock::RwLockUpgradableReadGuard::upgrade(upgradable)).await;
    }
    let table = Arc::new(async_lock::RwLock::new(0));
    drop(tokio::spawn(reads_again(Arc::clone(&table))));
    tokio::spawn(upgrades(table)).await.unwrap();
    sleep(ms(100)).await;
}

async fn job_with_a_time_limit() {
    #[diagnose]
    async fn refresh() {
        let cache = Arc::new(Mutex::new(0));
        let theirs = Arc::clone(&cache);
        let mut held = cache.lock().await;
        let fills = spawn_blocking(move || {
            ::tokio::runtime::Handle::current()
                .block_on(async move { ::tokio::time::timeout(ms(LONG), theirs.lock()).await.is_err() })
        });
        assert!(fills.await.unwrap());
        *held += 1;
    }
    tokio::spawn(refresh()).await.unwrap();
}

async fn main_of_a_set() {
    let runs = || {
        let runtime = runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let (set, is_done) = (LocalSet::new(), Rc::new(Cell::new(false)));
        let sets = Rc::clone(&is_done);
        set.spawn_local(async move {
            sleep(ms(LONG)).await;
            sets.set(true);
            sleep(ms(1)).await;
        });
        let done = poll_fn(move |_| if is_done.get() { Poll::Ready(()) } else { Poll::Pending });
        set.block_on(&runtime, async move { done.diagnose("done").await });
    };
    spawn_blocking(move || thread::spawn(runs).join().unwrap()).await.unwrap();
}

async fn shared_after_its_first_poller() {
    async fn load(rows: Arc<Mutex<u32>>) -> u32 {
        let mut rows = rows.lock().await;
        sleep(ms(LONG)).await;
        *rows += 1;
        *rows
    }
    let rows = Arc::new(Mutex::new(0));
    let shared = futures::FutureExt::boxed(load(Arc::clone(&rows))).shared();
    let first = shared.clone();
    let gives_up = async move { drop(timeout(ms(100), first).await) };
    tokio::spawn(gives_up).await.unwrap();
    let second = tokio::spawn(shared);
    sleep(ms(50)).await;
    *rows.lock().await += 1;
    second.await.unwrap();
}
