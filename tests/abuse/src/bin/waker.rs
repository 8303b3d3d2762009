//! An executor whose waker takes a snapshot whenever it is cloned, and when it is woken.
//!
//! Prints `clones <n>`, and `late` once the thread of a time limit has ended while a clone of the
//! waker was being made. It hangs if a snapshot waits for a lock that its own caller holds, or that
//! thread for the clone.
//!
//! Unsafe is kept in this file: a waker made from a vtable.

#![allow(unsafe_code)]

use std::pin::pin;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::task::{Context, Poll, RawWaker, RawWakerVTable, Waker};
use std::time::Duration;

use diagnose::diagnose;

static CLONES: AtomicU64 = AtomicU64::new(0);
static STORED: Mutex<Vec<Waker>> = Mutex::new(Vec::new());

fn table() -> &'static RawWakerVTable {
    static TABLE: RawWakerVTable = RawWakerVTable::new(
        |data| {
            CLONES.fetch_add(1, Relaxed);
            drop((diagnose::snapshot(), diagnose::tree(), diagnose::waiters()));
            RawWaker::new(data, table())
        },
        |_| drop(diagnose::snapshot()),
        |_| drop(diagnose::snapshot()),
        |_| {},
    );
    &TABLE
}

/// Stores three clones of its waker, and is ready at its second poll.
#[diagnose(root)]
async fn stores_clones() {
    let mut is_ready = false;
    std::future::poll_fn(|context: &mut Context<'_>| {
        if std::mem::replace(&mut is_ready, true) {
            return Poll::Ready(());
        }
        let waker = context.waker();
        STORED.lock().expect("no panic").extend([waker.clone(), waker.clone(), waker.clone()]);
        Poll::Pending
    })
    .await;
}

fn late_table() -> &'static RawWakerVTable {
    static TABLE: RawWakerVTable = RawWakerVTable::new(
        |data| {
            while is_limited() {
                std::thread::yield_now();
            }
            RawWaker::new(data, late_table())
        },
        |_| {},
        |_| {},
        |_| {},
    );
    &TABLE
}

/// Returns whether there is another thread than this one: that of the time limit.
fn is_limited() -> bool {
    std::fs::read_dir("/proc/self/task").expect("this is Linux").count() > 1
}

/// Returns whether a future is late at its first poll, which takes longer than its limit.
fn is_late() -> bool {
    // SAFETY: the functions of the table do not look at the pointer, which is null.
    let waker = unsafe { Waker::new(std::ptr::null(), late_table()) };
    let mut future = pin!(diagnose::within(Duration::from_millis(1), std::future::pending::<()>()));
    let poll = || future.as_mut().poll(&mut Context::from_waker(&waker));
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(poll)).is_err()
}

fn main() {
    // SAFETY: the functions of the table do not look at the pointer, which is null.
    let waker = unsafe { Waker::new(std::ptr::null(), table()) };
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(stores_clones());
    assert!(future.as_mut().poll(&mut context).is_pending());
    let stored = || STORED.lock().expect("no panic").pop().expect("there are three");
    // The first two calls clone the executor's waker, because other clones are left. The last call
    // takes it.
    stored().wake();
    stored().wake_by_ref();
    stored().wake();
    assert!(future.as_mut().poll(&mut context).is_ready());
    println!("clones {}", CLONES.load(Relaxed));
    assert!(is_late());
    println!("late");
}
