//! Futures that were polled, and then move to another task with what they have; and futures that
//! cannot move.

use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex as StdMutex};
use std::thread;

use diagnose::{FutureExt as _, diagnose};
use futures::FutureExt as _;
use futures::StreamExt as _;
use futures::future::{BoxFuture, poll_immediate};
use futures::stream::FuturesUnordered;

use super::ms;
use crate::drop_in::tokio;
use crate::row::{Section, likely, proven, row};
use tokio::sync::{Mutex, oneshot};
use tokio::time::sleep;

/// What it may seem until the other task polls the future. No record shows where that is, so
/// nothing is proven.
const SEEMS: crate::row::Finding = likely("futurelock");

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("passed.rs"),
    rows: &[
        row!("Y95", by_a_foreign_channel, "a future that is handed the lock is sent to a busy task")
            .seems(SEEMS),
        row!("Y96", through_a_static, "a future that has the lock, through a static").seems(SEEMS),
        row!("Y97", by_a_std_channel, "a future in a future that has the lock, by a channel of std")
            .seems(SEEMS),
        row!("Y98", in_a_shared_option, "a future without annotation that has the lock, in an Option")
            .seems(likely("self_wait")),
        row!("Y99", queued_without_annotation, "a future without annotation that is handed the lock")
            .seems(SEEMS),
        row!("Y100", group_of_futures, "FuturesUnordered with a future that is handed the lock").seems(SEEMS),
        row!("Y101", to_an_older_thread, "a future that has the lock is sent to a thread").seems(SEEMS),
        row!(
            "Y102",
            taken_and_polled_on,
            "a future that has the lock is sent, and its new task sleeps in it"
        ),
        row!(
            "X84",
            pinned_in_an_awaited_box,
            "a boxed handler: select! over &mut lock(), and lock() again in the other arm"
        )
        .is(proven("futurelock").detail("granted"))
        .or(likely("futurelock").detail("granted")),
        row!(
            "X85",
            box_awaited_by_a_pinned_future,
            "a lock is handed to a boxed future that a future set aside awaits, and its task locks"
        )
        .is(proven("futurelock").detail("granted")),
        row!(
            "X86",
            pinned_without_annotation,
            "without annotations: select! over &mut lock(), and lock() again in the other arm"
        )
        .is(proven("futurelock").detail("granted")),
        row!(
            "X87",
            pinned_by_a_helper,
            "a helper polls a future once; the future then has the lock, and its task locks"
        )
        .is(proven("futurelock").detail("holding")),
    ],
};

/// How long each program looks stuck, in ms.
const LONG: u64 = 1_500;

static LEFT: StdMutex<Option<BoxFuture<'static, ()>>> = StdMutex::new(None);

#[diagnose]
async fn work(lock: Arc<Mutex<()>>) {
    let _guard = lock.lock().await;
}

#[diagnose]
async fn slow_work(lock: Arc<Mutex<()>>) {
    let _guard = lock.lock().await;
    sleep(ms(100)).await;
}

/// Takes the lock in a task of its own, and keeps it for 500 ms.
async fn hold_for_a_while(lock: &Arc<Mutex<()>>) {
    let (locked, is_locked) = oneshot::channel();
    let lock = Arc::clone(lock);
    let holder = async move {
        let _guard = lock.lock().await;
        locked.send(()).unwrap();
        sleep(ms(500)).await;
    };
    tokio::spawn(holder.diagnose("holder"));
    is_locked.await.unwrap();
}

/// Other work, for as long as the program looks stuck.
async fn ticks() {
    for _ in 0..LONG / 10 {
        sleep(ms(10)).await;
    }
}

/// Polls the future for 50 ms.
async fn try_for_a_while(future: &mut (impl Future<Output = ()> + Unpin)) {
    tokio::select! {
        () = future => {}
        () = sleep(ms(50)) => {}
    }
}

async fn by_a_foreign_channel() {
    let (give, take) = async_channel::unbounded::<BoxFuture<'static, ()>>();
    let worker = async move {
        let first = take.recv().await.unwrap();
        ticks().await;
        first.await;
    };
    tokio::spawn(worker.diagnose("worker"));
    let lock = Arc::new(Mutex::new(()));
    hold_for_a_while(&lock).await;
    let mut first = work(Arc::clone(&lock)).boxed();
    try_for_a_while(&mut first).await;
    give.send(first).await.unwrap();
    drop(lock.lock().await);
}

async fn through_a_static() {
    let worker = async {
        ticks().await;
        let first = put_there(&LEFT).await;
        first.await;
    };
    tokio::spawn(worker.diagnose("worker"));
    let lock = Arc::new(Mutex::new(()));
    let mut first = slow_work(Arc::clone(&lock)).boxed();
    assert!(poll_immediate(&mut first).await.is_none());
    *LEFT.lock().unwrap() = Some(first);
    drop(lock.lock().await);
}

async fn by_a_std_channel() {
    #[diagnose]
    async fn around(lock: Arc<Mutex<()>>) {
        let mut inner = pin!(slow_work(lock));
        assert!(poll_immediate(&mut inner).await.is_none());
        sleep(ms(1)).await;
        inner.await;
    }
    let (give, take) = std::sync::mpsc::channel::<Pin<Box<dyn Future<Output = ()> + Send>>>();
    let worker = async move {
        ticks().await;
        let first = take.try_recv().unwrap();
        first.await;
    };
    tokio::spawn(worker.diagnose("worker"));
    let lock = Arc::new(Mutex::new(()));
    let mut first = around(Arc::clone(&lock)).boxed();
    assert!(poll_immediate(&mut first).await.is_none());
    give.send(first).unwrap();
    drop(lock.lock().await);
}

async fn in_a_shared_option() {
    let shared = Arc::new(StdMutex::new(None::<BoxFuture<'static, ()>>));
    let theirs = Arc::clone(&shared);
    let worker = async move {
        ticks().await;
        let first = put_there(&theirs).await;
        first.await;
    };
    tokio::spawn(worker.diagnose("worker"));
    let lock = Arc::new(Mutex::new(()));
    let theirs = Arc::clone(&lock);
    let first = async move {
        let _guard = theirs.lock().await;
        sleep(ms(100)).await;
    };
    let mut first = first.boxed();
    assert!(poll_immediate(&mut first).await.is_none());
    *shared.lock().unwrap() = Some(first);
    drop(lock.lock().await);
}

async fn queued_without_annotation() {
    let (give, take) = async_channel::unbounded::<BoxFuture<'static, ()>>();
    let worker = async move {
        let first = take.recv().await.unwrap();
        ticks().await;
        first.await;
    };
    tokio::spawn(worker.diagnose("worker"));
    let lock = Arc::new(Mutex::new(()));
    hold_for_a_while(&lock).await;
    let theirs = Arc::clone(&lock);
    let mut first = async move { drop(theirs.lock().await) }.boxed();
    try_for_a_while(&mut first).await;
    give.send(first).await.unwrap();
    drop(lock.lock().await);
}

async fn group_of_futures() {
    let (give, take) = std::sync::mpsc::channel::<FuturesUnordered<BoxFuture<'static, ()>>>();
    let worker = async move {
        ticks().await;
        let group = take.try_recv().unwrap();
        group.for_each(|()| async {}).await;
    };
    tokio::spawn(worker.diagnose("worker"));
    let lock = Arc::new(Mutex::new(()));
    hold_for_a_while(&lock).await;
    let mut group = FuturesUnordered::new();
    group.push(work(Arc::clone(&lock)).boxed());
    assert!(poll_immediate(group.next()).await.is_none());
    give.send(group).unwrap();
    drop(lock.lock().await);
}

async fn to_an_older_thread() {
    let (give, take) = std::sync::mpsc::channel::<BoxFuture<'static, ()>>();
    thread::spawn(move || {
        let first = take.recv().unwrap();
        thread::sleep(ms(LONG));
        futures::executor::block_on(first);
    });
    sleep(ms(60)).await;
    let lock = Arc::new(Mutex::new(()));
    let mut first = slow_work(Arc::clone(&lock)).boxed();
    assert!(poll_immediate(&mut first).await.is_none());
    give.send(first).unwrap();
    drop(lock.lock().await);
}

async fn taken_and_polled_on() {
    #[diagnose]
    async fn slower_work(lock: Arc<Mutex<()>>) {
        let _guard = lock.lock().await;
        sleep(ms(LONG)).await;
    }
    let (give, take) = async_channel::unbounded::<BoxFuture<'static, ()>>();
    let worker = async move { take.recv().await.unwrap().await };
    tokio::spawn(worker.diagnose("worker"));
    let lock = Arc::new(Mutex::new(()));
    let mut first = slower_work(Arc::clone(&lock)).boxed();
    assert!(poll_immediate(&mut first).await.is_none());
    give.send(first).await.unwrap();
    drop(lock.lock().await);
}

/// Likely beside other tasks: `main` has no annotation, so no record says that it awaits the box.
async fn pinned_in_an_awaited_box() {
    #[diagnose]
    async fn work(lock: Arc<Mutex<()>>) {
        let _guard = lock.lock().await; // holds
    }
    async fn handle(lock: Arc<Mutex<()>>) {
        let mut first = pin!(work(Arc::clone(&lock)));
        tokio::select! {
            () = &mut first => {}
            () = sleep(ms(50)) => {
                let _guard = lock.lock().await; // waits
            }
        }
    }
    let lock = Arc::new(Mutex::new(()));
    hold_for_a_while(&lock).await;
    handle(lock).diagnose("handle").boxed().await;
}

async fn box_awaited_by_a_pinned_future() {
    #[diagnose]
    async fn around(lock: Arc<Mutex<()>>) {
        Box::pin(work(lock)).await;
    }
    #[diagnose]
    async fn work(lock: Arc<Mutex<()>>) {
        let _guard = lock.lock().await; // holds
    }
    let lock = Arc::new(Mutex::new(()));
    hold_for_a_while(&lock).await;
    let mut first = pin!(around(Arc::clone(&lock)));
    tokio::select! {
        () = &mut first => {}
        () = sleep(ms(50)) => drop(lock.lock().await), // waits
    }
}

async fn pinned_without_annotation() {
    let lock = Arc::new(Mutex::new(()));
    hold_for_a_while(&lock).await;
    let mut first = pin!(lock.lock()); // holds
    tokio::select! {
        _guard = &mut first => {}
        () = sleep(ms(50)) => drop(lock.lock().await), // waits
    }
}

async fn pinned_by_a_helper() {
    #[diagnose]
    async fn slow_work(lock: Arc<Mutex<()>>) {
        let _guard = lock.lock().await; // holds
        sleep(ms(100)).await;
    }
    #[diagnose]
    async fn polls_once(future: &mut (impl Future<Output = ()> + Unpin)) {
        assert!(poll_immediate(future).await.is_none());
    }
    let lock = Arc::new(Mutex::new(()));
    let mut first = pin!(slow_work(Arc::clone(&lock)));
    polls_once(&mut first).await;
    sleep(ms(100)).await;
    drop(lock.lock().await); // waits
    first.await;
}

/// Waits until something is there, and takes it.
async fn put_there<T>(place: &StdMutex<Option<T>>) -> T {
    loop {
        if let Some(it) = place.lock().unwrap().take() {
            return it;
        }
        ticks().await;
    }
}
