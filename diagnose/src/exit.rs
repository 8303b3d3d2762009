//! A dump when the process ends.
//!
//! Unsafe is kept in this file: the C library's `atexit` is the one thing that is called both when `main` returns and
//! on `std::process::exit`.

#![allow(unsafe_code)]

use std::sync::Once;

use crate::say;
use crate::sync::Mutex;

type Action = Box<dyn Fn() + Send>;

/// What to do at exit, and of which process: a forked child has its parent's records, which are not its own to report.
static ACTION: Mutex<Option<(u32, Action)>> = Mutex::new(None);

/// Runs `action` when the process ends by returning from `main` or by `exit`, instead of what was set before.
pub(crate) fn at_exit(action: impl Fn() + Send + 'static) {
    static REGISTERED: Once = Once::new();
    *ACTION.lock() = Some((std::process::id(), Box::new(action)));
    REGISTERED.call_once(|| register(run));
}

/// Does nothing at exit after all.
pub(crate) fn clear() {
    *ACTION.lock() = None;
}

/// Calls `function` when the process ends in one of these ways. It is called on the thread that ends the process.
pub(crate) fn register(function: fn()) {
    static FUNCTIONS: Mutex<Vec<fn()>> = Mutex::new(Vec::new());
    extern "C" fn call() {
        let function = FUNCTIONS.lock().pop();
        // A panic must not cross into the C library.
        let _ = function.map(std::panic::catch_unwind);
    }
    FUNCTIONS.lock().push(function);
    // SAFETY: `call` has the required type and never unwinds; registering a function has no other condition.
    let status = unsafe { libc::atexit(call) };
    if status != 0 {
        FUNCTIONS.lock().pop();
    }
}

fn run() {
    let action = ACTION.lock().take();
    if let Some((_, action)) = action.filter(|(process, _)| *process == std::process::id()) {
        action();
        say::flush();
    }
}
