//! Hangs of public issue threads and of idioms around them: guards that live longer than they look,
//! and ends that stay alive.

use std::collections::HashMap;
use std::future::{Future as _, poll_fn};
use std::sync::Arc;
use std::task::Poll;

use diagnose::{FutureExt as _, diagnose};
use futures::FutureExt as _;
use futures::executor;
use futures::future::BoxFuture;

use super::ms;
use crate::drop_in::{std_sync, tokio};
use crate::row::{Section, likely, proven, row, suspect};
use tokio::sync::{Barrier, Mutex, Notify, RwLock, Semaphore, mpsc, oneshot, watch};
use tokio::task::{JoinSet, spawn_blocking, yield_now};
use tokio::time::sleep;

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("issues.rs"),
    rows: &[
        // As in emmett-framework/granian#903.
        row!("X54", stopped_before_it_ran, "notify_waiters() before the connection's task has run")
            .is(likely("missed_notify"))
            .or(likely("cycle"))
            .in_noise(suspect("missed_notify")),
        // As in apache/datafusion-ballista#2356.
        row!("X55", drained_without_a_waker, "a future counts tasks, and keeps no waker")
            .is(likely("lost_waker")),
        // As in tokio-rs/tokio#7892.
        row!("X56", lock_in_place_of_a_lock, "a lock is handed to a future, and its poll blocks on the lock")
            .is(likely("blocked_worker"))
            .or(proven("blocked_worker"))
            .or(proven("futurelock"))
            .or(likely("futurelock"))
            .beside("driver_starved"),
        // As in tokio-rs/tokio#4588.
        row!("X57", guard_in_a_boxed_future, "select! over two futures, one of which keeps a std guard")
            .is(proven("blocked_worker"))
            .beside("driver_starved"),
        row!("X58", permits_of_a_tree, "each directory has a permit while it joins those below it")
            .is(proven("cycle"))
            .or(likely("cycle"))
            .in_noise(suspect("cycle").detail("knot")),
        row!("X59", guard_of_a_loop, "a loop over what a read guard guards, and its body writes")
            .is(proven("self_wait")),
        row!("X60", guard_of_an_if_let, "the guard of an if let, and its body locks again")
            .is(proven("self_wait")),
        row!("X61", actor_with_its_own_sender, "an actor has a sender of its mailbox, and is joined")
            .is(likely("leak"))
            .or(likely("self_wait"))
            .or(proven("leak"))
            .or(proven("self_wait"))
            .in_noise(suspect("leak")),
        row!("X62", closed_with_a_receiver_in_scope, "closed() of a watch, with a receiver in scope")
            .is(proven("self_wait"))
            .or(likely("self_wait"))
            .in_noise(suspect("self_wait")),
        row!("X63", aborted_at_the_barrier, "one of three at a barrier was aborted")
            .is(likely("starved"))
            .in_noise(suspect("starved")),
        row!(
            "X64",
            job_needs_the_lock_of_its_caller,
            "a blocking job locks what the task that awaits it has locked"
        )
        .is(proven("cycle"))
        .or(likely("cycle")),
        row!("X65", rendezvous_with_itself, "a std channel without room, both ends on one thread")
            .is(likely("blocked_worker"))
            .or(proven("blocked_worker"))
            .beside("driver_starved")
            .in_noise(suspect("blocked_worker")),
        row!(
            "X66",
            lock_in_a_cache_miss,
            "a cache keeps its lock while it loads, and the loader asks the cache"
        )
        .is(proven("self_wait")),
        row!(
            "X67",
            pool_and_lock,
            "the holder of a pool's last connection wants a lock, and the lock's holder a connection"
        )
        .is(proven("cycle"))
        .or(likely("cycle")),
        row!("X68", writer_behind_two_readers, "two tasks read, a writer comes, and both read again")
            .is(proven("cycle").detail("via_queue"))
            .or(likely("cycle").detail("via_queue"))
            .or(proven("cycle")),
        row!(
            "X69",
            retries_under_a_lock,
            "a task retries under a lock that the other task needs to let it succeed"
        )
        .is(likely("cycle"))
        .or(proven("cycle"))
        .in_noise(suspect("cycle")),
    ],
};

async fn stopped_before_it_ran() {
    let stop = Arc::new(Notify::new());
    let (_line, mut lines) = mpsc::channel::<u32>(1);
    let stopped = Arc::clone(&stop);
    let (greet, greeted) = oneshot::channel();
    let connection = async move {
        greeted.await.unwrap();
        tokio::select! {
            _ = lines.recv() => {}
            () = stopped.notified() => {} // waits
        }
    };
    let connection = tokio::spawn(connection.diagnose("connection"));
    stop.notify_waiters();
    greet.send(()).unwrap();
    connection.await.unwrap(); // waits
}

async fn drained_without_a_waker() {
    let running = Arc::new(std_sync::Mutex::new(1));
    let theirs = Arc::clone(&running);
    let works = async move {
        sleep(ms(50)).await;
        *theirs.lock().unwrap() -= 1;
    };
    tokio::spawn(works.diagnose("works"));
    let drained = poll_fn(|_| if *running.lock().unwrap() == 0 { Poll::Ready(()) } else { Poll::Pending });
    drained.diagnose("drained").await; // waits
}

async fn lock_in_place_of_a_lock() {
    let lock = Arc::new(Mutex::new(()));
    let guard = Arc::clone(&lock).lock_owned().await;
    let theirs = Arc::clone(&lock);
    let mut attempt = Box::pin(Arc::clone(&lock).lock_owned());
    let (wait, is_waiting) = oneshot::channel();
    let mut waits_now = Some(wait);
    let twice = poll_fn(move |context| {
        let Some(wait) = waits_now.take() else {
            drop(executor::block_on(theirs.lock())); // waits
            return Poll::Ready(());
        };
        assert!(attempt.as_mut().poll(context).is_pending());
        wait.send(()).unwrap();
        Poll::Pending
    });
    let twice = tokio::spawn(twice.diagnose("twice"));
    is_waiting.await.unwrap();
    drop(guard);
    twice.await.unwrap();
}

#[allow(clippy::await_holding_lock)] // That is the mistake.
async fn guard_in_a_boxed_future() {
    async fn count(count: &std_sync::Mutex<u32>) {
        let mut guard = count.lock().unwrap(); // holds, waits
        yield_now().await;
        *guard += 1;
    }
    let lock = std_sync::Mutex::new(0);
    let mut one = Box::pin(count(&lock).diagnose("one"));
    let mut other = Box::pin(count(&lock).diagnose("other"));
    tokio::select! {
        () = &mut one => {}
        () = &mut other => {}
    }
}

async fn permits_of_a_tree() {
    fn walk(files: Arc<Semaphore>, depth: u32) -> BoxFuture<'static, ()> {
        let walk = async move {
            let _permit = files.acquire().await.unwrap(); // holds, waits
            if depth > 0 {
                let mut below = JoinSet::new();
                for _ in 0..2 {
                    below.spawn(walk(Arc::clone(&files), depth - 1));
                }
                while below.join_next().await.is_some() {} // waits
            }
        };
        walk.diagnose("walk").boxed()
    }
    walk(Arc::new(Semaphore::new(2)), 3).await;
}

async fn guard_of_a_loop() {
    let peers = RwLock::new(HashMap::from([(1, 0), (2, 0)]));
    let read = || peers.read(); // holds
    for (id, _) in read().await.iter() {
        peers.write().await.remove(id); // waits, shown
    }
}

async fn guard_of_an_if_let() {
    let sessions = Mutex::new(HashMap::from([(1, 0)]));
    let lock = || sessions.lock(); // holds
    if let Some(count) = lock().await.get(&1) {
        sessions.lock().await.insert(2, *count); // waits, shown
    }
}

async fn actor_with_its_own_sender() {
    struct Actor {
        mailbox: mpsc::Receiver<u32>,
        own: mpsc::Sender<u32>,
    }
    let (sender, mailbox) = mpsc::channel(4);
    let mut actor = Actor { mailbox, own: sender.clone() }; // holds
    let runs = async move {
        loop {
            let job = actor.mailbox.recv().await; // waits, shown
            match job {
                Some(0) => {}
                Some(job) => actor.own.send(job - 1).await.unwrap(), // holds
                None => break,
            }
        }
    };
    let runs = tokio::spawn(runs.diagnose("runs"));
    sender.send(2).await.unwrap();
    drop(sender);
    runs.await.unwrap();
}

async fn closed_with_a_receiver_in_scope() {
    let (config, reader) = watch::channel(1);
    let theirs = reader.clone();
    let reads = async move { assert_eq!(*theirs.borrow(), 1) };
    tokio::spawn(reads.diagnose("reads")).await.unwrap();
    config.closed().await; // waits, shown
    drop(reader);
}

async fn aborted_at_the_barrier() {
    let barrier = Arc::new(Barrier::new(3));
    let tasks = [0, 1, 2].map(|number| {
        let barrier = Arc::clone(&barrier);
        let arrives = async move {
            sleep(ms(20 + 10 * number)).await;
            barrier.wait().await; // waits
        };
        tokio::spawn(arrives.diagnose("arrives"))
    });
    tasks[2].abort();
    for task in tasks {
        let _ = task.await;
    }
}

async fn job_needs_the_lock_of_its_caller() {
    let cache = Arc::new(Mutex::new(0));
    let guard = cache.lock().await; // holds, shown
    let theirs = Arc::clone(&cache);
    let fills = spawn_blocking(move || *theirs.blocking_lock() += 1); // waits, shown
    fills.await.unwrap(); // waits, shown
    drop(guard);
}

async fn rendezvous_with_itself() {
    let (line, lines) = std_sync::mpsc::sync_channel(0);
    line.send(1).unwrap(); // waits
    assert_eq!(lines.recv(), Ok(1));
}

async fn lock_in_a_cache_miss() {
    #[diagnose]
    async fn get(cache: &Mutex<HashMap<u32, u32>>, key: u32) -> u32 {
        let mut cache_guard = cache.lock().await; // holds, waits, shown
        if let Some(value) = cache_guard.get(&key) {
            return *value;
        }
        let value = load(cache, key).await; // shown
        cache_guard.insert(key, value);
        value
    }
    fn load(cache: &Mutex<HashMap<u32, u32>>, key: u32) -> BoxFuture<'_, u32> {
        async move { if key == 0 { 0 } else { get(cache, key - 1).await + 1 } }.boxed()
    }
    get(&Mutex::new(HashMap::new()), 2).await;
}

async fn pool_and_lock() {
    let (pool, index) = (Arc::new(Semaphore::new(1)), Arc::new(RwLock::new(0)));
    let (their_pool, their_index) = (Arc::clone(&pool), Arc::clone(&index));
    let rebuilds = async move {
        let mut index = their_index.write().await; // holds, shown
        sleep(ms(50)).await;
        let _connection = their_pool.acquire().await.unwrap(); // waits, shown
        *index += 1;
    };
    let rebuilds = tokio::spawn(rebuilds.diagnose("rebuilds"));
    let connection = pool.acquire().await.unwrap(); // holds, shown
    sleep(ms(50)).await;
    assert_eq!(*index.read().await, 0); // waits, shown
    drop(connection);
    rebuilds.await.unwrap();
}

async fn writer_behind_two_readers() {
    let lock = Arc::new(RwLock::new(0));
    let (go, goes) = watch::channel(0);
    let mut tasks = JoinSet::new();
    for _ in 0..2 {
        let (lock, mut goes) = (Arc::clone(&lock), goes.clone());
        let reads = async move {
            let first = lock.read().await; // holds
            goes.wait_for(|step| *step > 0).await.unwrap();
            let second = lock.read().await; // waits
            assert_eq!(*first, *second);
        };
        tasks.spawn(reads.diagnose("reads"));
    }
    sleep(ms(100)).await;
    let theirs = Arc::clone(&lock);
    let writes = async move { *theirs.write().await += 1 }; // waits
    tasks.spawn(writes.diagnose("writes"));
    // Until the writer stands in line.
    while lock.try_read().is_ok() {
        sleep(ms(5)).await;
    }
    go.send(1).unwrap();
    while tasks.join_next().await.is_some() {}
}

async fn retries_under_a_lock() {
    let (state, done) = (Arc::new(Mutex::new(0)), Arc::new(Notify::new()));
    let (their_state, their_done) = (Arc::clone(&state), Arc::clone(&done));
    let finishes = async move {
        sleep(ms(30)).await;
        *their_state.lock().await = 1; // waits, shown
        their_done.notify_waiters();
    };
    tokio::spawn(finishes.diagnose("finishes"));
    let state = state.lock().await; // holds, shown
    loop {
        done.notified().await; // waits, shown
        if *state != 0 {
            break;
        }
    }
}
