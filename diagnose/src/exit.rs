//! A dump when the process ends.
//!
//! Unsafe is kept in this file: the C library's `atexit` is the one thing that is called both when `main` returns and
//! on `std::process::exit`.

#![allow(unsafe_code)]

use std::sync::Once;

use crate::say::say;
use crate::sync::Mutex;

type Action = Box<dyn Fn() + Send>;

/// What to do at exit, and of which process: a forked child has its parent's records, which are not its own to report.
static ACTION: Mutex<Option<(u32, Action)>> = Mutex::new(None);

/// Runs `action` when the process ends by returning from `main` or by `exit`, instead of what was set before.
pub(crate) fn at_exit(action: impl Fn() + Send + 'static) {
    static REGISTERED: Once = Once::new();
    *ACTION.lock() = Some((std::process::id(), Box::new(action)));
    REGISTERED.call_once(|| {
        // SAFETY: `run` has the required type and never unwinds; registering a function has no other condition.
        let status = unsafe { libc::atexit(run) };
        if status != 0 {
            say!("diagnose: cannot register for a dump at exit");
        }
    });
}

/// Does nothing at exit after all.
pub(crate) fn clear() {
    *ACTION.lock() = None;
}

extern "C" fn run() {
    let action = ACTION.lock().take();
    if let Some((_, action)) = action.filter(|(process, _)| *process == std::process::id()) {
        // A panic must not cross into the C library.
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(action));
    }
}
