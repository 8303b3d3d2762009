//! Writes a dump when the process ends.
//!
//! ```text
//! thread that ends the process: asks ─────────── waits ───────────▶ goes on
//! thread `diagnose-exit`:            └─ writes the dump, flushes ─┘
//! ```
//! The first one may be in the middle of anything: a program's signal handler may call `exit` while
//! the thread allocates or records. So it allocates nothing, waits for no lock, and does not wait
//! for the other thread if that uses no CPU time for ten seconds, as it waits for such a lock.
//!
//! Unsafe code is in this file: only the C library's `atexit` is called both when `main` returns
//! and on `std::process::exit`.

#![allow(unsafe_code)]

use std::panic::catch_unwind;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::{Arc, Once};
use std::thread::{self, Thread};
use std::time::Duration;

use crate::sync::Mutex;
use crate::{os, own_thread};

type Action = Arc<dyn Fn() + Send + Sync>;

/// The action at exit; `None` if there is none.
static ACTION: Mutex<Option<Action>> = Mutex::new(None);
/// What will run it.
static WRITER: Mutex<Option<Writer>> = Mutex::new(None);

/// What has become of the action: [`IDLE`], [`ASKED`] or [`DONE`].
static STATE: AtomicU32 = AtomicU32::new(IDLE);
const IDLE: u32 = 0;
const ASKED: u32 = 1;
const DONE: u32 = 2;

/// The time between two looks at the thread that writes.
const PAUSE: Duration = Duration::from_millis(1);
/// How many looks in a row may find that it has used no CPU time. Looks, not seconds: a process
/// that is stopped meanwhile takes none.
const PATIENCE: u32 = 10_000;

struct Writer {
    /// The process of the thread. A forked child has its parent's records, and must not report
    /// them.
    process: u32,
    /// `None` if it could not be started: then the thread that ends the process writes.
    thread: Option<(Thread, Option<os::ThreadClock>)>,
}

/// Runs `action` when the process ends, by a return from `main` or by `exit`. Replaces the previous
/// action.
pub(crate) fn at_exit(action: impl Fn() + Send + Sync + 'static) {
    static REGISTERED: Once = Once::new();
    let mut writer = WRITER.lock();
    let process = std::process::id();
    if writer.as_ref().is_none_or(|writer| writer.process != process) {
        STATE.store(IDLE, Relaxed);
        let thread = own_thread::spawn("diagnose-exit", write_when_asked).ok();
        let thread = thread.map(|thread| (thread.thread().clone(), os::ThreadClock::of(&thread)));
        let previous = writer.replace(Writer { process, thread });
        // The parent's thread does not exist in a forked child.
        std::mem::forget(previous);
    }
    drop(writer);
    *ACTION.lock() = Some(Arc::new(action));
    REGISTERED.call_once(|| register(ask_and_wait));
}

/// Removes the action.
pub(crate) fn clear() {
    *ACTION.lock() = None;
}

/// Calls `function` when the process ends in one of these ways, on the thread that ends it.
pub(crate) fn register(function: fn()) {
    static FUNCTIONS: Mutex<Vec<fn()>> = Mutex::new(Vec::new());
    extern "C" fn call() {
        let function = FUNCTIONS.try_lock().and_then(|mut functions| functions.pop());
        // A panic must not cross into the C library.
        let _ = function.map(catch_unwind);
    }
    FUNCTIONS.lock().push(function);
    // SAFETY: `call` has the required type and never unwinds. Registering a function has no other
    // condition.
    let status = unsafe { libc::atexit(call) };
    if status != 0 {
        FUNCTIONS.lock().pop();
    }
}

/// On the thread `diagnose-exit`.
fn write_when_asked() {
    // Acquire pairs with the store in `ask_and_wait`: the thread that ends the process is known.
    while STATE.load(Acquire) != ASKED {
        thread::park();
    }
    // A panic has been reported by the hook.
    let _ = own_thread::work(|| catch_unwind(act));
    // Release pairs with the load in `ask_and_wait`: the files are complete.
    STATE.store(DONE, Release);
}

fn act() {
    let action = ACTION.lock().clone();
    if let Some(action) = action {
        action();
    }
}

/// On the thread that ends the process. Allocates nothing, and waits for no lock.
fn ask_and_wait() {
    let writer = WRITER.try_lock();
    let Some(writer) = writer.as_deref().and_then(Option::as_ref) else { return };
    let has_action = ACTION.try_lock().is_some_and(|action| action.is_some());
    if !has_action || writer.process != std::process::id() {
        return;
    }
    let Some((thread, clock)) = &writer.thread else { return act() };
    own_thread::adopt(os::thread_id());
    // Release pairs with the load in `write_when_asked`.
    STATE.store(ASKED, Release);
    thread.unpark();
    let (mut used, mut looks) = (None, 0);
    // Acquire pairs with the store in `write_when_asked`.
    while STATE.load(Acquire) != DONE {
        let now = clock.as_ref().and_then(os::ThreadClock::used);
        looks = if now.is_some() && now == used { looks + 1 } else { 0 };
        used = now;
        if looks == PATIENCE {
            os::write_to_stderr("diagnose: no dump at exit: its thread waits for a lock of the program\n");
            return;
        }
        thread::sleep(PAUSE);
    }
}
