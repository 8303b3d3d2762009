//! What waits is code of the program's own, or its owner moved where no record shows it.

use std::sync::Arc;
use std::thread;

use diagnose::{FutureExt as _, Resource, wait};
use futures::future::{BoxFuture, FutureExt as _};
use futures::stream::{FuturesUnordered, StreamExt as _};

use super::ms;
use crate::drop_in::tokio;
use crate::row::{Section, likely, proven, row, suspect};
use tokio::runtime::Builder;
use tokio::sync::{Mutex, RwLock, Semaphore, mpsc, oneshot};
use tokio::task::LocalSet;
use tokio::time::{sleep, timeout};

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("opaque.rs"),
    rows: &[
        row!("Y111", units_to_spare, "a pool of the program's own opens its second of five connections"),
        row!(
            "Y112",
            wait_with_a_limit,
            "a pool of the program's own is empty, and the wait has a time limit"
        ),
        row!(
            "Y113",
            job_goes_on_elsewhere,
            "a boxed job with a guard is left to a task that polls such jobs"
        ),
        row!("Y114", frame_loop, "a reply from a thread that runs its tasks once per frame"),
        row!(
            "Y134",
            reply_after_a_signal,
            "a thread with a runtime of its own replies once a signal arrives"
        ),
        row!("X88", joins_with_a_permit, "a task joins another that waits for the permit that it holds")
            .is(proven("cycle"))
            .or(likely("cycle"))
            .in_noise(suspect("cycle")),
        row!("X89", second_reader, "read(), and read() again with a maximum of one reader")
            .is(proven("self_wait")),
        row!("X90", actors_beside_a_ticker, "two actors ask each other, and a task of the same main ticks")
            .is(suspect("cycle")),
    ],
};

/// How long each program looks stuck, in ms.
const LONG: u64 = 1_500;

async fn units_to_spare() {
    let pool = Resource::new("pool", 5);
    let _first = pool.hold();
    wait("connect", &pool, sleep(ms(LONG))).await;
}

async fn wait_with_a_limit() {
    let (pool, seats) = (Resource::new("pool", 1), ::tokio::sync::Semaphore::new(0));
    let _first = pool.hold();
    let get = ::tokio::time::timeout(ms(LONG), seats.acquire());
    wait("get", &pool, get).await.unwrap_err();
}

async fn job_goes_on_elsewhere() {
    let (jobs, mut taken) = mpsc::unbounded_channel::<BoxFuture<'static, ()>>();
    let polls = async move {
        let mut set = FuturesUnordered::new();
        loop {
            tokio::select! {
                Some(job) = taken.recv() => set.push(job),
                Some(()) = set.next() => {}
                else => break,
            }
        }
    };
    tokio::spawn(polls.diagnose("polls"));
    let lock = Arc::new(Mutex::new(()));
    let shared = Arc::clone(&lock);
    let mut job = async move {
        let _guard = shared.lock().await;
        sleep(ms(LONG)).await;
    }
    .boxed();
    if timeout(ms(50), &mut job).await.is_err() {
        jobs.send(job).ok().unwrap();
    }
    drop(lock.lock().await);
}

async fn frame_loop() {
    let ((commands, mut received), (reply, replied)) = (mpsc::channel::<()>(1), oneshot::channel());
    let draws = move || {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let tasks = LocalSet::new();
        let obeys = async move { while received.recv().await.is_some() {} };
        tasks.spawn_local(obeys.diagnose("obeys"));
        tasks.block_on(&runtime, async { sleep(ms(50)).await });
        thread::sleep(ms(LONG));
        reply.send(()).unwrap();
    };
    thread::spawn(draws);
    replied.await.unwrap();
    drop(commands);
}

async fn reply_after_a_signal() {
    let (reply, replied) = oneshot::channel();
    let listens = async move {
        let mut hang_up = ::tokio::signal::unix::signal(::tokio::signal::unix::SignalKind::hangup()).unwrap();
        // Another process sends it, as an operator does.
        let command = format!("sleep 1.5; kill -HUP {}", std::process::id());
        let mut sends = std::process::Command::new("sh").args(["-c", &command]).spawn().unwrap();
        hang_up.recv().await.unwrap();
        sends.wait().unwrap();
        reply.send(()).unwrap();
    };
    thread::spawn(move || {
        ::tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(listens);
    });
    let waits = async move { replied.await.unwrap() };
    tokio::spawn(waits.diagnose("waits")).await.unwrap();
}

async fn joins_with_a_permit() {
    let seats = Arc::new(Semaphore::new(1));
    let permit = Arc::clone(&seats).acquire_owned().await.unwrap(); // holds
    let takes = async move { drop(seats.acquire().await.unwrap()) }; // waits
    tokio::spawn(takes.diagnose("takes")).await.unwrap(); // waits
    drop(permit);
}

async fn second_reader() {
    let lock = RwLock::with_max_readers(0, 1);
    let first = lock.read().await; // holds
    let second = lock.read().await; // waits
    assert_eq!(*first, *second);
}

async fn actors_beside_a_ticker() {
    type Question = oneshot::Sender<()>;

    async fn actor(mut questions: mpsc::Receiver<Question>, other: mpsc::Sender<Question>) {
        while let Some(question) = questions.recv().await {
            let (reply, replied) = oneshot::channel(); // holds
            other.send(reply).await.unwrap();
            replied.await.unwrap(); // waits
            question.send(()).unwrap();
        }
    }

    let ((first, questions), (second, others)) = (mpsc::channel(4), mpsc::channel(4));
    let ticks = async {
        loop {
            sleep(ms(5)).await;
        }
    };
    tokio::spawn(ticks.diagnose("ticks"));
    tokio::spawn(actor(questions, second).diagnose("actor"));
    tokio::spawn(actor(others, first.clone()).diagnose("actor"));
    let (reply, replied) = oneshot::channel();
    first.send(reply).await.unwrap();
    replied.await.unwrap();
}
