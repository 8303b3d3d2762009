//! Hangs until the watchdog raises an alarm that contains the last argument. Then continues until
//! all alarms are over, and prints the text report to stdout.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant};

use diagnose::diagnose;
use diagnose::tokio;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Mutex, oneshot};

/// Checks repeatedly, for at most a minute.
fn until(is_so: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !is_so() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn has_said(words: &str) -> bool {
    diagnose::snapshot().alarms.iter().any(|alarm| alarm.text.contains(words))
}

#[diagnose]
async fn blocks(runs: Sender<()>, ends: Receiver<()>) {
    runs.send(()).expect("main waits");
    receives(&ends);
}

#[diagnose]
#[inline(never)]
fn receives(ends: &Receiver<()>) {
    let _ = ends.recv();
}

#[diagnose]
async fn waits(go: oneshot::Receiver<()>) {
    let _ = go.await;
}

/// Both workers are blocked, and two tasks are queued.
fn blocked(runtime: &Runtime, words: &str) {
    let (runs, is_running) = mpsc::channel();
    let (end1, ends1) = mpsc::channel();
    let (end2, ends2) = mpsc::channel();
    let tasks = [runtime.spawn(blocks(runs.clone(), ends1)), runtime.spawn(blocks(runs, ends2))];
    for _ in &tasks {
        is_running.recv().expect("both run");
    }
    let (_go, gone) = oneshot::channel();
    runtime.spawn(waits(gone));
    runtime.spawn(async {});
    until(|| has_said(words));
    drop((end1, end2));
    for task in tasks {
        runtime.block_on(task).expect("no panic");
    }
}

#[diagnose]
async fn spins(words: &str) {
    black_box(digests(words));
}

#[inline(never)]
fn digests(words: &str) -> u64 {
    let mut sum = 0_u64;
    let mut is_said = || {
        let end = Instant::now() + Duration::from_millis(20);
        while Instant::now() < end {
            sum = black_box((0..1_000).fold(sum, |sum, number| sum.wrapping_mul(31) ^ number));
        }
        has_said(words)
    };
    let end = Instant::now() + Duration::from_secs(60);
    while !is_said() && Instant::now() < end {}
    sum
}

#[diagnose]
async fn wakes(runs: Sender<()>, go: oneshot::Sender<()>, ends: Receiver<()>) {
    let _ = go.send(());
    runs.send(()).expect("main waits");
    receives(&ends);
}

/// The task that a poll wakes last stays on its worker, although the other worker is idle.
fn uneven(runtime: &Runtime, words: &str) {
    let (go, gone) = oneshot::channel();
    let waiting = runtime.spawn(waits(gone));
    let is_waiting = |task: &diagnose::model::Task| task.polls == 1;
    until(|| diagnose::snapshot().tasks.iter().any(is_waiting));
    // Only then has the worker finished the task's poll. A task that is woken before that is queued
    // on the worker that polls it.
    until(|| parked() == 2);
    let (runs, is_running) = mpsc::channel();
    let (end, ends) = mpsc::channel();
    let waking = runtime.spawn(wakes(runs, go, ends));
    is_running.recv().expect("it runs");
    until(|| has_said(words));
    drop(end);
    runtime.block_on(waking).expect("no panic");
    runtime.block_on(waiting).expect("no panic");
}

fn parked() -> usize {
    diagnose::snapshot().workers.iter().filter(|worker| worker.parked).count()
}

/// Waits for a lock whose guard the function has that each alarm calls.
#[diagnose]
async fn is_released(lock: Arc<Mutex<()>>) {
    let held = std::sync::Mutex::new(Some(Arc::clone(&lock).lock_owned().await));
    let release = move |_: &diagnose::model::Alarm| drop(held.lock().map(|mut held| held.take()));
    diagnose::Builder::new().signal(None).on_alarm(release).reinstall().expect("the folder is there");
    drop(lock.lock().await);
}

fn main() {
    diagnose::Builder::new().signal(None).install();
    let runtime =
        Builder::new_multi_thread().worker_threads(2).thread_name("worker").build().expect("it starts");
    until(|| parked() == 2);
    let mut arguments = std::env::args().skip(1);
    let (what, words) = (arguments.next().expect("what"), arguments.next().expect("which words"));
    match what.as_str() {
        "blocked" => blocked(&runtime, &words),
        "released" => runtime.block_on(is_released(Arc::default())),
        "uneven" => uneven(&runtime, &words),
        _ => runtime.block_on(spins(&words)),
    }
    until(|| diagnose::snapshot().alarms.iter().all(|alarm| alarm.resolved_at_unix_ms.is_some()));
    diagnose::dump_to(diagnose::Format::Text, &mut std::io::stdout()).expect("it is open");
}
