//! Guards that are lent: to a scoped thread around a `block_on`, to a job on a thread that was a
//! worker, to another task of the same thread. And children that wait behind their parent's guard.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, mpsc as plain_mpsc};
use std::thread;

use diagnose::FutureExt as _;

use super::ms;
use crate::drop_in::{async_lock, std_sync, tokio};
use crate::row::{Section, proven, row, suspect};
use tokio::runtime::Builder;
use tokio::sync::{Mutex, RwLock, Semaphore};
use tokio::task::{LocalSet, spawn_blocking, spawn_local};
use tokio::time::sleep;

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("lent.rs"),
    rows: &[
        row!("Y120", guard_to_a_scoped_thread, "a guard of a lock around a block_on goes to a scoped thread"),
        row!("Y121", guard_of_async_lock_to_a_scoped_thread, "the same with a lock of async-lock"),
        row!("Y122", permit_with_a_former_worker, "a thread that was a worker drops a permit in a job"),
        row!("Y123", guard_of_std_in_a_slot, "a task drops a guard of std that another of its thread took"),
        row!("X95", second_read_before_a_child, "a child waits to write, and its parent reads a second time")
            .is(proven("cycle").detail("via_queue"))
            .in_noise(suspect("cycle").detail("via_queue")),
        row!("X96", second_permit_before_a_child, "the same with a semaphore")
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
