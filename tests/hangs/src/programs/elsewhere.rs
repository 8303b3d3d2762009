//! What may go on is a thread or a runtime that is not on record, a call with a time limit, or
//! nothing at all.

use std::collections::HashMap;
use std::sync::{Arc, Mutex as StdMutex};
use std::thread;
use std::time::Instant;

use diagnose::{FutureExt as _, diagnose};

use super::ms;
use crate::drop_in::{flume, parking_lot, tokio};
use crate::row::{Section, likely, proven, row, suspect};
use tokio::runtime::{Builder, Handle};
use tokio::sync::{Notify, OwnedMutexGuard, Semaphore, mpsc, oneshot};
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::{interval, sleep};

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("elsewhere.rs"),
    rows: &[
        row!("Y84", permit_in_a_raw_job, "an owned permit in a blocking job that tokio itself spawns"),
        row!("Y85", reply_of_a_raw_job, "a reply from a blocking job that tokio itself spawns"),
        row!(
            "Y86",
            guard_taken_by_a_raw_job,
            "a blocking job of tokio itself takes an owned guard from an Option behind an Arc"
        ),
        row!("Y87", notified_by_a_raw_job, "a notification from a blocking job that tokio itself spawns"),
        row!("Y88", reply_on_a_raw_runtime, "a reply from another task of a runtime that tokio itself built"),
        row!("Y89", spawned_outside, "a map of requests, shared by two tasks that a thread has spawned"),
        row!("Y90", run_now_and_then, "a runtime with an interval, which no thread runs for a while"),
        row!(
            "Y91",
            locks_with_a_limit,
            "two jobs lock A and B of parking_lot in opposite order, with time limits"
        ),
        row!("Y92", lock_until, "upgrade and write of parking_lot, with time limits"),
        row!("Y93", sends_with_a_limit, "two channels without room, and sends with a time limit"),
        row!("Y94", thread_that_ran_a_task, "a reply from a thread that has run a task before"),
        // The thread that looks may have work for the idle one. Without it, it is likely.
        row!(
            "X80",
            joined_beside_idle_threads,
            "main keeps a sender and joins the task that receives, beside an idle thread"
        )
        .is(suspect("cycle")),
        row!("X81", actors_by_a_registry, "three actors ask each other by name")
            .is(likely("cycle"))
            .in_noise(suspect("cycle")),
        row!("X82", two_pools, "tasks acquire from two semaphores in opposite order")
            .is(likely("cycle").detail("knot"))
            .or(proven("cycle").detail("knot")),
        row!("X83", reply_kept_on_error, "a server puts the reply's sender of a failed request aside")
            .is(likely("cycle"))
            .in_noise(suspect("cycle")),
        row!(
            "X118",
            reply_of_a_thread,
            "the reply of a thread whose `block_on` waits for the lock of who asked"
        )
        .is(likely("cycle"))
        .in_noise(suspect("cycle")),
        row!(
            "X119",
            reply_of_a_raw_task,
            "the reply of tokio's own task that waits for the lock of who asked"
        )
        .is(suspect("cycle")),
    ],
};

/// How long each program looks stuck, in ms.
const LONG: u64 = 1_500;

async fn permit_in_a_raw_job() {
    let seats = Arc::new(Semaphore::new(1));
    let permit = Arc::clone(&seats).acquire_owned().await.unwrap();
    ::tokio::task::spawn_blocking(move || {
        thread::sleep(ms(LONG));
        drop(permit);
    });
    drop(seats.acquire().await.unwrap());
}

async fn reply_of_a_raw_job() {
    let (reply, replied) = oneshot::channel();
    ::tokio::task::spawn_blocking(move || {
        thread::sleep(ms(LONG));
        reply.send(1).unwrap();
    });
    replied.await.unwrap();
}

async fn guard_taken_by_a_raw_job() {
    let slot: Arc<StdMutex<Option<OwnedMutexGuard<u32>>>> = Arc::default();
    let table = Arc::new(tokio::sync::Mutex::new(0));
    let guard = Arc::clone(&table).lock_owned().await;
    *slot.lock().unwrap() = Some(guard);
    ::tokio::task::spawn_blocking(move || {
        thread::sleep(ms(LONG));
        slot.lock().unwrap().take();
    });
    drop(table.lock().await);
}

async fn notified_by_a_raw_job() {
    let ready = Arc::new(Notify::new());
    let theirs = Arc::clone(&ready);
    ::tokio::task::spawn_blocking(move || {
        thread::sleep(ms(LONG));
        theirs.notify_one();
    });
    ready.notified().await;
}

/// Runs it on a thread that is on record in no task, and waits for that.
async fn on_a_thread(works: impl FnOnce() + Send + 'static) {
    let thread = thread::spawn(works);
    spawn_blocking(|| thread.join().unwrap()).await.unwrap();
}

async fn reply_on_a_raw_runtime() {
    let works = || {
        let (ask, mut asked) = ::tokio::sync::mpsc::channel::<oneshot::Sender<u32>>(4);
        ::tokio::spawn(async move {
            while let Some(reply) = asked.recv().await {
                ::tokio::time::sleep(ms(LONG)).await;
                reply.send(1).unwrap();
            }
        });
        let asks = async move {
            let (reply, replied) = oneshot::channel();
            ask.send(reply).await.unwrap();
            replied.await.unwrap()
        };
        tokio::spawn(asks.diagnose("asks"))
    };
    let run = move || {
        let runtime = ::tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async { works().await.unwrap() });
    };
    on_a_thread(run).await;
}

async fn spawned_outside() {
    let runtime = Handle::current();
    let spawns = move || {
        let pending: Arc<StdMutex<HashMap<u32, oneshot::Sender<u32>>>> = Arc::default();
        let theirs = Arc::clone(&pending);
        let reads = async move {
            sleep(ms(LONG)).await;
            let reply = theirs.lock().unwrap().remove(&7).unwrap();
            reply.send(49).unwrap();
        };
        runtime.spawn(reads.diagnose("reads"));
        let calls = async move {
            let (reply, replied) = oneshot::channel();
            pending.lock().unwrap().insert(7, reply);
            replied.await.unwrap()
        };
        runtime.spawn(calls.diagnose("calls"))
    };
    let calls = thread::spawn(spawns).join().unwrap();
    calls.await.unwrap();
}

async fn run_now_and_then() {
    let run = || {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let keeps_alive = async {
            let mut ticks = interval(ms(50));
            loop {
                ticks.tick().await;
            }
        };
        runtime.spawn(keeps_alive.diagnose("keeps alive"));
        runtime.block_on(async { sleep(ms(120)).await });
        thread::sleep(ms(LONG));
        runtime.block_on(async { sleep(ms(20)).await });
    };
    on_a_thread(run).await;
}

async fn locks_with_a_limit() {
    let [a, b] = [0, 1].map(|number| Arc::new(parking_lot::Mutex::new(number)));
    let takes = |first: &Arc<parking_lot::Mutex<u32>>, second: &Arc<parking_lot::Mutex<u32>>| {
        let (first, second) = (Arc::clone(first), Arc::clone(second));
        spawn_blocking(move || {
            let _first = first.lock();
            thread::sleep(ms(20));
            drop(second.try_lock_for(ms(LONG)));
        })
    };
    let (one, other) = (takes(&a, &b), takes(&b, &a));
    one.await.unwrap();
    other.await.unwrap();
}

async fn lock_until() {
    use parking_lot::{RwLock, RwLockUpgradableReadGuard};

    let table = Arc::new(RwLock::new(0));
    let theirs = Arc::clone(&table);
    let upgrades = spawn_blocking(move || {
        let reads = table.upgradable_read();
        thread::sleep(ms(50));
        drop(RwLockUpgradableReadGuard::try_upgrade_for(reads, ms(LONG)));
    });
    let writes = spawn_blocking(move || {
        let _reads = theirs.read();
        thread::sleep(ms(50));
        drop(theirs.try_write_until(Instant::now() + ms(LONG)));
    });
    upgrades.await.unwrap();
    writes.await.unwrap();
}

async fn sends_with_a_limit() {
    let ([a, b], [from_a, from_b]) = {
        let (a, from_a) = flume::bounded(0);
        let (b, from_b) = flume::bounded(0);
        ([a, b], [from_a, from_b])
    };
    let meets = |give: flume::Sender<u32>, take: flume::Receiver<u32>| {
        spawn_blocking(move || {
            let _ = give.send_timeout(1, ms(LONG));
            let _ = take.try_recv();
        })
    };
    let (one, other) = (meets(a, from_b), meets(b, from_a));
    one.await.unwrap();
    other.await.unwrap();
}

async fn thread_that_ran_a_task() {
    let (give, take) = std::sync::mpsc::channel::<oneshot::Sender<u32>>();
    let runtime = Handle::current();
    thread::spawn(move || {
        runtime.block_on(tokio::task::yield_now());
        for reply in take {
            thread::sleep(ms(LONG));
            reply.send(1).unwrap();
        }
    });
    sleep(ms(60)).await;
    let (reply, replied) = oneshot::channel();
    give.send(reply).unwrap();
    replied.await.unwrap();
}

async fn joined_beside_idle_threads() {
    let (_work, idle) = std::sync::mpsc::channel::<u32>();
    thread::spawn(move || for _ in idle {});
    sleep(ms(60)).await;
    let (line, mut lines) = mpsc::channel::<u32>(4);
    let reads = async move {
        while lines.recv().await.is_some() {} // waits
    };
    let reads = tokio::spawn(reads.diagnose("reads"));
    line.send(1).await.unwrap(); // holds
    reads.await.unwrap();
    drop(line);
}

type Question = oneshot::Sender<u32>;

async fn actors_by_a_registry() {
    #[derive(Clone, Default)]
    struct Registry(Arc<StdMutex<HashMap<&'static str, mpsc::Sender<Question>>>>);

    impl Registry {
        #[diagnose]
        async fn ask(&self, name: &str) -> u32 {
            let (reply, replied) = oneshot::channel(); // holds
            let actor = self.0.lock().unwrap()[name].clone();
            actor.send(reply).await.unwrap();
            replied.await.unwrap() // waits
        }
    }

    let registry = Registry::default();
    for (own, next) in [("a", "b"), ("b", "c"), ("c", "a")] {
        let (ask, mut asked) = mpsc::channel::<Question>(4);
        registry.0.lock().unwrap().insert(own, ask);
        let others = registry.clone();
        let answers = async move {
            while let Some(reply) = asked.recv().await {
                let _ = reply.send(others.ask(next).await + 1);
            }
        };
        tokio::spawn(answers.diagnose("actor"));
    }
    sleep(ms(20)).await;
    registry.ask("a").await;
}

async fn two_pools() {
    let [database, upstream] = [0, 1].map(|_| Arc::new(Semaphore::new(2)));
    let mut jobs = JoinSet::new();
    for number in 0..4 {
        let mut pools = [Arc::clone(&database), Arc::clone(&upstream)];
        pools.rotate_left(number % 2);
        let works = async move {
            let _first = pools[0].acquire().await.unwrap(); // holds
            sleep(ms(20)).await;
            let _second = pools[1].acquire().await.unwrap(); // waits
        };
        jobs.spawn(works.diagnose("works"));
    }
    while jobs.join_next().await.is_some() {}
}

async fn reply_kept_on_error() {
    let (ask, mut asked) = mpsc::channel::<(u32, Question)>(4);
    let serves = async move {
        let mut failed = Vec::new();
        while let Some((number, reply)) = asked.recv().await {
            match number % 2 {
                0 => reply.send(number).unwrap(),
                _ => failed.push(reply),
            }
        }
    };
    tokio::spawn(serves.diagnose("serves"));
    for number in 0..2 {
        let (reply, replied) = oneshot::channel(); // holds
        ask.send((number, reply)).await.unwrap();
        replied.await.unwrap(); // waits
    }
}

#[diagnose]
async fn add(total: Arc<tokio::sync::Mutex<u32>>) {
    *total.lock().await += 1;
}

async fn reply_of_a_thread() {
    let total = Arc::new(tokio::sync::Mutex::new(0));
    let asks = async move {
        let guard = total.lock().await; // holds
        let (reply, replied) = oneshot::channel::<()>();
        let (runtime, theirs) = (Handle::current(), Arc::clone(&total));
        thread::spawn(move || {
            runtime.block_on(add(theirs));
            drop(reply);
        });
        replied.await.ok(); // waits
        drop(guard);
    };
    tokio::spawn(asks.diagnose("asks")).await.unwrap();
}

async fn reply_of_a_raw_task() {
    let total = Arc::new(tokio::sync::Mutex::new(0));
    let asks = async move {
        let guard = total.lock().await; // holds
        let (reply, replied) = oneshot::channel::<()>();
        let theirs = Arc::clone(&total);
        ::tokio::spawn(async move {
            add(theirs).await;
            drop(reply);
        });
        replied.await.ok(); // waits
        drop(guard);
    };
    tokio::spawn(asks.diagnose("asks")).await.unwrap();
}
