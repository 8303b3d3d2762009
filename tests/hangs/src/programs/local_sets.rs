//! Tasks of a `LocalSet`, and the task that runs the set.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, mpsc as std_mpsc};
use std::thread;

use diagnose::FutureExt as _;
use diagnose::diagnose;

use super::ms;
use crate::drop_in::tokio;
use crate::row::{Row, Section, likely, proven, row, suspect};
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::{Mutex, OwnedMutexGuard, mpsc, oneshot};
use tokio::task::{LocalSet, spawn_local, yield_now};
use tokio::time::{sleep, timeout};

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("local_sets.rs"),
    rows: &[
        row!(
            "X125",
            set_run_under_a_lock,
            "main runs a LocalSet with a lock that a task of the set waits for"
        )
        .is(proven("cycle"))
        .or(likely("cycle"))
        .in_noise(likely("cycle")),
        row!("X126", ring_of_local_tasks, "two tasks of a LocalSet fill each other's channels")
            .is(likely("cycle"))
            .in_noise(suspect("cycle")),
        row!("X127", joined_ring_of_local_tasks, "the same in run_until, where main joins them")
            .is(likely("cycle"))
            .in_noise(suspect("cycle")),
        row!("Y176", set_of_a_library, "a task of a LocalSet, spawned by tokio itself, has a guard for long"),
        row!("Y177", run_until_of_a_library, "the same in run_until"),
        Row::new("Y178", "block_on_of_a_library", "the same in a block_on of the set", block_on_of_a_library),
        row!("Y179", set_under_a_timeout, "a timeout drops a LocalSet whose task waits for main's lock"),
        row!("Y180", set_run_twice, "two arms run a LocalSet, and one ends later"),
        row!("Y181", spawned_from_a_guard, "a task of the set releases what another one waits for"),
        row!("Y231", set_left_for_a_while, "a thread leaves its LocalSet, and answers from another executor"),
    ],
};

/// How long each program looks stuck, in ms.
const LONG: u64 = 1_500;

type Lock = Arc<Mutex<u32>>;
type Slot = Rc<RefCell<Option<OwnedMutexGuard<u32>>>>;

async fn set_run_under_a_lock() {
    #[diagnose]
    async fn adds(lock: Lock) {
        *lock.lock().await += 1; // waits
    }
    #[diagnose]
    async fn runs(lock: Lock) {
        let set = LocalSet::new();
        let guard = lock.lock().await; // holds
        set.spawn_local(adds(Arc::clone(&lock)));
        set.await; // waits
        drop(guard);
    }
    runs(Lock::default()).await;
}

async fn ring_of_local_tasks() {
    let set = LocalSet::new();
    let (to_first, mut first) = mpsc::channel(1);
    let (to_second, mut second) = mpsc::channel(1);
    set.spawn_local(async move {
        for n in 0..5 {
            to_second.send(n).await.unwrap(); // waits
        }
        while first.recv().await.is_some() {}
    });
    set.spawn_local(async move {
        for n in 0..5 {
            to_first.send(n).await.unwrap(); // waits
        }
        while second.recv().await.is_some() {}
    });
    set.await;
}

async fn joined_ring_of_local_tasks() {
    #[diagnose]
    async fn fills(sender: mpsc::Sender<u32>, mut receiver: mpsc::Receiver<u32>) {
        for n in 0..5 {
            sender.send(n).await.unwrap(); // waits
        }
        while receiver.recv().await.is_some() {}
    }
    #[diagnose]
    async fn joins() {
        let (to_first, first) = mpsc::channel(1);
        let (to_second, second) = mpsc::channel(1);
        let one = spawn_local(fills(to_second, first));
        let other = spawn_local(fills(to_first, second));
        one.await.unwrap();
        other.await.unwrap();
    }
    LocalSet::new().run_until(joins()).await;
}

/// Spawns a task that no record shows, which releases the guard in the slot after a while.
fn spawn_library(set: Option<&LocalSet>, slot: Slot) {
    let library = async move {
        ::tokio::time::sleep(ms(LONG)).await;
        slot.borrow_mut().take();
    };
    match set {
        Some(set) => ::tokio::task::LocalSet::spawn_local(set, library),
        None => ::tokio::task::spawn_local(library),
    };
}

#[diagnose]
async fn adds(lock: Lock) {
    *lock.lock().await += 1;
}

async fn set_of_a_library() {
    let (set, lock) = (LocalSet::new(), Lock::default());
    let guard = Arc::clone(&lock).lock_owned().await;
    spawn_library(Some(&set), Rc::new(RefCell::new(Some(guard))));
    set.spawn_local(adds(lock));
    set.await;
}

async fn waits_for_a_library() {
    let lock = Lock::default();
    let guard = Arc::clone(&lock).lock_owned().await;
    spawn_library(None, Rc::new(RefCell::new(Some(guard))));
    let other = spawn_local(adds(Arc::clone(&lock)));
    adds(lock).await;
    other.await.unwrap();
}

async fn run_until_of_a_library() {
    LocalSet::new().run_until(waits_for_a_library()).await;
}

fn block_on_of_a_library(runtime: &Runtime) {
    LocalSet::new().block_on(runtime, waits_for_a_library());
}

async fn set_under_a_timeout() {
    let (set, lock) = (LocalSet::new(), Lock::default());
    let guard = lock.lock().await;
    set.spawn_local(adds(Arc::clone(&lock)));
    let _ = timeout(ms(LONG), set).await;
    drop(guard);
}

async fn set_run_twice() {
    let (set, lock) = (LocalSet::new(), Lock::default());
    let guard = Arc::clone(&lock).lock_owned().await;
    let late = async {
        sleep(ms(LONG)).await;
        drop(guard);
    };
    set.spawn_local(adds(Arc::clone(&lock)));
    tokio::join!(set.run_until(adds(lock)), set.run_until(late.diagnose("late")));
    set.await;
}

async fn spawned_from_a_guard() {
    let (set, lock) = (LocalSet::new(), Lock::default());
    let guard = Arc::clone(&lock).lock_owned().await;
    let entered = set.enter();
    set.spawn_local(adds(lock));
    spawn_local(async move {
        sleep(ms(LONG)).await;
        drop(guard);
    });
    drop(entered);
    set.await;
}

async fn set_left_for_a_while() {
    let (ask, asked) = std_mpsc::channel::<oneshot::Sender<u32>>();
    let (is_ready, ready) = std_mpsc::channel();
    let timers = Handle::current();
    let thread = thread::spawn(move || {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let set = LocalSet::new();
        let (stop, stopped) = oneshot::channel();
        set.spawn_local(async move { stopped.await.unwrap() }.diagnose("idle"));
        runtime.block_on(set.run_until(yield_now()));
        is_ready.send(()).unwrap();
        let reply = asked.recv().unwrap();
        let entered = timers.enter();
        ::futures::executor::block_on(::tokio::time::sleep(ms(LONG)));
        drop(entered);
        reply.send(1).unwrap();
        stop.send(()).unwrap();
        runtime.block_on(set);
    });
    ready.recv().unwrap();
    let (reply, replied) = oneshot::channel();
    ask.send(reply).unwrap();
    let asks = async move { replied.await.unwrap() };
    tokio::spawn(asks.diagnose("asks")).await.unwrap();
    thread.join().unwrap();
}
