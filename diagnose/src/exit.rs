//! Writes a dump when the process ends.
//!
//! Unsafe code is in this file: only the C library's `atexit` is called both when `main` returns
//! and on `std::process::exit`.

#![allow(unsafe_code)]

use std::sync::Once;

use crate::sync::Mutex;

type Action = Box<dyn Fn() + Send>;

/// The action at exit, and the id of its process. A forked child has its parent's records, and must
/// not report them.
static ACTION: Mutex<Option<(u32, Action)>> = Mutex::new(None);

/// Runs `action` when the process ends, by a return from `main` or by `exit`. Replaces the previous
/// action.
pub(crate) fn at_exit(action: impl Fn() + Send + 'static) {
    static REGISTERED: Once = Once::new();
    *ACTION.lock() = Some((std::process::id(), Box::new(action)));
    REGISTERED.call_once(|| register(run));
}

/// Removes the action.
pub(crate) fn clear() {
    *ACTION.lock() = None;
}

/// Calls `function` when the process ends in one of these ways, on the thread that ends it.
pub(crate) fn register(function: fn()) {
    static FUNCTIONS: Mutex<Vec<fn()>> = Mutex::new(Vec::new());
    extern "C" fn call() {
        let function = FUNCTIONS.lock().pop();
        // A panic must not cross into the C library.
        let _ = function.map(std::panic::catch_unwind);
    }
    FUNCTIONS.lock().push(function);
    // SAFETY: `call` has the required type and never unwinds. Registering a function has no other
    // condition.
    let status = unsafe { libc::atexit(call) };
    if status != 0 {
        FUNCTIONS.lock().pop();
    }
}

fn run() {
    let action = ACTION.lock().take();
    if let Some((_, action)) = action.filter(|(process, _)| *process == std::process::id()) {
        action();
    }
}
