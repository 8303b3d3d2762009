//! Programs that look stuck and go on: what they wait for was moved where nothing is on record, to
//! a task that is older.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex as StdMutex};
use std::thread;

use diagnose::{FutureExt as _, diagnose};

use super::ms;
use crate::drop_in::{async_lock, tokio};
use crate::row::{Section, likely, proven, row};
use tokio::runtime::{Builder, Handle};
use tokio::sync::{Mutex, OwnedSemaphorePermit, RwLock, RwLockReadGuard, Semaphore, mpsc, oneshot};
use tokio::task::spawn_blocking;
use tokio::time::sleep;

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("moved.rs"),
    rows: &[
        row!("Y19", guard_to_raw_spawn, "an owned guard moves into a task that tokio itself spawns"),
        row!("Y20", guard_in_shared_option, "an owned guard in an Option behind an Arc"),
        row!("Y21", permit_in_tokio_mutex, "an owned permit in a table of sessions, and a reaper"),
        row!("Y22", used_sender_in_tokio_mutex, "a sender that was used once, in a list of subscribers"),
        row!("Y23", permit_in_a_static, "an owned permit in a static"),
        row!(
            "Y24",
            used_sender_by_async_channel,
            "a sender that was used once, by a channel of another crate"
        ),
        row!("Y25", pending_requests_map, "replies are matched by their number, in a map"),
        row!("Y26", receiver_in_older_thread, "a receiver moves to a thread that is older"),
        row!("Y27", thread_with_handle_block_on, "a thread blocks on the runtime of its caller"),
        row!("Y28", runtime_drop_slow_job, "a runtime is dropped while a blocking job takes a while"),
        row!(
            "Y29",
            deadlock_under_a_timeout,
            "two tasks lock A and B in opposite order, under timeouts without annotation"
        ),
        row!("Y30", pending_main, "a main without annotation awaits pending(), for a while"),
        row!(
            "Y103",
            guard_of_a_lazy_static,
            "a guard of a lock in a LazyLock moves into a task of tokio's own"
        ),
        row!(
            "Y104",
            guard_of_an_async_lock_static,
            "a guard of an async-lock in a static moves into a task of tokio's own"
        ),
        row!("Y137", guard_of_a_leaked_lock, "a guard of a leaked lock moves into a task of tokio's own"),
        row!("Y138", guard_of_a_shared_state, "a guard of a lock behind an Arc in a static, in a slot"),
        row!(
            "X100",
            locks_in_statics,
            "two tasks lock A and B in statics in opposite order, each guard used by one function"
        )
        .is(proven("cycle"))
        .or(likely("cycle")),
    ],
};

/// How long each program looks stuck, in ms.
const LONG: u64 = 1_500;

static LEASES: StdMutex<Vec<OwnedSemaphorePermit>> = StdMutex::new(Vec::new());

async fn guard_to_raw_spawn() {
    let table = Arc::new(Mutex::new(0));
    let guard = Arc::clone(&table).lock_owned().await;
    ::tokio::spawn(async move {
        ::tokio::time::sleep(ms(LONG)).await;
        drop(guard);
    });
    drop(table.lock().await);
}

async fn guard_of_a_lazy_static() {
    static TABLE: LazyLock<Mutex<u64>> = LazyLock::new(|| Mutex::new(0));
    let guard = TABLE.lock().await;
    ::tokio::spawn(async move {
        ::tokio::time::sleep(ms(LONG)).await;
        drop(guard);
    });
    drop(TABLE.lock().await);
}

async fn guard_of_an_async_lock_static() {
    static TABLE: async_lock::Mutex<u64> = async_lock::Mutex::new(0);
    let guard = TABLE.lock().await;
    ::tokio::spawn(async move {
        ::tokio::time::sleep(ms(LONG)).await;
        drop(guard);
    });
    drop(TABLE.lock().await);
}

async fn guard_of_a_leaked_lock() {
    #[diagnose]
    async fn refresh(table: &'static Mutex<u64>) {
        let mut rows = table.lock().await;
        *rows += 1;
        ::tokio::task::yield_now().await;
        ::tokio::spawn(async move {
            ::tokio::time::sleep(ms(LONG)).await;
            drop(rows);
        });
        drop(table.lock().await);
    }
    tokio::spawn(refresh(Box::leak(Box::new(Mutex::new(0))))).await.unwrap();
}

async fn guard_of_a_shared_state() {
    static STATE: LazyLock<Arc<RwLock<u64>>> = LazyLock::new(Arc::default);
    static SLOT: StdMutex<Option<RwLockReadGuard<'static, u64>>> = StdMutex::new(None);
    #[diagnose]
    async fn lease() {
        let lease = STATE.read().await;
        *SLOT.lock().unwrap() = Some(lease);
        *STATE.write().await += 1;
    }
    let ends = thread::spawn(|| {
        thread::sleep(ms(LONG));
        drop(SLOT.lock().unwrap().take());
    });
    tokio::spawn(lease()).await.unwrap();
    ends.join().unwrap();
}

async fn locks_in_statics() {
    static ACCOUNTS: LazyLock<Mutex<u64>> = LazyLock::new(|| Mutex::new(0));
    static AUDIT: LazyLock<Mutex<u64>> = LazyLock::new(|| Mutex::new(0));
    #[diagnose]
    async fn transfer() {
        let mut accounts = ACCOUNTS.lock().await; // holds
        sleep(ms(150)).await;
        *AUDIT.lock().await += 1; // waits
        *accounts += 1;
    }
    #[diagnose]
    async fn report() {
        let audit = AUDIT.lock().await; // holds
        sleep(ms(150)).await;
        assert_eq!(*audit, *ACCOUNTS.lock().await); // waits
    }
    let transfer = tokio::spawn(transfer());
    tokio::spawn(report()).await.unwrap();
    transfer.await.unwrap();
}

async fn guard_in_shared_option() {
    let parked = Arc::new(StdMutex::new(None));
    let theirs = Arc::clone(&parked);
    let lets_go = async move {
        sleep(ms(LONG)).await;
        drop(theirs.lock().unwrap().take());
    };
    tokio::spawn(lets_go.diagnose("lets go"));
    sleep(ms(20)).await;
    let ledger = Arc::new(RwLock::new(0));
    let guard = Arc::clone(&ledger).write_owned().await;
    *parked.lock().unwrap() = Some(guard);
    drop(ledger.read().await);
}

async fn permit_in_tokio_mutex() {
    let sessions = Arc::new(Mutex::new(Vec::new()));
    let reaped = Arc::clone(&sessions);
    let reaps = async move {
        sleep(ms(LONG)).await;
        reaped.lock().await.clear();
    };
    tokio::spawn(reaps.diagnose("reaps"));
    sleep(ms(20)).await;
    let seats = Arc::new(Semaphore::new(1));
    let permit = Arc::clone(&seats).acquire_owned().await.unwrap();
    sessions.lock().await.push(permit);
    drop(seats.acquire().await.unwrap());
}

async fn used_sender_in_tokio_mutex() {
    let subscribers = Arc::new(Mutex::new(Vec::<mpsc::Sender<u32>>::new()));
    let theirs = Arc::clone(&subscribers);
    let publishes = async move {
        sleep(ms(LONG)).await;
        for subscriber in theirs.lock().await.iter() {
            subscriber.send(1).await.unwrap();
        }
    };
    tokio::spawn(publishes.diagnose("publishes"));
    sleep(ms(20)).await;
    let (greets, mut inbox) = mpsc::channel(4);
    greets.send(0).await.unwrap();
    subscribers.lock().await.push(greets);
    inbox.recv().await.unwrap();
    inbox.recv().await.unwrap();
}

async fn permit_in_a_static() {
    let expires = async {
        sleep(ms(LONG)).await;
        LEASES.lock().unwrap().clear();
    };
    tokio::spawn(expires.diagnose("expires"));
    sleep(ms(20)).await;
    let seats = Arc::new(Semaphore::new(1));
    let lease = Arc::clone(&seats).acquire_owned().await.unwrap();
    LEASES.lock().unwrap().push(lease);
    drop(seats.acquire().await.unwrap());
}

async fn used_sender_by_async_channel() {
    let (give, take) = async_channel::unbounded::<mpsc::Sender<u32>>();
    let answers = async move {
        let sender = take.recv().await.unwrap();
        sleep(ms(LONG)).await;
        sender.send(1).await.unwrap();
    };
    tokio::spawn(answers.diagnose("answers"));
    sleep(ms(20)).await;
    let (greets, mut inbox) = mpsc::channel(4);
    greets.send(0).await.unwrap();
    inbox.recv().await.unwrap();
    give.send(greets).await.unwrap();
    inbox.recv().await.unwrap();
}

async fn pending_requests_map() {
    #[diagnose]
    async fn read_replies(pending: Arc<StdMutex<HashMap<u32, oneshot::Sender<u32>>>>) {
        loop {
            sleep(ms(LONG)).await;
            if let Some(reply) = pending.lock().unwrap().remove(&7) {
                let _ = reply.send(49);
            }
        }
    }
    let pending = Arc::default();
    tokio::spawn(read_replies(Arc::clone(&pending)));
    sleep(ms(20)).await;
    let (reply, replied) = oneshot::channel();
    pending.lock().unwrap().insert(7, reply);
    replied.await.unwrap();
}

async fn receiver_in_older_thread() {
    let (hand_over, handed) = std::sync::mpsc::channel::<mpsc::Receiver<u32>>();
    let writer = thread::spawn(move || {
        let mut lines = handed.recv().unwrap();
        thread::sleep(ms(LONG));
        while lines.blocking_recv().is_some() {}
    });
    sleep(ms(60)).await;
    let (line, lines) = mpsc::channel(1);
    hand_over.send(lines).unwrap();
    for number in 0..3 {
        line.send(number).await.unwrap();
    }
    drop(line);
    spawn_blocking(|| writer.join().unwrap()).await.unwrap();
}

async fn thread_with_handle_block_on() {
    let handle = Handle::current();
    let (sender, receiver) = oneshot::channel();
    thread::spawn(move || {
        handle.block_on(async move {
            sleep(ms(LONG)).await;
            let _ = sender.send(1);
        });
    });
    receiver.await.unwrap();
}

async fn runtime_drop_slow_job() {
    let thread = thread::spawn(|| {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            spawn_blocking(|| thread::sleep(ms(LONG)));
            sleep(ms(20)).await;
        });
        drop(runtime);
    });
    spawn_blocking(|| thread.join().unwrap()).await.unwrap();
}

async fn deadlock_under_a_timeout() {
    #[diagnose]
    async fn transfer(from: Arc<Mutex<u32>>, to: Arc<Mutex<u32>>) {
        let _from = from.lock().await;
        sleep(ms(20)).await;
        let _to = to.lock().await;
    }
    let (a, b) = (Arc::new(Mutex::new(1)), Arc::new(Mutex::new(2)));
    let there = transfer(Arc::clone(&a), Arc::clone(&b));
    let one = ::tokio::spawn(::tokio::time::timeout(ms(LONG), there));
    let other = ::tokio::spawn(::tokio::time::timeout(ms(LONG), transfer(b, a)));
    let _ = (one.await, other.await);
}

async fn pending_main() {
    thread::spawn(|| {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(std::future::pending::<()>());
    });
    sleep(ms(LONG)).await;
}
