//! Threads that do not come back from a poll, or from a job.

use std::hint;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed, Ordering::SeqCst};
use std::sync::{Arc, mpsc};
use std::thread;

use diagnose::FutureExt as _;
use futures::executor;

use super::ms;
use crate::drop_in::{std_sync, tokio};
use crate::row::{Section, likely, proven, row, suspect};
use tokio::runtime::{Builder, Handle, RuntimeFlavor};
use tokio::sync::{oneshot, watch};
use tokio::task::{LocalSet, spawn_blocking, spawn_local, yield_now};
use tokio::time::sleep;

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("workers.rs"),
    rows: &[
        row!(
            "C43",
            guard_across_await,
            "an arm of a join! keeps a std guard across an await, and its sibling locks"
        )
        .is(proven("blocked_worker"))
        .beside("driver_starved"),
        row!(
            "C43",
            guard_across_await_local,
            "a task of a LocalSet keeps a std guard across an await, and another locks"
        )
        .is(proven("blocked_worker"))
        .beside("driver_starved"),
        row!("C44", borrow_across_await, "a watch::Ref across an await, and send() on the same thread")
            .is(proven("blocked_worker"))
            .beside("driver_starved"),
        row!("C46", block_on_everywhere, "block_on on every worker, for what another task sends")
            .is(likely("blocked_worker"))
            .beside("driver_starved"),
        row!("C47", block_on_without_budget, "block_on in a task whose budget is used up: idle, or spinning")
            .is(suspect("blocked_worker"))
            .or(suspect("spin"))
            .beside("driver_starved")
            .keeps_busy(),
        row!("C49", nested_blocking_jobs, "all blocking threads wait for jobs queued behind them")
            .is(proven("pool_exhausted")),
        row!("C50", runtime_drop, "a runtime is dropped while a blocking job waits for ever")
            .is(likely("shutdown"))
            .or(suspect("shutdown"))
            .beside("driver_starved"),
        row!("C51", spins, "a task spins until another has run, which it keeps from running")
            .is(likely("spin"))
            .beside("driver_starved")
            .ends_on_two_workers()
            .keeps_busy(),
        row!("C53", drop_locks, "a Drop impl locks what the code that drops the value has locked")
            .is(proven("blocked_worker"))
            .beside("driver_starved"),
        row!("X91", local_set_not_run, "a task of a LocalSet is awaited outside of it")
            .is(suspect("driver_starved").detail("undriven")),
        row!("X92", runtime_not_run, "a task of a current-thread runtime that no thread runs is awaited")
            .is(suspect("driver_starved").detail("undriven")),
        row!("X93", blocking_pool_asleep, "all blocking threads sleep, and a job is queued behind them")
            .is(suspect("pool_exhausted")),
    ],
};

#[allow(clippy::await_holding_lock)] // That is the mistake.
async fn guard_across_await() {
    let map = std_sync::Mutex::new(0);
    let one = async {
        let mut guard = map.lock().unwrap(); // holds
        yield_now().await;
        *guard += 1;
    };
    let other = async {
        *map.lock().unwrap() += 1; // waits
    };
    tokio::join!(one.diagnose("one"), other.diagnose("other"));
}

#[allow(clippy::await_holding_lock)]
async fn guard_across_await_local() {
    let set = LocalSet::new();
    let both = async {
        let map = Arc::new(std_sync::Mutex::new(0));
        let shared = Arc::clone(&map);
        let one = async move {
            let mut guard = shared.lock().unwrap(); // holds
            sleep(ms(900)).await;
            *guard += 1;
        };
        let other = async move {
            *map.lock().unwrap() += 1; // waits
        };
        let one = spawn_local(one.diagnose("one"));
        spawn_local(other.diagnose("other")).await.unwrap();
        one.await.unwrap();
    };
    set.run_until(both).await;
}

async fn borrow_across_await() {
    let (sender, receiver) = watch::channel(0);
    let looks = async {
        let value = receiver.borrow(); // holds
        yield_now().await;
        assert_eq!(*value, 0);
    };
    let sends = async {
        sender.send(1).unwrap(); // waits
    };
    tokio::join!(looks.diagnose("looks"), sends.diagnose("sends"));
}

async fn block_on_everywhere() {
    let workers = Handle::current().metrics().num_workers();
    let (senders, receivers): (Vec<_>, Vec<_>) = (0..workers).map(|_| oneshot::channel()).unzip(); // waits
    let begun = Arc::new(AtomicUsize::new(0));
    let tasks: Vec<_> = receivers
        .into_iter()
        .map(|receiver| {
            let begun = Arc::clone(&begun);
            let blocks = async move {
                begun.fetch_add(1, Relaxed);
                executor::block_on(receiver).unwrap(); // waits
            };
            tokio::spawn(blocks.diagnose("blocks")) // waits
        })
        .collect();
    let sends = async move {
        // On a machine with other work a worker may come late.
        sleep(ms(300)).await;
        while begun.load(Relaxed) < workers {
            sleep(ms(300)).await;
        }
        for sender in senders {
            sender.send(()).unwrap();
        }
    };
    tokio::spawn(sends.diagnose("sends"));
    for task in tasks {
        task.await.unwrap();
    }
}

async fn block_on_without_budget() {
    for _ in 0..1000 {
        let job = async {
            spawn_blocking(|| ()).await.unwrap(); // waits
        };
        executor::block_on(job.diagnose("job")); // waits
    }
}

async fn nested_blocking_jobs() {
    let jobs = [0, 1].map(|_| {
        spawn_blocking(|| {
            thread::sleep(ms(20));
            let inner = async {
                spawn_blocking(|| ()).await.unwrap(); // waits
            };
            Handle::current().block_on(inner.diagnose("inner")); // waits
        })
    });
    for job in jobs {
        job.await.unwrap();
    }
}

async fn blocking_pool_asleep() {
    for _ in 0..2 {
        drop(spawn_blocking(|| thread::sleep(ms(3_600_000)))); // waits
    }
    spawn_blocking(|| ()).await.unwrap();
}

/// A drop does not tell its place: the wait is shown where the runtime was built.
async fn runtime_drop() {
    let other = thread::spawn(|| {
        let runtime = Builder::new_current_thread().build().unwrap(); // waits
        let (sender, receiver) = std_sync::mpsc::channel::<()>();
        let job = move || receiver.recv();
        let start = async {
            drop(spawn_blocking(job)); // holds
        };
        runtime.block_on(start);
        drop(runtime);
        drop(sender);
    });
    other.join().unwrap();
}

async fn spins() {
    let flag = Arc::new(AtomicBool::new(false));
    let shared = Arc::clone(&flag);
    let (started, is_started) = mpsc::channel();
    let spins = async move {
        started.send(()).unwrap();
        while !flag.load(SeqCst) {
            hint::spin_loop();
        }
    };
    let spins = tokio::spawn(spins.diagnose("spins")); // waits
    if Handle::current().runtime_flavor() == RuntimeFlavor::MultiThread {
        // A worker whose queue is full changes the order of what is in it.
        is_started.recv().unwrap();
    }
    let sets = async move { shared.store(true, SeqCst) };
    tokio::spawn(sets.diagnose("sets")).await.unwrap();
    spins.await.unwrap();
}

async fn drop_locks() {
    struct Entry(Arc<std_sync::Mutex<u32>>);
    impl Drop for Entry {
        fn drop(&mut self) {
            *self.0.lock().unwrap() -= 1; // waits
        }
    }
    let count = Arc::new(std_sync::Mutex::new(1));
    let entry = Entry(Arc::clone(&count));
    let request = async move {
        let _entry = entry;
        sleep(ms(1_000)).await;
    };
    let close = async {
        let guard = count.lock().unwrap(); // holds
        drop(request);
        drop(guard);
    };
    close.diagnose("close").await;
}

async fn local_set_not_run() {
    let tasks = LocalSet::new();
    let answers = async { 42 };
    tasks.spawn_local(answers.diagnose("answers")).await.unwrap(); // waits
}

async fn runtime_not_run() {
    let other = Builder::new_current_thread().build().unwrap();
    let answers = async { 42 };
    other.spawn(answers.diagnose("answers")).await.unwrap(); // waits
}
