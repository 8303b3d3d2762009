//! Guards that are lent: to a scoped thread around a `block_on`, to a job on a thread that was a
//! worker, to another task of the same thread. And children that wait behind their parent's guard.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, OnceLock, mpsc as plain_mpsc};
use std::thread;

use diagnose::{FutureExt as _, diagnose};

use super::ms;
use crate::drop_in::{async_lock, parking_lot, std_sync, tokio};
use crate::row::{Section, likely, proven, row, suspect};
use tokio::runtime::Builder;
use tokio::sync::{Mutex, RwLock, Semaphore};
use tokio::task::{LocalSet, spawn_blocking, spawn_local};
use tokio::time::sleep;

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("lent.rs"),
    rows: &[
        row!("Y120", guard_to_a_scoped_thread, "a guard of a lock around a block_on goes to a scoped thread"),
        row!(
            "Y121",
            guard_of_async_lock_to_a_scoped_thread,
            "a guard of an async-lock around a block_on goes to a scoped thread"
        ),
        row!("Y122", permit_with_a_former_worker, "a thread that was a worker drops a permit in a job"),
        row!("Y123", guard_of_std_in_a_slot, "a task drops a guard of std that another of its thread took"),
        row!(
            "Y139",
            guard_lent_within_a_poll,
            "a poll lends a guard to a scoped thread, and waits beside it"
        )
        .seems(likely("spin"))
        .or(likely("blocked_worker")),
        row!(
            "Y140",
            lock_in_a_cell_around,
            "a block_on creates a lock in a cell around it, and lends the guard to a scoped thread"
        ),
        row!(
            "Y141",
            shared_lock_in_a_cell_around,
            "a block_on creates an Arc of a lock in a cell around it, and lends the guard"
        ),
        row!("Y142", upgrade_behind_a_reader, "a reader of async-lock upgrades, behind a slow reader"),
        row!("Y143", upgrade_behind_a_thread, "a reader of parking_lot upgrades, behind a slow thread"),
        row!(
            "X101",
            upgrade_behind_who_waits,
            "a reader upgrades, behind another reader that waits for a mutex of the first"
        )
        .is(proven("cycle"))
        .or(likely("cycle")),
        row!("X95", second_read_before_a_child, "a child waits to write, and its parent reads a second time")
            .is(proven("cycle").detail("via_queue"))
            .in_noise(suspect("cycle").detail("via_queue")),
        row!(
            "X96",
            second_permit_before_a_child,
            "a child waits for two permits, and its parent acquires a second one"
        )
        .is(proven("cycle").detail("via_queue"))
        .in_noise(suspect("cycle").detail("via_queue")),
    ],
};

/// How long each program looks stuck, in ms.
const LONG: u64 = 1_500;

/// Lends what `lock` returns to a scoped thread, from a `block_on` that then waits for it.
macro_rules! lend {
    ($lock:expr) => {{
        let (ends, has_ended) = ::tokio::sync::oneshot::channel::<()>();
        thread::spawn(move || {
            let runtime = Builder::new_current_thread().build().unwrap();
            let lock = $lock;
            thread::scope(|scope| {
                let (lend, lent) = plain_mpsc::channel();
                scope.spawn(move || {
                    let guard = lent.recv().unwrap();
                    thread::sleep(ms(LONG));
                    drop(guard);
                });
                thread::sleep(ms(100));
                runtime.block_on(async {
                    lend.send(lock.lock().await).unwrap();
                    drop(lock.lock().await);
                });
            });
            ends.send(()).unwrap();
        });
        has_ended.await.unwrap();
    }};
}

async fn guard_to_a_scoped_thread() {
    lend!(Mutex::new(0));
}

async fn guard_of_async_lock_to_a_scoped_thread() {
    lend!(async_lock::Mutex::new(0));
}

/// Lends a guard to an older scoped thread, of a lock that a `block_on` puts into a cell around it.
macro_rules! lend_from_a_cell {
    ($lock:ty) => {{
        let (ends, has_ended) = ::tokio::sync::oneshot::channel::<()>();
        thread::spawn(move || {
            let runtime = Builder::new_current_thread().build().unwrap();
            let cell: OnceLock<$lock> = OnceLock::new();
            let cell = &cell;
            thread::scope(|scope| {
                let (lend, lent) = plain_mpsc::channel();
                scope.spawn(move || {
                    let guard = lent.recv().unwrap();
                    thread::sleep(ms(LONG));
                    drop(guard);
                });
                thread::sleep(ms(100));
                runtime.block_on(async move {
                    let lock = cell.get_or_init(Default::default);
                    lend.send(lock.lock().await).unwrap();
                    *lock.lock().await += 1;
                });
            });
            ends.send(()).unwrap();
        });
        has_ended.await.unwrap();
    }};
}

async fn lock_in_a_cell_around() {
    lend_from_a_cell!(Mutex<u32>);
}

async fn shared_lock_in_a_cell_around() {
    lend_from_a_cell!(Arc<Mutex<u32>>);
}

async fn guard_lent_within_a_poll() {
    let (table, total) = (Arc::new(Mutex::new(vec![2, 1])), Arc::new(std_sync::Mutex::new(0)));
    let (their_table, their_total) = (Arc::clone(&table), Arc::clone(&total));
    let sums = spawn_blocking(move || {
        thread::sleep(ms(50));
        let mut total = their_total.lock().unwrap();
        *total += their_table.blocking_lock().len();
    });
    #[diagnose]
    async fn sorts(table: Arc<Mutex<Vec<u32>>>, total: Arc<std_sync::Mutex<usize>>) {
        let mut rows = table.lock().await;
        thread::scope(|scope| {
            scope.spawn(move || {
                thread::sleep(ms(LONG));
                rows.sort_unstable();
            });
            thread::sleep(ms(100));
            *total.lock().unwrap() += 1;
        });
    }
    tokio::spawn(sorts(table, total)).await.unwrap();
    sums.await.unwrap();
}

async fn upgrade_behind_a_reader() {
    let prices = Arc::new(async_lock::RwLock::new(0));
    let (read, upgraded) = (Arc::clone(&prices), prices);
    let reads = async move {
        let price = read.read().await;
        sleep(ms(LONG)).await;
        drop(price);
    };
    let upgrades = async move {
        sleep(ms(20)).await;
        let price = upgraded.upgradable_read().await;
        *async_lock::RwLockUpgradableReadGuard::upgrade(price).await += 1;
    };
    let reads = tokio::spawn(reads.diagnose("reads"));
    drop(tokio::spawn(upgrades.diagnose("upgrades")));
    reads.await.unwrap();
    sleep(ms(50)).await;
}

async fn upgrade_behind_a_thread() {
    let prices = Arc::new(parking_lot::RwLock::new(0));
    let (read, upgraded) = (Arc::clone(&prices), prices);
    let reads = thread::spawn(move || {
        let price = read.read();
        thread::sleep(ms(LONG));
        drop(price);
    });
    let upgrades = spawn_blocking(move || {
        thread::sleep(ms(20));
        *parking_lot::RwLockUpgradableReadGuard::upgrade(upgraded.upgradable_read()) += 1;
    });
    upgrades.await.unwrap();
    reads.join().unwrap();
}

async fn upgrade_behind_who_waits() {
    let (prices, orders) = (Arc::new(async_lock::RwLock::new(0)), Arc::new(Mutex::new(0)));
    let (their_prices, their_orders) = (Arc::clone(&prices), Arc::clone(&orders));
    #[diagnose]
    async fn reads(prices: Arc<async_lock::RwLock<u32>>, orders: Arc<Mutex<u32>>) {
        let price = prices.read().await; // holds
        sleep(ms(100)).await;
        *orders.lock().await += *price; // waits
    }
    #[diagnose]
    async fn upgrades(prices: Arc<async_lock::RwLock<u32>>, orders: Arc<Mutex<u32>>) {
        let mut order = orders.lock().await; // holds
        let price = prices.upgradable_read().await;
        sleep(ms(50)).await;
        *async_lock::RwLockUpgradableReadGuard::upgrade(price).await += 1; // waits
        *order += 1;
    }
    let reads = tokio::spawn(reads(their_prices, their_orders));
    tokio::spawn(upgrades(prices, orders)).await.unwrap();
    reads.await.unwrap();
}

async fn permit_with_a_former_worker() {
    let seats = Arc::new(Semaphore::new(1));
    // A runtime with one thread has no worker to replace.
    if !is_current_thread() {
        for _ in 0..3 {
            let library = async { ::tokio::task::block_in_place(|| thread::sleep(ms(30))) };
            tokio::spawn(library.diagnose("library")).await.unwrap();
        }
    }
    sleep(ms(50)).await;
    let permit = Arc::clone(&seats).acquire_owned().await.unwrap();
    ::tokio::task::spawn_blocking(move || {
        thread::sleep(ms(LONG));
        drop(permit);
    });
    drop(seats.acquire().await.unwrap());
}

fn is_current_thread() -> bool {
    let flavor = ::tokio::runtime::Handle::current().runtime_flavor();
    flavor == ::tokio::runtime::RuntimeFlavor::CurrentThread
}

async fn guard_of_std_in_a_slot() {
    static COUNT: std_sync::Mutex<u32> = std_sync::Mutex::new(0);
    let set = LocalSet::new();
    let tasks = async {
        let slot: Rc<RefCell<Option<std_sync::MutexGuard<'static, u32>>>> = Rc::default();
        let own = Rc::clone(&slot);
        let takes = async move {
            *own.borrow_mut() = Some(COUNT.lock().unwrap());
            spawn_blocking(|| *COUNT.lock().unwrap() += 1).await.unwrap();
        };
        let drops = async move {
            sleep(ms(LONG)).await;
            slot.borrow_mut().take();
        };
        let drops = spawn_local(drops.diagnose("drops"));
        spawn_local(takes.diagnose("takes")).await.unwrap();
        drops.await.unwrap();
    };
    set.run_until(tasks).await;
}

async fn second_read_before_a_child() {
    let lock = Arc::new(RwLock::new(0));
    let first = Arc::clone(&lock).read_owned().await; // holds
    let shared = Arc::clone(&lock);
    let writes = async move {
        *shared.write().await += 1; // queued
    };
    tokio::spawn(writes.diagnose("writes"));
    sleep(ms(50)).await;
    let second = lock.read().await; // waits
    drop((first, second));
}

async fn second_permit_before_a_child() {
    let seats = Arc::new(Semaphore::new(2));
    let first = Arc::clone(&seats).acquire_owned().await.unwrap(); // holds
    let shared = Arc::clone(&seats);
    let takes_all = async move {
        drop(shared.acquire_many(2).await); // queued
    };
    tokio::spawn(takes_all.diagnose("takes_all"));
    sleep(ms(50)).await;
    let second = seats.acquire().await.unwrap(); // waits
    drop((first, second));
}
