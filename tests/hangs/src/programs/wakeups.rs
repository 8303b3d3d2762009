//! Wakes that are lost: told too early, told to another, or not asked for.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::task::{Context, Poll, Waker};
use std::thread;

use diagnose::FutureExt as _;

use super::ms;
use crate::drop_in::{async_lock, std_sync, tokio};
use crate::row::{Section, likely, proven, row, suspect};
use tokio::sync::{Mutex, Notify, oneshot};
use tokio::time::sleep;

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("wakeups.rs"),
    rows: &[
        row!("C35", notified_too_late, "notify_waiters() between the check and notified()")
            .is(likely("missed_notify"))
            .in_noise(suspect("missed_notify")),
        row!("C36", one_of_two_notified, "notify_one(), and two tasks wait to be notified")
            .is(likely("missed_notify"))
            .in_noise(suspect("missed_notify")),
        row!("C37", pending_without_waker, "Pending, and the waker is not kept")
            .is(proven("lost_waker"))
            .in_noise(likely("lost_waker")),
        row!("C39", lock_anew_in_every_poll, "a lock future is made and dropped in every poll")
            .is(proven("lost_waker"))
            .in_noise(likely("lost_waker")),
        row!(
            "C39",
            lock_anew_in_every_poll_async_lock,
            "async-lock: a lock future is made and dropped in every poll"
        )
        .is(proven("lost_waker"))
        .in_noise(likely("lost_waker")),
        row!("C41", registers_too_late, "the event comes between the check and the registration")
            .is(suspect("lost_waker"))
            .or(suspect("hazard")),
        row!(
            "Y169",
            woken_by_an_earlier_block_on,
            "a waker of the thread's earlier block_on wakes the next one"
        ),
        row!("Y170", runtime_handed_over, "a block_on ends, and the next one drives the runtime"),
    ],
};

/// How long each program that ends looks stuck, in ms.
const LONG: u64 = 1_500;

async fn notified_too_late() {
    let state = Arc::new((AtomicBool::new(false), Notify::new()));
    let shared = Arc::clone(&state);
    let (done, is_done) = oneshot::channel();
    let sets = async move {
        sleep(ms(20)).await;
        shared.0.store(true, SeqCst);
        shared.1.notify_waiters();
        done.send(()).unwrap();
    };
    tokio::spawn(sets.diagnose("sets"));
    let (is_set, notify) = &*state;
    if !is_set.load(SeqCst) {
        is_done.await.unwrap(); // Anything that takes longer.
        notify.notified().await; // waits
    }
}

async fn one_of_two_notified() {
    let notify = Arc::new(Notify::new());
    let tasks = [0, 1].map(|_| {
        let notify = Arc::clone(&notify);
        let waits = async move {
            notify.notified().await; // waits
        };
        tokio::spawn(waits.diagnose("notified"))
    });
    sleep(ms(50)).await;
    notify.notify_one();
    for task in tasks {
        task.await.unwrap();
    }
}

/// `Pending` for so many polls, without a word to anybody.
struct Silent(u32);

impl Future for Silent {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        match self.0.checked_sub(1) {
            Some(left) => {
                self.0 = left;
                Poll::Pending
            }
            None => Poll::Ready(()),
        }
    }
}

async fn pending_without_waker() {
    let silent = Silent(1).diagnose("silent"); // waits
    tokio::spawn(silent).await.unwrap(); // waits
}

async fn lock_anew_in_every_poll() {
    let lock = Arc::new(Mutex::new(()));
    let guard = Arc::clone(&lock).lock_owned().await;
    let holds = async move {
        sleep(ms(300)).await;
        drop(guard);
    };
    tokio::spawn(holds.diagnose("holder"));
    let locks = poll_fn(move |context| {
        let mut locks = Box::pin(lock.lock()); // waits
        locks.as_mut().poll(context).map(drop)
    });
    let locks = locks.diagnose("locks"); // waits
    tokio::spawn(locks).await.unwrap(); // waits
}

async fn lock_anew_in_every_poll_async_lock() {
    let lock = Arc::new(async_lock::Mutex::new(()));
    let guard = lock.lock_arc().await;
    let holds = async move {
        sleep(ms(300)).await;
        drop(guard);
    };
    tokio::spawn(holds.diagnose("holder"));
    let locks = poll_fn(move |context| {
        let mut locks = Box::pin(lock.lock()); // waits
        locks.as_mut().poll(context).map(drop)
    });
    let locks = locks.diagnose("locks"); // waits
    tokio::spawn(locks).await.unwrap(); // waits
}

/// Something that happens once, and who wants to know.
#[derive(Default)]
struct Event {
    has_come: AtomicBool,
    waker: std_sync::Mutex<Option<Waker>>,
}

impl Event {
    fn come(&self) {
        self.has_come.store(true, SeqCst);
        let waker = self.waker.lock().unwrap().take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// Looks, takes its time, and registers.
struct Registers {
    event: Arc<Event>,
    has_looked: bool,
}

impl Future for Registers {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.event.has_come.load(SeqCst) {
            return Poll::Ready(());
        }
        if !self.has_looked {
            self.has_looked = true;
            // The window, in which another thread gets ahead.
            let event = Arc::clone(&self.event);
            thread::spawn(move || event.come()).join().unwrap();
        }
        *self.event.waker.lock().unwrap() = Some(context.waker().clone());
        Poll::Pending
    }
}

async fn registers_too_late() {
    let registers = Registers { event: Arc::new(Event::default()), has_looked: false };
    tokio::spawn(registers.diagnose("registers")).await.unwrap(); // waits
}

/// Waits for a flag, without a word to anybody.
async fn flag_is_set(flag: Arc<AtomicBool>) {
    let is_set = poll_fn(|_| if flag.load(SeqCst) { Poll::Ready(()) } else { Poll::Pending });
    is_set.diagnose("flag").await;
}

async fn woken_by_an_earlier_block_on() {
    let (done, is_done) = oneshot::channel::<()>();
    let runtime = tokio::runtime::Handle::current();
    thread::spawn(move || {
        let waker = runtime.block_on(poll_fn(|context| Poll::Ready(context.waker().clone())));
        let flag = Arc::new(AtomicBool::new(false));
        let theirs = Arc::clone(&flag);
        thread::spawn(move || {
            thread::sleep(ms(LONG));
            theirs.store(true, SeqCst);
            waker.wake();
        });
        runtime.block_on(flag_is_set(flag));
        drop(done);
    });
    is_done.await.unwrap_err();
}

async fn runtime_handed_over() {
    let (done, is_done) = oneshot::channel::<()>();
    let flag = Arc::new(AtomicBool::new(false));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let runtime = Arc::new(runtime);
    let (theirs, drives) = (Arc::clone(&flag), Arc::clone(&runtime));
    thread::spawn(move || {
        drives.block_on(async {
            sleep(ms(LONG)).await;
            theirs.store(true, SeqCst);
        });
    });
    thread::spawn(move || {
        thread::sleep(ms(50));
        runtime.block_on(flag_is_set(flag));
        drop(done);
    });
    is_done.await.unwrap_err();
}
