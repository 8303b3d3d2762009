//! Programs that look stuck and go on: the guard or sender that ends the wait moved unseen, and
//! comes late.

use std::rc::Rc;
use std::sync::{Arc, Mutex as StdMutex, OnceLock};
use std::thread;

use diagnose::{FutureExt as _, diagnose};
use futures::executor;

use super::ms;
use crate::drop_in::tokio;
use crate::row::{Section, row};
use tokio::runtime::Handle;
use tokio::sync::{
    Barrier, Mutex, Notify, OnceCell, OwnedSemaphorePermit, RwLock, Semaphore, broadcast, mpsc, oneshot,
    watch,
};
use tokio::task::{JoinSet, LocalSet};
use tokio::time::{interval, sleep, timeout};

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("late.rs"),
    rows: &[
        // The idiom of tower's `ConcurrencyLimitLayer`, whose permit goes with the body of the
        // response.
        row!("Y64", permit_in_a_response, "a permit goes with a response, to a task of tokio's own"),
        row!("Y65", reply_in_a_foreign_message, "a reply's sender in a message of tokio's own mpsc"),
        // The idiom of deadpool and bb8: a connection goes back to its pool where it is dropped.
        row!("Y66", connection_dropped_elsewhere, "a pool's connection is dropped in a task of tokio's own"),
        row!(
            "Y67",
            lock_of_a_request_above,
            "a request is dropped by a timeout, with the lock that others want"
        ),
        row!("Y68", leader_is_a_thread, "a watch, whose sender is in a struct that a thread has"),
        row!("Y69", joins_a_raw_task, "main joins a task that tokio itself has spawned"),
        row!("Y70", thread_comes_to_the_barrier, "the last to come to a barrier is a thread with block_on"),
        row!("Y71", slow_initializer, "three tasks wait for a cell that is initialized slowly"),
        row!("Y72", told_by_a_thread, "two tasks wait to be notified, by a thread, one after the other"),
        row!("Y73", events_from_a_static, "a broadcast whose sender is in a static, used by a thread"),
        row!("Y74", guard_in_a_callback, "an owned write guard in a callback, which an older thread runs"),
        row!(
            "Y75",
            receiver_by_a_foreign_channel,
            "a receiver goes to a slow task by a channel of another crate"
        ),
        row!("Y76", idle_loop_with_a_tick, "a loop that waits for commands and ticks, and there are none"),
        row!(
            "Y77",
            lock_of_a_local_task,
            "a task of a LocalSet, spawned by tokio itself, has a lock for long"
        ),
        row!(
            "Y78",
            lock_of_a_foreign_executor,
            "a future on a thread with an executor of its own has a lock"
        ),
        row!("Y79", drained_slowly, "a shutdown waits for tasks that each take their time"),
    ],
};

/// How long each program looks stuck, in ms.
const LONG: u64 = 1_500;

async fn permit_in_a_response() {
    struct Response {
        _permit: OwnedSemaphorePermit,
    }

    #[diagnose]
    async fn handle(limit: Arc<Semaphore>) -> Response {
        Response { _permit: limit.acquire_owned().await.unwrap() }
    }
    let (write, mut written) = ::tokio::sync::mpsc::channel::<Response>(4);
    ::tokio::spawn(async move {
        while let Some(response) = written.recv().await {
            ::tokio::time::sleep(ms(LONG)).await;
            drop(response);
        }
    });
    sleep(ms(20)).await;
    let limit = Arc::new(Semaphore::new(1));
    for _ in 0..2 {
        let response = handle(Arc::clone(&limit)).await;
        write.send(response).await.unwrap_or_else(|_| unreachable!());
    }
}

async fn reply_in_a_foreign_message() {
    let (ask, mut asked) = ::tokio::sync::mpsc::channel::<oneshot::Sender<u32>>(4);
    ::tokio::spawn(async move {
        while let Some(reply) = asked.recv().await {
            ::tokio::time::sleep(ms(LONG)).await;
            let _ = reply.send(1);
        }
    });
    sleep(ms(20)).await;
    let (reply, replied) = oneshot::channel();
    ask.send(reply).await.unwrap();
    replied.await.unwrap();
}

async fn connection_dropped_elsewhere() {
    struct Pool {
        idle: StdMutex<Vec<u32>>,
        seats: Arc<Semaphore>,
    }
    struct Connection(u32, Arc<Pool>, Option<OwnedSemaphorePermit>);

    impl Drop for Connection {
        fn drop(&mut self) {
            self.1.idle.lock().unwrap().push(self.0);
            self.2.take();
        }
    }

    #[diagnose]
    async fn get(pool: Arc<Pool>) -> Connection {
        let permit = Arc::clone(&pool.seats).acquire_owned().await.unwrap();
        let number = pool.idle.lock().unwrap().pop().unwrap();
        Connection(number, pool, Some(permit))
    }
    let pool = Arc::new(Pool { idle: StdMutex::new(vec![1]), seats: Arc::new(Semaphore::new(1)) });
    let slot = Arc::new(StdMutex::new(None));
    let theirs = Arc::clone(&slot);
    ::tokio::spawn(async move {
        ::tokio::time::sleep(ms(LONG)).await;
        drop(theirs.lock().unwrap().take());
    });
    sleep(ms(20)).await;
    *slot.lock().unwrap() = Some(get(Arc::clone(&pool)).await);
    drop(get(pool).await);
}

async fn lock_of_a_request_above() {
    #[diagnose]
    async fn request(table: Arc<Mutex<u32>>) {
        let mut table = table.lock().await;
        *table += 1;
        std::future::pending::<()>().await;
    }
    let table = Arc::new(Mutex::new(0));
    let first = ::tokio::spawn(::tokio::time::timeout(ms(LONG), request(Arc::clone(&table))));
    sleep(ms(50)).await;
    drop(table.lock().await);
    let _ = first.await;
}

async fn leader_is_a_thread() {
    struct Leader {
        term: watch::Sender<u32>,
    }
    let (term, mut terms) = watch::channel(0);
    let leader = Leader { term };
    leader.term.send(1).unwrap();
    terms.changed().await.unwrap();
    thread::spawn(move || {
        thread::sleep(ms(LONG));
        leader.term.send(2).unwrap();
    });
    terms.changed().await.unwrap();
}

async fn joins_a_raw_task() {
    let works = ::tokio::spawn(async { ::tokio::time::sleep(ms(LONG)).await });
    works.await.unwrap();
}

async fn thread_comes_to_the_barrier() {
    let (barrier, handle) = (Arc::new(Barrier::new(2)), Handle::current());
    let theirs = Arc::clone(&barrier);
    thread::spawn(move || {
        thread::sleep(ms(LONG));
        handle.block_on(async move {
            theirs.wait().await;
        });
    });
    barrier.wait().await;
}

async fn slow_initializer() {
    let cell = Arc::new(OnceCell::new());
    let mut all = JoinSet::new();
    for _ in 0..3 {
        let cell = Arc::clone(&cell);
        let reads = async move {
            let load = || async {
                ::tokio::time::sleep(ms(LONG)).await;
                7
            };
            assert_eq!(*cell.get_or_init(load).await, 7);
        };
        all.spawn(reads.diagnose("reads"));
    }
    while all.join_next().await.is_some() {}
}

async fn told_by_a_thread() {
    let ready = Arc::new(Notify::new());
    let theirs = Arc::clone(&ready);
    thread::spawn(move || {
        for _ in 0..2 {
            thread::sleep(ms(LONG / 2));
            theirs.notify_one();
        }
    });
    let waits = [0, 1].map(|_| {
        let ready = Arc::clone(&ready);
        tokio::spawn(async move { ready.notified().await }.diagnose("waits"))
    });
    for wait in waits {
        wait.await.unwrap();
    }
}

async fn events_from_a_static() {
    static EVENTS: OnceLock<broadcast::Sender<u32>> = OnceLock::new();
    let mut events = EVENTS.get_or_init(|| broadcast::channel(4).0).subscribe();
    thread::spawn(|| {
        thread::sleep(ms(LONG));
        EVENTS.get().unwrap().send(1).unwrap();
    });
    events.recv().await.unwrap();
}

async fn guard_in_a_callback() {
    let (run, runs) = std::sync::mpsc::channel::<Box<dyn FnOnce() + Send>>();
    thread::spawn(move || {
        for callback in runs {
            thread::sleep(ms(LONG));
            callback();
        }
    });
    sleep(ms(60)).await;
    let table = Arc::new(RwLock::new(0));
    let guard = Arc::clone(&table).write_owned().await;
    run.send(Box::new(move || drop(guard))).unwrap();
    drop(table.read().await);
}

async fn receiver_by_a_foreign_channel() {
    let (give, take) = async_channel::bounded::<mpsc::Receiver<u32>>(1);
    ::tokio::spawn(async move {
        let mut lines = take.recv().await.unwrap();
        ::tokio::time::sleep(ms(LONG)).await;
        while lines.recv().await.is_some() {}
    });
    let (line, lines) = mpsc::channel(1);
    give.send(lines).await.unwrap();
    for number in 0..4 {
        line.send(number).await.unwrap();
    }
}

async fn idle_loop_with_a_tick() {
    let (_commands, mut given) = mpsc::channel::<u32>(1);
    let mut ticks = interval(ms(200));
    let idles = async {
        loop {
            tokio::select! {
                Some(command) = given.recv() => assert_eq!(command, 0),
                _ = ticks.tick() => {}
            }
        }
    };
    let _ = timeout(ms(LONG), idles.diagnose("idles")).await;
}

async fn lock_of_a_local_task() {
    let local = LocalSet::new();
    let works = async {
        let table = Rc::new(Mutex::new(0));
        let theirs = Rc::clone(&table);
        let guarded = ::tokio::task::spawn_local(async move {
            let _guard = theirs.lock().await;
            ::tokio::time::sleep(ms(LONG)).await;
        });
        ::tokio::task::yield_now().await;
        drop(table.lock().await);
        guarded.await.unwrap();
    };
    local.run_until(works).await;
}

async fn lock_of_a_foreign_executor() {
    let table = Arc::new(Mutex::new(0));
    let theirs = Arc::clone(&table);
    let (takes, taken) = oneshot::channel();
    thread::spawn(move || {
        executor::block_on(async move {
            let _guard = theirs.lock().await;
            takes.send(()).unwrap();
            thread::sleep(ms(LONG));
        });
    });
    taken.await.unwrap();
    drop(table.lock().await);
}

async fn drained_slowly() {
    let (stop, stopped) = watch::channel(false);
    let mut all = JoinSet::new();
    for number in 1..4 {
        let mut stopped = stopped.clone();
        let serves = async move {
            stopped.wait_for(|stop| *stop).await.unwrap();
            sleep(ms(LONG / 3 * number)).await;
        };
        all.spawn(serves.diagnose("serves"));
    }
    sleep(ms(50)).await;
    stop.send(true).unwrap();
    while all.join_next().await.is_some() {}
}
