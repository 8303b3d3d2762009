//! Programs that wait and go on: nothing is wrong with them, and nothing shall be said. The
//! corpus's own.

use std::sync::Arc;
use std::thread;

use diagnose::FutureExt as _;
use futures::StreamExt as _;
use futures::stream;

use super::ms;
use crate::drop_in::{async_lock, tokio};
use crate::row::{Section, row};
use tokio::sync::{Mutex, mpsc, oneshot};
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::{sleep, timeout};

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("controls.rs"),
    rows: &[
        row!(
            "C04",
            buffer_unordered_async_lock,
            "async-lock, whose semaphore is not fair: buffer_unordered and its for_each share it"
        )
        .healthy(),
        row!("N01", slow_lock, "ten tasks wait for a slow lock").healthy(),
        row!(
            "N02",
            cycle_with_timeout,
            "two tasks lock A and B in opposite order, one of them for 700 ms at most"
        )
        .healthy(),
        row!("N05", sent_by_a_thread, "a oneshot whose sender is with a thread").healthy(),
        row!("N06", idle_server, "a worker without work, and main waits for a thread").healthy(),
        row!("N08", lock_in_a_loop, "select! over lock() and a sleep, in a loop").healthy(),
        row!("N10", long_blocking_job, "a long blocking job has the lock").healthy(),
        row!("N11", quiescent_pair, "two idle tasks, each with the other's sender").healthy(),
    ],
};

async fn buffer_unordered_async_lock() {
    let semaphore = Arc::new(async_lock::Semaphore::new(1));
    let items = stream::iter(0..20).map(|_| {
        let item = async {
            let _permit = semaphore.acquire().await;
            sleep(ms(20)).await;
        };
        item.diagnose("item")
    });
    let body = |()| {
        let body = async {
            let _permit = semaphore.acquire().await;
            sleep(ms(1)).await;
        };
        body.diagnose("body")
    };
    items.buffer_unordered(2).for_each(body).await;
}

async fn slow_lock() {
    let lock = Arc::new(Mutex::new(()));
    let mut tasks = JoinSet::new();
    for _ in 0..10 {
        let lock = Arc::clone(&lock);
        let work = async move {
            let _guard = lock.lock().await;
            sleep(ms(60)).await;
        };
        tasks.spawn(work.diagnose("work"));
    }
    while tasks.join_next().await.is_some() {}
}

async fn cycle_with_timeout() {
    let (a, b) = (Arc::new(Mutex::new(())), Arc::new(Mutex::new(())));
    let (a_first, b_second) = (Arc::clone(&a), Arc::clone(&b));
    let patient = async move {
        let _b = b.lock().await;
        sleep(ms(20)).await;
        let _a = a.lock().await;
    };
    let impatient = async move {
        let _a = a_first.lock().await;
        sleep(ms(20)).await;
        let _ = timeout(ms(700), b_second.lock()).await;
    };
    let patient = tokio::spawn(patient.diagnose("patient"));
    let impatient = tokio::spawn(impatient.diagnose("impatient"));
    impatient.await.unwrap();
    patient.await.unwrap();
}

async fn sent_by_a_thread() {
    let (sender, receiver) = oneshot::channel();
    thread::spawn(move || {
        thread::sleep(ms(700));
        sender.send(()).unwrap();
    });
    receiver.await.unwrap();
}

async fn idle_server() {
    let (jobs, mut queue) = mpsc::channel::<u32>(1);
    let worker = async move { while queue.recv().await.is_some() {} };
    let worker = tokio::spawn(worker.diagnose("worker"));
    let (stop, is_stopped) = oneshot::channel();
    thread::spawn(move || {
        thread::sleep(ms(900));
        stop.send(()).unwrap();
    });
    is_stopped.await.unwrap();
    drop(jobs);
    worker.await.unwrap();
}

async fn lock_in_a_loop() {
    let lock = Arc::new(Mutex::new(()));
    let guard = Arc::clone(&lock).lock_owned().await;
    let holds = async move {
        sleep(ms(700)).await;
        drop(guard);
    };
    tokio::spawn(holds.diagnose("holder"));
    loop {
        tokio::select! {
            _guard = lock.lock() => break,
            () = sleep(ms(20)) => {}
        }
    }
}

async fn long_blocking_job() {
    let lock = Arc::new(Mutex::new(()));
    let held = Arc::clone(&lock);
    let job = spawn_blocking(move || {
        let _guard = held.blocking_lock();
        thread::sleep(ms(700));
    });
    sleep(ms(50)).await;
    let guard = lock.lock().await;
    drop(guard);
    job.await.unwrap();
}

async fn quiescent_pair() {
    let (to_one, mut inbox_of_one) = mpsc::channel::<u32>(1);
    let (to_two, mut inbox_of_two) = mpsc::channel::<u32>(1);
    let one = async move {
        let _peer = to_two;
        while inbox_of_one.recv().await.is_some() {}
    };
    let two = async move {
        let _peer = to_one;
        while inbox_of_two.recv().await.is_some() {}
    };
    tokio::spawn(one.diagnose("one"));
    tokio::spawn(two.diagnose("two"));
    sleep(ms(900)).await;
}
