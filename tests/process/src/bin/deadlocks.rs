//! Tasks that hang, beside tasks that only wait, until the watchdog's alarms contain the given
//! words. Then the waiting tasks continue, and the reports go to stdout, text before JSON. The
//! hanging tasks never continue.

use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use diagnose::diagnose;
use diagnose::tokio;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Barrier, Mutex, oneshot};

type Lock = Arc<Mutex<u32>>;

/// Checks repeatedly, for at most a minute.
fn until(is_so: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !is_so() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[diagnose]
async fn left(first: Lock, second: Lock, both: Arc<Barrier>) {
    let _guard = first.lock().await;
    both.wait().await;
    let _ = second.lock().await; // left waits here
}

#[diagnose]
async fn right(first: Lock, second: Lock, both: Arc<Barrier>) {
    let _guard = first.lock().await;
    both.wait().await;
    let _ = second.lock().await; // right waits here
}

/// Two tasks, each of which holds the lock that the other waits for.
fn deadlock(runtime: &Runtime) {
    let locks: [Lock; 2] = Default::default();
    let both = Arc::new(Barrier::new(2));
    let [first, second] = locks.clone();
    runtime.spawn(left(first, second, Arc::clone(&both)));
    let [first, second] = locks;
    runtime.spawn(right(second, first, both));
}

#[diagnose]
async fn op(lock: &Lock) {
    *lock.lock().await += 1;
}

/// The first attempt was handed the lock, and is no longer polled.
#[diagnose]
async fn tries_twice(lock: Lock, go: oneshot::Receiver<()>, released: oneshot::Sender<()>) {
    let mut first = std::pin::pin!(op(&lock));
    tokio::select! {
        biased;
        () = &mut first => {}
        _ = go => {
            let _ = released.send(());
            op(&lock).await;
        }
    }
}

#[diagnose]
async fn holds(lock: Lock, has: oneshot::Sender<()>, end: oneshot::Receiver<()>) {
    let _guard = lock.lock().await;
    let _ = has.send(());
    let _ = end.await;
}

fn futurelock(runtime: &Runtime) {
    let lock = Lock::default();
    let (has, held) = oneshot::channel();
    let (release, released) = oneshot::channel();
    runtime.spawn(holds(Arc::clone(&lock), has, released));
    held.blocking_recv().expect("it is held");
    let (go, gone) = oneshot::channel();
    runtime.spawn(tries_twice(lock, gone, release));
    // The task takes the other branch only after it has begun to wait for the lock.
    until(|| {
        let snapshot = diagnose::snapshot();
        let is_it = |task: &diagnose::model::Task| snapshot.sites[task.site].name == "tries_twice";
        let task = snapshot.tasks.iter().find(|task| is_it(task)).map(|task| task.id);
        task.is_some() && snapshot.waits.iter().any(|wait| wait.task == task && wait.place.is_some())
    });
    go.send(()).expect("it waits for that, too");
}

#[diagnose]
async fn forgets(lock: Lock) {
    std::mem::forget(lock.lock().await);
}

/// A lock that is never released, because its holder is gone.
fn forgotten(runtime: &Runtime) {
    let lock = Lock::default();
    runtime.block_on(runtime.spawn(forgets(Arc::clone(&lock)))).expect("no panic");
    runtime.spawn(queues(lock));
}

#[diagnose]
async fn queues(lock: Lock) {
    *lock.lock().await += 1;
}

/// A lock that is held for long, with three waiters. Its holder waits for a message from outside.
fn slow(runtime: &Runtime) -> (oneshot::Sender<()>, impl Future<Output = u32>) {
    let lock = Lock::default();
    let (has, held) = oneshot::channel();
    let (end, ends) = oneshot::channel();
    runtime.spawn(holds(Arc::clone(&lock), has, ends));
    held.blocking_recv().expect("it is held");
    let waiting = [(); 3].map(|()| runtime.spawn(queues(Arc::clone(&lock))));
    let all = async move {
        for task in waiting {
            task.await.expect("no panic");
        }
        *lock.lock().await
    };
    (end, all)
}

fn main() {
    diagnose::Builder::new().signal(None).install();
    let runtime = Builder::new_multi_thread().worker_threads(2).build().expect("it starts");
    let (end, waiting) = slow(&runtime);
    for what in std::env::args().skip(1) {
        let (what, words) = what.split_once('=').expect("what, and which words");
        match what {
            "deadlock" => deadlock(&runtime),
            "futurelock" => futurelock(&runtime),
            "forgotten" => forgotten(&runtime),
            _ => panic!("{what}?"),
        }
        until(|| diagnose::snapshot().alarms.iter().any(|alarm| alarm.text.contains(words)));
    }
    end.send(()).expect("it waits");
    assert_eq!(runtime.block_on(waiting), 3, "they have only waited");
    for format in [diagnose::Format::Text, diagnose::Format::Json] {
        diagnose::dump_to(format, &mut std::io::stdout()).expect("it is open");
    }
    runtime.shutdown_background();
}
