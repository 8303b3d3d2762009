//! Programs that look stuck and go on: a lock, a thread or a pool is not as taken as it looks. And
//! one that looks as if it could go on.

use std::pin::pin;
use std::sync::{Arc, mpsc};
use std::thread;

use diagnose::{FutureExt as _, diagnose};

use super::ms;
use crate::drop_in::{async_lock, futures, tokio};
use crate::row::{Section, likely, proven, row};
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::Mutex;
use tokio::task::{LocalSet, block_in_place, spawn_blocking, spawn_local, yield_now};
use tokio::time::sleep;

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("spared.rs"),
    rows: &[
        row!(
            "Y249",
            reader_behind_two_writers,
            "async-lock: a worker blocks in read_blocking(), and a task waits to write, behind a slow writer"
        ),
        row!(
            "Y250",
            read_beside_a_queued_writer,
            "async-lock: a body sets its write() aside and reads, behind a slow writer"
        ),
        row!(
            "X153",
            read_beside_an_announced_writer,
            "async-lock: a body sets its write() aside, which waits for a reader, and reads"
        )
        .is(proven("futurelock").detail("granted"))
        .or(likely("futurelock").detail("granted")),
        row!(
            "Y256",
            read_and_write_woken_together,
            "async-lock: a body sets its write() aside and reads; its writer wakes that write and another read"
        ),
        row!(
            "Y257",
            upgrade_lets_a_reader_in,
            "async-lock: a body sets its write() aside and reads, behind a writer that downgrades and upgrades"
        ),
        row!(
            "Y251",
            sets_on_two_threads,
            "a task of a LocalSet waits for a thread, and those of another are busy"
        ),
        row!(
            "Y252",
            in_place_under_load,
            "a task waits for a thread in block_in_place, and its runtime has more work than workers"
        ),
        row!(
            "Y253",
            pool_beside_unrecorded_work,
            "a blocking job waits for another, and an unrecorded job has the other thread for a while"
        ),
        row!(
            "Y254",
            in_place_with_a_limit,
            "block_in_place waits for a lock in a block_on with a time limit of tokio itself"
        ),
        row!(
            "Y255",
            dropped_on_another_thread,
            "an aborted task is dropped slowly, and its last thread waits for the lock that it has"
        ),
        row!(
            "Y258",
            set_run_after_a_wait,
            "main adds a task to a LocalSet, and waits for a thread before it runs the set"
        ),
        row!(
            "X155",
            main_blocks_its_runtime,
            "main blocks its thread until a task of its current-thread runtime sends"
        )
        .is(likely("blocked_worker")),
        row!(
            "X156",
            local_task_blocks_its_set,
            "a task of a LocalSet blocks its thread until another one, which it has spawned, sends"
        )
        .is(likely("blocked_worker")),
    ],
};

/// How long each program looks stuck, in ms.
const LONG: u64 = 1_500;

type Lock = Arc<async_lock::RwLock<u32>>;

/// Runs the future on a runtime of its own, with one worker.
async fn on_one_worker(future: impl Future<Output = ()> + Send + 'static) {
    let runs = || {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        runtime.block_on(future);
    };
    spawn_blocking(runs).await.unwrap();
}

#[diagnose]
async fn writes(lock: Lock) {
    *lock.write().await += 1;
}

async fn reader_behind_two_writers() {
    #[diagnose]
    async fn reads(lock: Lock) -> u32 {
        *lock.read_blocking()
    }
    on_one_worker(async {
        let lock = Lock::default();
        let (theirs, (has, is_had)) = (Arc::clone(&lock), mpsc::channel());
        thread::spawn(move || {
            let mut row = theirs.write_blocking();
            has.send(()).unwrap();
            thread::sleep(ms(LONG));
            *row += 1;
        });
        is_had.recv().unwrap();
        let writes = tokio::spawn(writes(Arc::clone(&lock)));
        sleep(ms(50)).await;
        tokio::spawn(reads(lock)).await.unwrap();
        writes.await.unwrap();
    })
    .await;
}

#[diagnose]
async fn keeps_writing(lock: Lock) {
    let mut row = lock.write().await;
    sleep(ms(LONG)).await;
    *row += 1;
}

async fn read_beside_a_queued_writer() {
    #[diagnose]
    async fn body(lock: Lock) {
        let mut write = pin!(lock.write());
        assert!(futures::poll!(write.as_mut()).is_pending());
        sleep(ms(50)).await;
        let row = lock.read().await;
        drop(row);
    }
    let lock = Lock::default();
    let other = tokio::spawn(keeps_writing(Arc::clone(&lock)));
    sleep(ms(50)).await;
    tokio::spawn(body(lock)).await.unwrap();
    other.await.unwrap();
}

/// Sets a write aside, and reads.
#[diagnose]
async fn writes_and_reads(lock: Lock) {
    let mut write = pin!(lock.write());
    assert!(futures::poll!(write.as_mut()).is_pending());
    let row = lock.read().await;
    drop(row);
}

async fn read_and_write_woken_together() {
    #[diagnose]
    async fn reads_later(lock: Lock) {
        let mut read = pin!(lock.read());
        assert!(futures::poll!(read.as_mut()).is_pending());
        sleep(ms(LONG)).await;
        drop(read.await);
    }
    let lock = Lock::default();
    let row = lock.write().await;
    let later = tokio::spawn(reads_later(Arc::clone(&lock)));
    sleep(ms(50)).await;
    let body = tokio::spawn(writes_and_reads(Arc::clone(&lock)));
    sleep(ms(50)).await;
    drop(row);
    body.await.unwrap();
    later.await.unwrap();
}

async fn upgrade_lets_a_reader_in() {
    let lock = Lock::default();
    let row = lock.write().await;
    let body = tokio::spawn(writes_and_reads(Arc::clone(&lock)));
    sleep(ms(50)).await;
    let row = async_lock::RwLockWriteGuard::downgrade_to_upgradable(row);
    sleep(ms(LONG)).await;
    let row = async_lock::RwLockUpgradableReadGuard::upgrade(row).await;
    drop(row);
    body.await.unwrap();
}

async fn read_beside_an_announced_writer() {
    #[diagnose]
    async fn reads(lock: Lock) {
        let row = lock.read().await;
        sleep(ms(200)).await;
        drop(row);
    }
    #[diagnose]
    async fn body(lock: Lock) {
        let mut write = pin!(lock.write()); // set aside
        assert!(futures::poll!(write.as_mut()).is_pending());
        sleep(ms(50)).await;
        let row = lock.read().await; // waits
        drop(row);
    }
    let lock = Lock::default();
    tokio::spawn(reads(Arc::clone(&lock)));
    sleep(ms(50)).await;
    tokio::spawn(body(lock)).await.unwrap();
}

/// Computes for some milliseconds, and lets others run.
#[diagnose]
async fn compute(rounds: u32, each: u64) {
    for _ in 0..rounds {
        thread::sleep(ms(each));
        yield_now().await;
    }
}

/// Waits for a thread that is not recorded.
fn wait_for_a_thread() {
    let (done, is_done) = mpsc::channel();
    thread::spawn(move || {
        thread::sleep(ms(LONG));
        done.send(()).unwrap();
    });
    is_done.recv().unwrap();
}

async fn sets_on_two_threads() {
    fn run<F: Future<Output = ()>>(body: impl FnOnce() -> F + Send + 'static) -> thread::JoinHandle<()> {
        thread::spawn(|| {
            let runtime = Builder::new_current_thread().enable_all().build().unwrap();
            LocalSet::new().block_on(&runtime, async { body().await });
        })
    }
    let waits = run(|| async { spawn_local(async { wait_for_a_thread() }.diagnose("waits")).await.unwrap() });
    let busy = run(|| async {
        let all: Vec<_> = (0..4).map(|_| spawn_local(compute(4, 100))).collect();
        for task in all {
            task.await.unwrap();
        }
    });
    spawn_blocking(|| {
        waits.join().unwrap();
        busy.join().unwrap();
    })
    .await
    .unwrap();
}

async fn in_place_under_load() {
    on_one_worker(async {
        let waits = tokio::spawn(async { block_in_place(wait_for_a_thread) }.diagnose("waits"));
        let load: Vec<_> = (0..60).map(|_| tokio::spawn(compute(5, 5))).collect();
        waits.await.unwrap();
        for task in load {
            task.await.unwrap();
        }
    })
    .await;
}

async fn pool_beside_unrecorded_work() {
    let runs = || {
        let mut builder = Builder::new_multi_thread();
        let runtime = builder.worker_threads(1).max_blocking_threads(2).enable_all().build().unwrap();
        runtime.block_on(async {
            drop(::tokio::task::spawn_blocking(|| thread::sleep(ms(LONG))));
            let asks = || Handle::current().block_on(async { spawn_blocking(|| 42).await.unwrap() });
            assert_eq!(spawn_blocking(asks).await.unwrap(), 42);
        });
    };
    let runs = thread::spawn(runs);
    spawn_blocking(|| runs.join().unwrap()).await.unwrap();
}

async fn in_place_with_a_limit() {
    #[diagnose]
    async fn refresh() {
        let cache = Arc::new(Mutex::new(0));
        let theirs = Arc::clone(&cache);
        let mut held = cache.lock().await;
        let limited = async move { ::tokio::time::timeout(ms(LONG), theirs.lock()).await.is_err() };
        let fills = async { block_in_place(|| ::tokio::runtime::Handle::current().block_on(limited)) };
        assert!(tokio::spawn(fills.diagnose("fills")).await.unwrap());
        *held += 1;
    }
    on_one_worker(async { tokio::spawn(refresh()).await.unwrap() }).await;
}

async fn dropped_on_another_thread() {
    struct Flush;

    impl Drop for Flush {
        fn drop(&mut self) {
            thread::sleep(ms(LONG));
        }
    }
    #[diagnose]
    async fn writer(table: Arc<Mutex<u32>>) {
        let mut rows = table.lock().await;
        *rows += 1;
        let _flush = Flush; // dropped before `rows`
        sleep(ms(3_600_000)).await;
    }
    on_one_worker(async {
        let table = Arc::<Mutex<u32>>::default();
        let writes = tokio::spawn(writer(Arc::clone(&table)));
        sleep(ms(50)).await;
        let aborts = async move {
            block_in_place(|| {
                writes.abort();
                *table.blocking_lock() += 1;
            });
        };
        tokio::spawn(aborts.diagnose("aborts")).await.unwrap();
    })
    .await;
}

/// Runs the future on a current-thread runtime of another thread.
async fn on_a_current_thread(run: impl FnOnce(Runtime) + Send + 'static) {
    let runs = || run(Builder::new_current_thread().enable_all().build().unwrap());
    spawn_blocking(runs).await.unwrap();
}

#[diagnose]
async fn send(row: mpsc::Sender<u32>) {
    row.send(1).unwrap();
}

/// Blocks the thread until what it spawns has sent a row.
fn wait_for(spawn: impl FnOnce(mpsc::Sender<u32>)) {
    let (sends, row) = mpsc::channel();
    spawn(sends);
    row.recv().unwrap();
}

async fn main_blocks_its_runtime() {
    on_a_current_thread(|runtime| {
        let spawn = |row| drop(tokio::spawn(send(row)));
        runtime.block_on(async { wait_for(spawn) }); // waits
    })
    .await;
}

async fn local_task_blocks_its_set() {
    on_a_current_thread(|runtime| {
        let set = LocalSet::new();
        let spawn = |row| drop(spawn_local(send(row)));
        set.spawn_local(async move { wait_for(spawn) }); // waits
        runtime.block_on(set);
    })
    .await;
}

async fn set_run_after_a_wait() {
    let runs = || {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        runtime.block_on(async {
            let set = LocalSet::new();
            set.spawn_local(compute(1, 1));
            wait_for_a_thread();
            set.await;
        });
    };
    spawn_blocking(runs).await.unwrap();
}
