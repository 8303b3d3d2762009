//! Writes a dump when the process ends.
//!
//! ```text
//! thread that ends the process: asks ─────────── waits ───────────▶ goes on
//! thread `diagnose-exit`:            └─ writes the dump, flushes ─┘
//! ```
//! The first one may be in the middle of anything: a program's signal handler may call `exit` while
//! the thread allocates or records. So it allocates nothing and waits for no lock. It does not wait
//! for the other thread either once that has been asleep for most of ten seconds, as it is where
//! the first one has what it needs. Without `/proc`, nothing tells whether it sleeps, and the wait
//! ends after five minutes.
//!
//! Unsafe code is in this file: only the C library's `atexit` is called both when `main` returns
//! and on `std::process::exit`.

#![allow(unsafe_code)]

use std::panic::catch_unwind;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::sync::{Arc, Once};
use std::thread::{self, Thread};
use std::time::Duration;

use crate::signal_mask::with_write_errors;
use crate::sync::Mutex;
use crate::{cpu, os, own_thread};

type Action = Arc<dyn Fn() + Send + Sync>;

/// The action at exit; `None` if there is none.
static ACTION: Mutex<Option<Action>> = Mutex::new(None);
/// What will run it.
static WRITER: Mutex<Option<Writer>> = Mutex::new(None);

/// The kernel's number of that thread; 0 where there are none.
static NUMBER: AtomicU64 = AtomicU64::new(0);

/// What that thread does: it is [`STARTING`], waits for the end of the process ([`READY`]), is to
/// write ([`ASKED`]), or has written ([`DONE`]).
static STATE: AtomicU32 = AtomicU32::new(STARTING);
const STARTING: u32 = 0;
const READY: u32 = 1;
const ASKED: u32 = 2;
const DONE: u32 = 3;

/// The time between two looks at it.
const PAUSE: Duration = Duration::from_millis(1);
/// How many looks are judged together. Looks, not seconds: a process that is stopped takes none.
const LOOKS: u32 = 10_000;
/// Less work in as many looks is that of a thread that looks for a lock again and again.
const LEAST_WORK: Duration = Duration::from_secs(5);
/// How often as many looks are waited for if the work is unknown: five minutes, several times what
/// the dump of a million tasks takes.
const UNKNOWN: u32 = 30;

#[derive(Clone)]
struct Writer {
    /// The process of the thread. A forked child has its parent's records, and must not report
    /// them.
    process: u32,
    /// `None` if it could not be started: then the thread that ends the process writes.
    thread: Option<Thread>,
    flush: fn(),
}

/// Runs `action`, and then `flush`, when the process ends, by a return from `main` or by `exit`.
/// Replaces the previous action. A fork waits for `action`, but not for `flush`.
pub(crate) fn at_exit(action: impl Fn() + Send + Sync + 'static, flush: fn()) {
    static REGISTERED: Once = Once::new();
    let mut writer = WRITER.lock();
    let process = std::process::id();
    if writer.as_ref().is_none_or(|writer| writer.process != process) {
        STATE.store(STARTING, Relaxed);
        let thread = own_thread::spawn("diagnose-exit", move || write_when_asked(flush)).ok();
        // It may allocate until it is ready. Acquire pairs with the store in `write_when_asked`.
        while thread.is_some() && STATE.load(Acquire) == STARTING {
            thread::sleep(PAUSE / 10);
        }
        *writer = Some(Writer { process, thread: thread.map(|thread| thread.thread().clone()), flush });
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
fn write_when_asked(flush: fn()) {
    NUMBER.store(os::thread_id(), Relaxed);
    // Release pairs with the load in `at_exit`: the number is known.
    STATE.store(READY, Release);
    // Acquire pairs with the store in `ask_and_wait`: the thread that ends the process is known.
    while STATE.load(Acquire) != ASKED {
        thread::park();
    }
    // A panic has been reported by the hook. The payload's own drop may panic too.
    if let Err(payload) = own_thread::work(|| catch_unwind(act)) {
        std::mem::forget(payload);
    }
    flush();
    // Release pairs with the load in `ask_and_wait`: the files are complete.
    STATE.store(DONE, Release);
}

fn act() {
    let action = ACTION.lock().clone();
    if let Some(action) = action {
        action();
    }
}

/// On the thread that ends the process. Allocates nothing and waits for no lock, unless no other
/// thread could be started.
fn ask_and_wait() {
    let Some(writer) = WRITER.try_lock().and_then(|writer| writer.clone()) else { return };
    let has_action = ACTION.try_lock().is_some_and(|action| action.is_some());
    if !has_action || writer.process != std::process::id() {
        return;
    }
    let Some(thread) = &writer.thread else {
        act();
        return (writer.flush)();
    };
    own_thread::adopt(os::thread_id());
    // Release pairs with the load in `write_when_asked`.
    STATE.store(ASKED, Release);
    thread.unpark();
    let number = NUMBER.load(Relaxed);
    let (mut before, mut looks, mut disk) = (cpu::work(number), 0_u32, Duration::ZERO);
    // Acquire pairs with the store in `write_when_asked`.
    while STATE.load(Acquire) != DONE {
        thread::sleep(PAUSE);
        looks += 1;
        disk += if cpu::waits_for_disk(number) { PAUSE } else { Duration::ZERO };
        if looks % LOOKS == 0 {
            let now = cpu::work(number);
            let worked = now.zip(before).map(|(now, before)| now.saturating_sub(before) + disk);
            if is_blocked(worked, looks / LOOKS) {
                let words = "diagnose: no dump at exit: its thread is blocked\n";
                return with_write_errors(|| os::write_to_stderr(words));
            }
            (before, disk) = (now, Duration::ZERO);
        }
    }
}

/// Returns whether the writer gets no further, after the work of the last looks, if that is known.
fn is_blocked(worked: Option<Duration>, times: u32) -> bool {
    worked.map_or(times >= UNKNOWN, |worked| worked < LEAST_WORK)
}

#[cfg(all(test, not(diagnose_loom)))]
mod tests {
    use super::{LEAST_WORK, UNKNOWN, is_blocked};

    #[test]
    fn a_writer_is_waited_for_while_it_works_and_not_for_ever_where_that_is_unknown() {
        assert!(is_blocked(Some(LEAST_WORK / 2), 1));
        assert!(!is_blocked(Some(LEAST_WORK), 10 * UNKNOWN));
        assert!(!is_blocked(None, UNKNOWN - 1));
        assert!(is_blocked(None, UNKNOWN));
    }
}
