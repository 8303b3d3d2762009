//! A future that its task no longer polls has, or is promised, what the task waits for.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::task::{Context, Poll};

use diagnose::{FutureExt as _, diagnose};
use futures::FutureExt as _;

use super::ms;
use crate::drop_in::{async_lock, tokio};
use crate::row::{Section, likely, proven, row};
use tokio::sync::{Mutex, mpsc, oneshot};
use tokio::time::{interval, sleep};

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("futurelock.rs"),
    rows: &[
        row!("C01", second_attempt, "select! over &mut lock(), and lock() again in the other arm")
            .is(proven("futurelock").detail("granted")),
        row!(
            "C01",
            second_attempt_async_lock,
            "async-lock: select! over &mut lock(), and lock() again in the other arm"
        )
        .is(proven("futurelock").detail("granted")),
        row!(
            "C01",
            second_attempt_by_a_helper,
            "select! over two calls of one async fn that locks, the first by &mut"
        )
        .is(proven("futurelock").detail("granted"))
        .or(likely("futurelock").detail("granted")),
        row!("C03", second_send, "select! over &mut send(), and send() again while it is alive")
            .is(proven("futurelock").detail("granted"))
            .or(likely("futurelock").detail("granted")),
        row!("C08", paused_wrapper, "a wrapper stops polling the future that is handed the lock")
            .is(proven("futurelock").detail("granted"))
            .or(likely("futurelock").detail("granted")),
        row!(
            "X01",
            beside_a_ticking_arm,
            "select! over &mut lock(), and lock() again, in an arm of a join! whose other arm ticks"
        )
        .is(likely("futurelock").detail("granted")),
        row!("X02", guard_set_aside, "a future that has the lock is set aside, and its task locks")
            .is(proven("futurelock").detail("holding")),
    ],
};

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

async fn second_attempt() {
    let lock = Arc::new(Mutex::new(()));
    hold_for_a_while(&lock).await;
    let first = async {
        let _guard = lock.lock().await; // holds
    };
    let second = async {
        let _guard = lock.lock().await; // waits
    };
    let mut first = pin!(first.diagnose("first"));
    tokio::select! {
        () = &mut first => {}
        () = sleep(ms(50)) => second.diagnose("second").await, // waits
    }
}

async fn second_attempt_async_lock() {
    let lock = Arc::new(async_lock::Mutex::new(()));
    let (locked, is_locked) = oneshot::channel();
    let held = Arc::clone(&lock);
    let holder = async move {
        let _guard = held.lock().await;
        locked.send(()).unwrap();
        sleep(ms(500)).await;
    };
    tokio::spawn(holder.diagnose("holder"));
    is_locked.await.unwrap();
    let first = async {
        let _guard = lock.lock().await; // holds
    };
    let second = async {
        let _guard = lock.lock().await; // waits
    };
    let mut first = pin!(first.diagnose("first"));
    tokio::select! {
        () = &mut first => {}
        () = sleep(ms(50)) => second.diagnose("second").await, // waits
    }
}

/// Proven only if no other task can go on: a boxed future may be with any of them.
async fn second_attempt_by_a_helper() {
    #[diagnose]
    async fn work(lock: Arc<Mutex<()>>) {
        let _guard = lock.lock().await; // waits, holds
    }
    let lock = Arc::new(Mutex::new(()));
    hold_for_a_while(&lock).await;
    let mut first = work(Arc::clone(&lock)).boxed(); // holds
    tokio::select! {
        () = &mut first => {}
        () = sleep(ms(50)) => work(Arc::clone(&lock)).await, // waits
    }
}

async fn second_send() {
    let (sender, mut receiver) = mpsc::channel(1);
    sender.send(1).await.unwrap();
    let receiving = async move {
        sleep(ms(900)).await;
        for _ in 0..3 {
            receiver.recv().await.unwrap();
        }
    };
    let receiving = tokio::spawn(receiving.diagnose("receiver"));
    let mut second = pin!(sender.send(2)); // holds
    tokio::select! {
        sent = &mut second => sent.unwrap(),
        () = sleep(ms(50)) => {}
    }
    sender.send(3).await.unwrap(); // waits
    second.await.unwrap();
    receiving.await.unwrap();
}

/// Does not poll its future while it is told to stop.
struct Pausable<F> {
    future: Pin<Box<F>>,
    is_paused: Arc<AtomicBool>,
}

impl<F: Future> Future for Pausable<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        if self.is_paused.load(SeqCst) { Poll::Pending } else { self.future.as_mut().poll(context) }
    }
}

/// Proven only if no other task can go on, as above.
async fn paused_wrapper() {
    let lock = Arc::new(Mutex::new(()));
    let guard = Arc::clone(&lock).lock_owned().await;
    let is_paused = Arc::new(AtomicBool::new(false));
    let paused = Arc::clone(&lock);
    let (queues, is_queued) = oneshot::channel();
    let paused = async move {
        queues.send(()).unwrap();
        let _guard = paused.lock().await; // holds
        sleep(ms(5)).await;
    };
    let paused = Box::pin(paused.diagnose("paused"));
    tokio::spawn(Pausable { future: paused, is_paused: Arc::clone(&is_paused) });
    is_queued.await.unwrap();
    sleep(ms(20)).await;
    let others = [0, 1].map(|_| {
        let lock = Arc::clone(&lock);
        let other = async move {
            let _guard = lock.lock().await; // waits
            sleep(ms(5)).await;
        };
        tokio::spawn(other.diagnose("other"))
    });
    sleep(ms(150)).await;
    is_paused.store(true, SeqCst);
    drop(guard);
    for other in others {
        other.await.unwrap();
    }
}

/// Likely, and not proven: which macro polls the arms is known by its name, and how many clones of
/// a waker are kept for what is not on record is known of a task, not of an arm.
#[diagnose]
async fn beside_a_ticking_arm() {
    let lock = Arc::new(Mutex::new(()));
    hold_for_a_while(&lock).await;
    let works = async {
        let mut first = Box::pin(async {
            let _guard = lock.lock().await; // holds
        });
        tokio::select! {
            () = &mut first => {}
            () = sleep(ms(50)) => {
                let _guard = lock.lock().await; // waits
            }
        }
    };
    let ticks = async {
        let mut interval = interval(ms(10));
        loop {
            interval.tick().await;
        }
    };
    tokio::join!(works, ticks);
}

async fn guard_set_aside() {
    let lock = Mutex::new(());
    let slow = async {
        let _guard = lock.lock().await; // holds
        sleep(ms(600)).await;
    };
    let mut slow = pin!(slow.diagnose("slow"));
    tokio::select! {
        biased; () = &mut slow => {}
        () = sleep(ms(20)) => {}
    }
    let again = async {
        let _guard = lock.lock().await; // waits
    };
    again.diagnose("again").await; // waits
    slow.await;
}
