//! Programs that look stuck and go on: what ends the wait is not on record, or aborts what is
//! stuck.

use std::collections::HashMap;
use std::sync::{Arc, Mutex as StdMutex, OnceLock};
use std::thread;

use diagnose::{FutureExt as _, diagnose};
use futures::FutureExt as _;
use futures::future::BoxFuture;

use super::ms;
use crate::drop_in::tokio;
use crate::row::{Row, Section, row};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Mutex, Notify, OwnedRwLockReadGuard, RwLock, Semaphore, mpsc, oneshot, watch};
use tokio::task::{AbortHandle, JoinHandle, JoinSet};
use tokio::time::{sleep, timeout};

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("outside.rs"),
    rows: &[
        row!(
            "Y31",
            aborted_after_a_timeout,
            "two tasks lock A and B in opposite order; main gives up and aborts them"
        ),
        row!(
            "Y32",
            set_dropped_after_a_timeout,
            "two tasks of a JoinSet lock A and B in opposite order, and the set is dropped"
        ),
        row!(
            "Y33",
            aborted_by_a_reaper,
            "deadlocked tasks, whose abort handles an older task has in a table"
        ),
        row!("Y34", reply_of_a_thread_pool, "a reply from a pool of threads that is older"),
        row!("Y35", reply_of_another_runtime, "a reply from a thread with a runtime of its own"),
        row!(
            "Y36",
            reply_of_a_library_task,
            "a reply from a task that tokio itself has spawned, and is older"
        ),
        row!("Y37", guards_in_a_list, "owned read guards in a list, and a writer"),
        row!("Y38", notified_by_a_library_task, "a notification from a task that is not on record"),
        row!("Y39", receiver_in_a_static, "a receiver that was used once, in a static"),
        row!("Y40", refilled_by_a_thread, "a permit is forgotten, and a thread adds one"),
        row!("Y41", closed_by_an_older_task, "a semaphore in a slot, which an older task closes"),
        row!("Y42", watch_sender_in_a_table, "a sender of a watch channel in a table"),
        row!("Y43", reserved_in_an_option, "an owned place in a channel, in an Option behind an Arc"),
        row!("Y44", handler_under_two_timeouts, "a request waits for a lock, under timeouts of two layers"),
        Row::new(
            "Y115",
            "map_of_an_older_task",
            "a reply from a task that was spawned before any block_on, by way of a map",
            map_of_an_older_task,
        ),
        row!("Y116", aborted_out_of_a_set, "deadlocked tasks of a JoinSet, whose abort handles a reaper has"),
        row!(
            "Y117",
            reaped_after_a_look,
            "a deadlocked task, whose join handle is polled for a while, then left to a reaper"
        ),
        row!(
            "Y118",
            set_in_a_box,
            "deadlocked tasks of a JoinSet, awaited by a boxed future that moves away"
        ),
        row!(
            "Y119",
            reaped_after_an_annotated_look,
            "annotated: a deadlocked task, whose join handle is polled and then left to a reaper"
        ),
    ],
};

/// How long each program looks stuck, in ms.
const LONG: u64 = 1_500;

#[diagnose]
async fn transfer(from: Arc<Mutex<u32>>, to: Arc<Mutex<u32>>) {
    let _from = from.lock().await;
    sleep(ms(20)).await;
    let _to = to.lock().await;
}

fn accounts() -> [Arc<Mutex<u32>>; 2] {
    [Arc::new(Mutex::new(1)), Arc::new(Mutex::new(2))]
}

async fn aborted_after_a_timeout() {
    let [a, b] = accounts();
    let mut one = tokio::spawn(transfer(Arc::clone(&a), Arc::clone(&b)));
    let mut other = tokio::spawn(transfer(b, a));
    let _ = timeout(ms(LONG), async { tokio::join!(&mut one, &mut other) }).await;
    // On a busy machine, one may have both locks before the other is polled at all.
    for task in [one, other].into_iter().filter(|task| !task.is_finished()) {
        task.abort();
        let _ = task.await;
    }
}

async fn set_dropped_after_a_timeout() {
    let [a, b] = accounts();
    let mut set = JoinSet::new();
    set.spawn(transfer(Arc::clone(&a), Arc::clone(&b)));
    set.spawn(transfer(b, a));
    let _ = timeout(ms(LONG), async { while set.join_next().await.is_some() {} }).await;
    drop(set);
}

/// A list of sessions, and a task that aborts them after a while.
fn reaped<T: Send + 'static>(abort: fn(&T)) -> Arc<StdMutex<Vec<T>>> {
    let sessions: Arc<StdMutex<Vec<T>>> = Arc::default();
    let theirs = Arc::clone(&sessions);
    let reaps = async move {
        sleep(ms(LONG)).await;
        theirs.lock().unwrap().iter().for_each(abort);
    };
    tokio::spawn(reaps.diagnose("reaps"));
    sessions
}

async fn aborted_by_a_reaper() {
    let sessions = reaped(AbortHandle::abort);
    sleep(ms(20)).await;
    let [a, b] = accounts();
    let one = tokio::spawn(transfer(Arc::clone(&a), Arc::clone(&b)));
    let other = tokio::spawn(transfer(b, a));
    sessions.lock().unwrap().extend([one.abort_handle(), other.abort_handle()]);
    let _ = (one.await, other.await);
}

async fn reply_of_a_thread_pool() {
    type Job = oneshot::Sender<u32>;
    let (jobs, queue) = std::sync::mpsc::channel::<Job>();
    let queue = Arc::new(StdMutex::new(queue));
    for _ in 0..2 {
        let queue = Arc::clone(&queue);
        thread::spawn(move || {
            let job = queue.lock().unwrap().recv();
            if let Ok(reply) = job {
                thread::sleep(ms(LONG));
                let _ = reply.send(1);
            }
        });
    }
    sleep(ms(60)).await;
    let (reply, replied) = oneshot::channel();
    jobs.send(reply).unwrap();
    replied.await.unwrap();
}

async fn reply_of_another_runtime() {
    let (requests, mut requested) = ::tokio::sync::mpsc::unbounded_channel::<oneshot::Sender<u32>>();
    thread::spawn(move || {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async move {
            let reply = requested.recv().await.unwrap();
            sleep(ms(LONG)).await;
            let _ = reply.send(1);
        });
    });
    sleep(ms(60)).await;
    let (reply, replied) = oneshot::channel();
    assert!(requests.send(reply).is_ok());
    replied.await.unwrap();
}

async fn reply_of_a_library_task() {
    let (requests, requested) = async_channel::unbounded::<oneshot::Sender<u32>>();
    ::tokio::spawn(async move {
        let reply = requested.recv().await.unwrap();
        ::tokio::time::sleep(ms(LONG)).await;
        let _ = reply.send(1);
    });
    sleep(ms(60)).await;
    let (reply, replied) = oneshot::channel();
    requests.send(reply).await.unwrap();
    replied.await.unwrap();
}

async fn guards_in_a_list() {
    let readers: Arc<StdMutex<Vec<OwnedRwLockReadGuard<u32>>>> = Arc::default();
    let theirs = Arc::clone(&readers);
    let closes = async move {
        sleep(ms(LONG)).await;
        theirs.lock().unwrap().clear();
    };
    tokio::spawn(closes.diagnose("closes"));
    sleep(ms(20)).await;
    let index = Arc::new(RwLock::new(0));
    for _ in 0..2 {
        let guard = Arc::clone(&index).read_owned().await;
        readers.lock().unwrap().push(guard);
    }
    *index.write().await += 1;
}

async fn notified_by_a_library_task() {
    let notify = Arc::new(Notify::new());
    let theirs = Arc::clone(&notify);
    ::tokio::spawn(async move {
        ::tokio::time::sleep(ms(LONG)).await;
        theirs.notify_waiters();
    });
    notify.notified().await;
}

async fn receiver_in_a_static() {
    static LINES: OnceLock<StdMutex<Option<mpsc::Receiver<u32>>>> = OnceLock::new();
    let drains = async {
        sleep(ms(LONG)).await;
        let mut lines = LINES.get().and_then(|lines| lines.lock().unwrap().take()).unwrap();
        while lines.recv().await.is_some() {}
    };
    let drained = tokio::spawn(drains.diagnose("drains"));
    sleep(ms(20)).await;
    let (line, mut lines) = mpsc::channel(1);
    line.send(0).await.unwrap();
    lines.recv().await.unwrap();
    assert!(LINES.set(StdMutex::new(Some(lines))).is_ok());
    for number in 0..3 {
        line.send(number).await.unwrap();
    }
    drop(line);
    drained.await.unwrap();
}

async fn refilled_by_a_thread() {
    let seats = Arc::new(Semaphore::new(1));
    let theirs = Arc::clone(&seats);
    thread::spawn(move || {
        thread::sleep(ms(LONG));
        theirs.add_permits(1);
    });
    seats.acquire().await.unwrap().forget();
    drop(seats.acquire().await.unwrap());
}

async fn closed_by_an_older_task() {
    let slot: Arc<StdMutex<Option<Arc<Semaphore>>>> = Arc::default();
    let theirs = Arc::clone(&slot);
    let closes = async move {
        sleep(ms(LONG)).await;
        theirs.lock().unwrap().take().unwrap().close();
    };
    tokio::spawn(closes.diagnose("closes"));
    sleep(ms(20)).await;
    let seats = Arc::new(Semaphore::new(1));
    let permit = Arc::clone(&seats).acquire_owned().await.unwrap();
    *slot.lock().unwrap() = Some(Arc::clone(&seats));
    assert!(seats.acquire().await.is_err());
    drop(permit);
}

async fn watch_sender_in_a_table() {
    let table: Arc<StdMutex<HashMap<u32, watch::Sender<u32>>>> = Arc::default();
    let theirs = Arc::clone(&table);
    let updates = async move {
        sleep(ms(LONG)).await;
        theirs.lock().unwrap().values().for_each(|price| price.send(2).unwrap());
    };
    tokio::spawn(updates.diagnose("updates"));
    sleep(ms(20)).await;
    let (price, mut prices) = watch::channel(0);
    price.send(1).unwrap();
    prices.changed().await.unwrap();
    table.lock().unwrap().insert(7, price);
    prices.changed().await.unwrap();
}

async fn reserved_in_an_option() {
    let slot: Arc<StdMutex<Option<mpsc::OwnedPermit<u32>>>> = Arc::default();
    let theirs = Arc::clone(&slot);
    let lets_go = async move {
        sleep(ms(LONG)).await;
        drop(theirs.lock().unwrap().take());
    };
    tokio::spawn(lets_go.diagnose("lets go"));
    sleep(ms(20)).await;
    let (line, _lines) = mpsc::channel(1);
    let permit = line.clone().reserve_owned().await.unwrap();
    *slot.lock().unwrap() = Some(permit);
    line.send(1).await.unwrap();
}

async fn handler_under_two_timeouts() {
    let lock = Arc::new(Mutex::new(0));
    let guard = lock.lock().await;
    let own = transfer(Arc::clone(&lock), Arc::new(Mutex::new(0)));
    let layers = ::tokio::time::timeout(ms(2 * LONG), ::tokio::time::timeout(ms(LONG), own));
    let _ = layers.await;
    drop(guard);
}

fn map_of_an_older_task(runtime: &Runtime) {
    let requests: Arc<StdMutex<HashMap<u32, oneshot::Sender<u32>>>> = Arc::default();
    let theirs = Arc::clone(&requests);
    let answers = async move {
        loop {
            sleep(ms(LONG)).await;
            for (number, reply) in theirs.lock().unwrap().drain() {
                let _ = reply.send(number);
            }
        }
    };
    runtime.spawn(answers.diagnose("answers"));
    let asks = async move {
        let (reply, replied) = oneshot::channel();
        requests.lock().unwrap().insert(7, reply);
        assert_eq!(replied.await, Ok(7));
    };
    runtime.block_on(asks.diagnose("asks"));
}

async fn aborted_out_of_a_set() {
    let sessions = reaped(AbortHandle::abort);
    let [a, b] = accounts();
    let mut set = JoinSet::new();
    for session in [transfer(Arc::clone(&a), Arc::clone(&b)), transfer(b, a)] {
        sessions.lock().unwrap().push(set.spawn(session));
    }
    while set.join_next().await.is_some() {}
}

async fn reaped_after_a_look() {
    let sessions = reaped(JoinHandle::abort);
    let [a, b] = accounts();
    let mut one = tokio::spawn(transfer(Arc::clone(&a), Arc::clone(&b)));
    let other = tokio::spawn(transfer(b, a));
    tokio::select! {
        biased;
        _ = &mut one => {}
        () = sleep(ms(100)) => {}
    }
    sessions.lock().unwrap().push(one);
    other.await.unwrap();
}

#[diagnose]
async fn reaped_after_an_annotated_look() {
    let sessions = reaped(JoinHandle::abort);
    let [a, b] = accounts();
    let mut one = tokio::spawn(transfer(Arc::clone(&a), Arc::clone(&b)));
    let other = tokio::spawn(transfer(b, a));
    tokio::select! {
        biased;
        _ = &mut one => {}
        () = sleep(ms(100)) => {}
    }
    sessions.lock().unwrap().push(one);
    other.await.unwrap();
}

async fn set_in_a_box() {
    let (send, drops) = std::sync::mpsc::channel();
    thread::spawn(move || {
        let watch: BoxFuture<'static, ()> = drops.recv().unwrap();
        thread::sleep(ms(LONG));
        drop(watch);
    });
    let [a, b] = accounts();
    let mut set = JoinSet::new();
    set.spawn(transfer(Arc::clone(&a), Arc::clone(&b)));
    set.spawn(transfer(Arc::clone(&b), Arc::clone(&a)));
    let mut watch = async move { while set.join_next().await.is_some() {} }.boxed();
    let _ = timeout(ms(50), &mut watch).await;
    send.send(watch).unwrap();
    drop((a.lock().await, b.lock().await));
}
