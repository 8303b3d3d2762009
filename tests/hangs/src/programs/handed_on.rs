//! Guards that leave the body that acquired them, in ways other than as an argument of a call, and
//! locks that move before they are acquired again. Each program looks stuck, and ends.

use std::sync::{Arc, LazyLock, Mutex as StdMutex, OnceLock};
use std::task::{Context, Wake, Waker};
use std::{future::Future, mem, pin::Pin};

use diagnose::diagnose;

use super::ms;
use crate::drop_in::{async_lock, tokio};
use crate::row::{Section, likely, row};
use tokio::sync::{Mutex, MutexGuard, RwLock, Semaphore};
use tokio::task::JoinHandle;
use tokio::time::timeout;

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("handed_on.rs"),
    rows: &[
        row!("Y144", downgraded, "a guard is downgraded, and moves into a task of tokio's own"),
        row!("Y145", moved_by_a_macro, "a macro makes its block a task of tokio's own"),
        row!("Y146", another_drop, "a function of the program's own is called `drop`"),
        row!("Y147", replaced_behind_a_name, "a guard is replaced through a reference to it"),
        row!("Y148", a_name_in_capitals, "a guard in a variable whose name looks like a constant's"),
        row!("Y149", lock_moved_into_a_static, "a lock is used, and then moves into a static"),
        row!("Y150", lock_in_a_vector_that_grows, "a lock moves as its vector grows"),
        row!("Y151", acquired_under_a_timeout, "a guard is acquired under a timeout, and moves"),
        row!("Y152", acquired_in_a_branch, "a guard is the value of an `if`, and moves"),
        row!("Y153", acquired_in_a_join, "the guards of a `join!` move"),
        row!("Y154", acquired_in_a_block, "a guard is the value of an async block, and moves"),
        row!("Y155", returned_by_a_function, "a function returns a guard, and its caller moves it"),
        row!("Y156", acquired_by_a_closure, "a closure makes the future of a lock of async-lock"),
        row!("Y157", acquired_by_a_macro, "a macro acquires a lock, and its guard moves"),
        row!("Y158", acquired_at_once, "a guard of `try_lock` moves"),
        row!("Y159", lease_of_a_timer, "a timer's own waker drops an owned guard").seems(likely("self_wait")),
        row!("Y271", spawned_in_a_drop, "a guard moves into a task whose handle is dropped at once"),
        row!("Y160", refill_of_a_timer, "a timer's own waker adds permits").seems(likely("leak")),
    ],
};

/// How long each program looks stuck, in ms.
const LONG: u64 = 1_500;

type Table = Mutex<Vec<u64>>;

fn leaked<T: Default>() -> &'static T {
    Box::leak(Box::default())
}

/// Has the value for a while, in a task that is on no record.
fn keep(value: impl Send + 'static) {
    ::tokio::spawn(async move {
        ::tokio::time::sleep(ms(LONG)).await;
        drop(value);
    });
}

#[diagnose]
async fn joins(task: JoinHandle<()>) {
    task.await.unwrap();
}

async fn downgraded() {
    #[diagnose]
    async fn body(table: &'static RwLock<u64>) {
        let rows = table.write().await;
        keep(rows.downgrade());
        *table.write().await += 1;
    }
    joins(tokio::spawn(body(leaked()))).await;
}

async fn spawned_in_a_drop() {
    #[diagnose]
    async fn run(mut rows: MutexGuard<'static, Vec<u64>>) {
        tokio::time::sleep(ms(LONG)).await;
        rows.clear();
    }
    #[diagnose]
    async fn body(table: &'static Table, other: &'static Mutex<u64>) {
        use tokio::spawn;
        let rows = table.lock().await;
        drop(spawn(run(rows)));
        *other.lock().await += 1;
    }
    #[diagnose]
    async fn crosses(table: &'static Table, other: &'static Mutex<u64>) {
        let mut sum = other.lock().await;
        tokio::time::sleep(ms(20)).await;
        *sum += table.lock().await.len() as u64;
    }
    let (table, other) = (leaked(), leaked());
    let crossing = tokio::spawn(crosses(table, other));
    tokio::time::sleep(ms(10)).await;
    tokio::spawn(body(table, other)).await.unwrap();
    crossing.await.unwrap();
}

macro_rules! background {
    ($block:block) => {
        ::tokio::spawn(async move { $block })
    };
}

async fn moved_by_a_macro() {
    #[diagnose]
    async fn body(table: &'static Table) {
        let mut rows = table.lock().await;
        background!({
            ::tokio::time::sleep(ms(LONG)).await;
            rows.push(1);
            drop(rows);
        });
        table.lock().await.push(2);
    }
    joins(tokio::spawn(body(leaked()))).await;
}

mod background {
    pub(super) fn drop(value: impl Send + 'static) {
        super::keep(value);
    }
}

async fn another_drop() {
    #[diagnose]
    async fn body(table: &'static Table) {
        let rows = table.lock().await;
        background::drop(rows);
        table.lock().await.push(1);
    }
    joins(tokio::spawn(body(leaked()))).await;
}

async fn replaced_behind_a_name() {
    #[diagnose]
    async fn body(first: &'static Table, second: &'static Table) {
        let held = &mut first.lock().await;
        keep(mem::replace(held, second.lock().await));
        first.lock().await.push(1);
    }
    joins(tokio::spawn(body(leaked(), leaked()))).await;
}

async fn a_name_in_capitals() {
    #[diagnose]
    async fn body(table: &'static Table) {
        #[allow(non_snake_case)]
        let ROWS = table.lock().await;
        keep(ROWS);
        table.lock().await.push(1);
    }
    joins(tokio::spawn(body(leaked()))).await;
}

async fn lock_moved_into_a_static() {
    static TABLE: OnceLock<Table> = OnceLock::new();
    #[diagnose]
    async fn body() {
        let table = Table::default();
        table.lock().await.push(1);
        let table = TABLE.get_or_init(|| table);
        keep(table.lock().await);
        table.lock().await.push(2);
    }
    joins(tokio::spawn(body())).await;
}

async fn lock_in_a_vector_that_grows() {
    #[diagnose]
    async fn body() {
        let mut shards = Vec::with_capacity(1);
        shards.push(Table::default());
        shards[0].lock().await.push(1);
        shards.extend((0..100).map(|_| Table::default()));
        let shards: &'static [Table] = shards.leak();
        keep(shards[0].lock().await);
        shards[0].lock().await.push(2);
    }
    joins(tokio::spawn(body())).await;
}

async fn acquired_under_a_timeout() {
    #[diagnose]
    async fn body(table: &'static Table) {
        let Ok(rows) = timeout(ms(LONG), table.lock()).await else { return };
        keep(rows);
        table.lock().await.push(1);
    }
    joins(tokio::spawn(body(leaked()))).await;
}

async fn acquired_in_a_branch() {
    #[diagnose]
    async fn body(urgent: &'static Table, other: &'static Table, is_urgent: bool) {
        let rows = if is_urgent { urgent.lock().await } else { other.lock().await };
        keep(rows);
        urgent.lock().await.push(1);
    }
    joins(tokio::spawn(body(leaked(), leaked(), true))).await;
}

async fn acquired_in_a_join() {
    #[diagnose]
    async fn body(first: &'static Table, second: &'static Table) {
        let (one, two) = tokio::join!(first.lock(), second.lock());
        keep((one, two));
        first.lock().await.push(1);
    }
    joins(tokio::spawn(body(leaked(), leaked()))).await;
}

async fn acquired_in_a_block() {
    #[diagnose]
    async fn body(table: &'static Table) {
        let rows = async { table.lock().await }.await;
        keep(rows);
        table.lock().await.push(1);
    }
    joins(tokio::spawn(body(leaked()))).await;
}

async fn returned_by_a_function() {
    static SHARDS: LazyLock<Vec<Table>> = LazyLock::new(|| vec![Table::default(), Table::default()]);
    #[diagnose]
    async fn rows() -> Option<MutexGuard<'static, Vec<u64>>> {
        let rows = SHARDS.get(1)?.lock().await;
        Some(rows)
    }
    #[diagnose]
    async fn body() {
        let Some(rows) = rows().await else { return };
        keep(rows);
        SHARDS[1].lock().await.push(1);
    }
    joins(tokio::spawn(body())).await;
}

async fn acquired_by_a_closure() {
    #[diagnose]
    async fn body(table: &'static async_lock::Mutex<u64>) {
        let acquire = || table.lock();
        let rows = acquire().await;
        keep(rows);
        *table.lock().await += 1;
    }
    joins(tokio::spawn(body(leaked()))).await;
}

macro_rules! locked {
    ($table:expr) => {
        $table.lock().await
    };
}

async fn acquired_by_a_macro() {
    #[diagnose]
    async fn body(table: &'static Table) {
        let rows = locked!(table);
        keep(rows);
        table.lock().await.push(1);
    }
    joins(tokio::spawn(body(leaked()))).await;
}

async fn acquired_at_once() {
    #[diagnose]
    async fn body(table: &'static Table) {
        let Ok(rows) = table.try_lock() else { return };
        keep(rows);
        table.lock().await.push(1);
    }
    joins(tokio::spawn(body(leaked()))).await;
}

/// What a waker does.
struct Call(StdMutex<Option<Box<dyn FnOnce() + Send>>>);

impl Wake for Call {
    fn wake(self: Arc<Self>) {
        if let Some(call) = self.0.lock().unwrap().take() {
            call();
        }
    }
}

/// Runs a call after a while, on the thread of a timer.
fn later(call: impl FnOnce() + Send + 'static) {
    static TIMERS: StdMutex<Vec<Pin<Box<::tokio::time::Sleep>>>> = StdMutex::new(Vec::new());
    let mut timer = Box::pin(::tokio::time::sleep(ms(LONG)));
    let waker = Waker::from(Arc::new(Call(StdMutex::new(Some(Box::new(call))))));
    assert!(timer.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    TIMERS.lock().unwrap().push(timer);
}

async fn lease_of_a_timer() {
    let table = Arc::new(Mutex::new(0));
    let lease = Arc::clone(&table).lock_owned().await;
    later(move || drop(lease));
    *table.lock().await += 1;
}

async fn refill_of_a_timer() {
    let permits = Arc::new(Semaphore::new(1));
    permits.acquire().await.unwrap().forget();
    let refilled = Arc::clone(&permits);
    later(move || refilled.add_permits(1));
    drop(permits.acquire().await.unwrap());
}
