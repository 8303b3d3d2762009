//! Upgradable reads, a write behind one that was woken, and cells that are set late.

use std::pin::pin;
use std::sync::Arc;
use std::thread;

use diagnose::{FutureExt as _, diagnose};

use super::ms;
use crate::drop_in::{async_lock, futures, parking_lot, tokio};
use crate::row::{Section, likely, proven, row, suspect};
use tokio::sync::{Mutex, SetOnce, oneshot};
use tokio::task::spawn_blocking;
use tokio::time::sleep;

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("upgradable.rs"),
    rows: &[
        row!("X143", upgradable_twice, "async-lock: an upgradable read, and another one in the same task")
            .is(proven("self_wait")),
        row!(
            "X144",
            upgradable_twice_in_a_job,
            "parking_lot: an upgradable read, and another one in the same job"
        )
        .is(proven("self_wait")),
        row!(
            "X145",
            upgradable_and_a_lock,
            "two tasks lock a mutex and an upgradable read in opposite order"
        )
        .is(proven("cycle"))
        .or(likely("cycle")),
        row!(
            "X157",
            write_behind_an_upgrade,
            "async-lock: a body begins an upgrade, and locks a mutex whose holder waits to write"
        )
        .is(proven("cycle"))
        .or(likely("cycle"))
        .in_noise(suspect("cycle")),
        row!(
            "X158",
            read_behind_an_upgrade,
            "async-lock: a body begins an upgrade, and locks a mutex whose holder waits to read"
        )
        .is(proven("cycle"))
        .or(likely("cycle"))
        .in_noise(suspect("cycle")),
        row!(
            "Y224",
            upgradable_behind_a_woken_reader,
            "async-lock: an upgradable read behind a slow one, beside a woken reader that is set aside"
        ),
        row!(
            "Y225",
            write_behind_a_woken_one,
            "async-lock: a write behind a slow reader, beside a woken write that is set aside"
        ),
        row!("Y226", upgradable_behind_a_slow_one, "parking_lot: an upgradable read behind a slow one"),
        row!("Y227", set_by_an_older_task, "a SetOnce in a static, which an older task sets"),
        row!("Y228", set_by_a_thread, "a SetOnce that a plain thread sets"),
    ],
};

/// How long each program that ends looks stuck, in ms.
const LONG: u64 = 2_000;

async fn upgradable_twice() {
    let table = Arc::new(async_lock::RwLock::new(0));
    let first = table.upgradable_read().await; // holds
    let second = table.upgradable_read().await; // waits
    assert_eq!(*first, *second);
}

async fn upgradable_twice_in_a_job() {
    let table = Arc::new(parking_lot::RwLock::new(0));
    let reads = spawn_blocking(move || {
        let first = table.upgradable_read(); // holds
        let second = table.upgradable_read(); // waits
        assert_eq!(*first, *second);
    });
    reads.await.unwrap();
}

async fn upgradable_and_a_lock() {
    let (table, other) = (Arc::new(async_lock::RwLock::new(0)), Arc::new(Mutex::new(0)));
    let (theirs, others) = (Arc::clone(&table), Arc::clone(&other));
    let reads = async move {
        let read = theirs.upgradable_read().await; // holds
        sleep(ms(100)).await;
        *others.lock().await += *read; // waits
    };
    let locks = async move {
        let mut locked = other.lock().await; // holds
        sleep(ms(100)).await;
        *locked += *table.upgradable_read().await; // waits
    };
    let reads = tokio::spawn(reads.diagnose("reads"));
    tokio::spawn(locks.diagnose("locks")).await.unwrap();
    reads.await.unwrap();
}

type Table = Arc<async_lock::RwLock<u32>>;
type Other = Arc<Mutex<u32>>;

/// Begins to upgrade a read, and locks a mutex before it polls the upgrade.
#[diagnose]
async fn upgrade_late(table: Table, other: Other, begins: oneshot::Sender<()>) {
    let read = table.upgradable_read().await;
    let upgrade = async_lock::RwLockUpgradableReadGuard::upgrade(read);
    begins.send(()).unwrap();
    let other = other.lock().await; // waits
    *upgrade.await += *other;
}

async fn write_behind_an_upgrade() {
    let (table, other) = (Table::default(), Other::default());
    let locked = other.lock().await; // holds
    let (begins, has_begun) = oneshot::channel();
    tokio::spawn(upgrade_late(Arc::clone(&table), Arc::clone(&other), begins));
    has_begun.await.unwrap();
    *table.write().await += *locked; // waits
}

async fn read_behind_an_upgrade() {
    let (table, other) = (Table::default(), Other::default());
    let mut locked = other.lock().await; // holds
    let (begins, has_begun) = oneshot::channel();
    tokio::spawn(upgrade_late(Arc::clone(&table), Arc::clone(&other), begins));
    has_begun.await.unwrap();
    *locked += *table.read().await; // waits
}

async fn upgradable_behind_a_woken_reader() {
    let table = Arc::new(async_lock::RwLock::new(0));
    let guard = table.write().await;
    let mut first = pin!(table.read());
    assert!(futures::poll!(first.as_mut()).is_pending());
    let theirs = Arc::clone(&table);
    let (has, is_had) = oneshot::channel();
    let holds = async move {
        let _guard = theirs.upgradable_read().await;
        has.send(()).unwrap();
        sleep(ms(LONG)).await;
    };
    tokio::spawn(holds.diagnose("holds"));
    sleep(ms(50)).await;
    drop(guard);
    is_had.await.unwrap();
    drop(table.upgradable_read().await);
}

async fn write_behind_a_woken_one() {
    let table = Arc::new(async_lock::RwLock::new(0));
    let guard = table.write().await;
    let mut first = pin!(table.write());
    assert!(futures::poll!(first.as_mut()).is_pending());
    drop(guard);
    let theirs = Arc::clone(&table);
    let (has, is_had) = oneshot::channel();
    let reads = async move {
        let _guard = theirs.read().await;
        has.send(()).unwrap();
        sleep(ms(LONG)).await;
    };
    tokio::spawn(reads.diagnose("reads"));
    is_had.await.unwrap();
    drop(table.write().await);
}

async fn upgradable_behind_a_slow_one() {
    let table = Arc::new(parking_lot::RwLock::new(0));
    let theirs = Arc::clone(&table);
    let slow = spawn_blocking(move || {
        let _guard = theirs.upgradable_read();
        thread::sleep(ms(LONG));
    });
    sleep(ms(50)).await;
    let waits = spawn_blocking(move || {
        let read = table.read();
        assert_eq!(*read, *table.upgradable_read());
    });
    slow.await.unwrap();
    waits.await.unwrap();
}

async fn set_by_an_older_task() {
    static CONFIG: SetOnce<u32> = SetOnce::const_new();
    let sets = async {
        sleep(ms(LONG)).await;
        CONFIG.set(1).unwrap();
    };
    tokio::spawn(sets.diagnose("sets"));
    sleep(ms(20)).await;
    let waits = async { *CONFIG.wait().await };
    assert_eq!(tokio::spawn(waits.diagnose("waits")).await.unwrap(), 1);
}

async fn set_by_a_thread() {
    let config = Arc::new(SetOnce::<u32>::new());
    let theirs = Arc::clone(&config);
    thread::spawn(move || {
        thread::sleep(ms(LONG));
        theirs.set(1).unwrap();
    });
    assert_eq!(*config.wait().await, 1);
}
