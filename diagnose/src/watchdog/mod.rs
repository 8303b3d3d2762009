//! The watchdog: a thread that finds stuck tasks while they are stuck. It reads the state of each
//! task. For a native stack it signals the thread, whose system call may then return early; it
//! changes nothing else in the program. Each alarm is printed once on stderr when it is raised, and
//! once when it is resolved. Text and JSON reports contain it from then on.
//!
//! ```text
//! diagnose: ALARM task 7 `conn` has been in one poll for 312 ms on thread tokio-rt-worker, using 100 % of a CPU
//!   conn (src/main.rs:12:1)
//!   └─ parse (src/parse.rs:3:1)  ◀ running
//!   native stack, innermost first:
//!     app::parse::digits (src/parse.rs:40)
//!     app::parse::parse (src/parse.rs:5)
//!     app::conn (src/main.rs:14)
//! diagnose: ALARM all 2 workers of runtime 1 have been in one poll each for at least 101 ms; 3 tasks are queued,
//!   the oldest is task 9 `flush` (98 ms)
//!   task 7 `conn` for 312 ms on thread tokio-rt-worker, using 100 % of a CPU
//!   task 8 `conn` for 101 ms on thread tokio-rt-worker, blocked, using 0 % of a CPU
//! diagnose: ALARM task 9 `flush` was woken 250 ms ago and has not been polled since; running: task 7 `conn` for 312 ms
//! diagnose: ALARM task 9 `flush` was woken 250 ms ago and has not been polled since, although 1 of the 2 workers of
//!   runtime 1 is idle; task 7 `conn` woke that task and has been in one poll for 312 ms on thread tokio-rt-worker: …
//! diagnose: ALARM proven cycle: task 4 `left` is waiting for `Mutex#2` at src/main.rs:6 (112 ms); task 5 `right` has held …
//!   task 4 left waits at src/main.rs:6 for 112 ms
//!   resource 2 Mutex created at src/main.rs:20, on record for 140 ms
//!   …
//! ```
//!
//! ```text
//! watch         the thread and its settings
//! budget        how many snapshots it may take
//! poll_alarms   which alarms about polls and queued tasks are over
//! late          whether anything is late, without a snapshot
//! suspects      which late tasks may hang, in a few bytes per task
//! looks         long polls and queued tasks in a snapshot, if new: a pure function
//! repeats       which of them are raised, if the same code is late again and again
//! alarm_texts   the texts of these findings
//! hangs         when to ask for verdicts, and which of them are new
//! native_stack  the native stack of a thread, as lines; needs the feature `native-stacks`
//! ```

mod alarm_texts;
mod budget;
mod hangs;
mod late;
mod looks;
#[cfg(all(
    feature = "native-stacks",
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
mod native_stack;
#[cfg(not(all(
    feature = "native-stacks",
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
)))]
mod no_stack;
mod poll_alarms;
mod repeats;
mod suspects;
mod watch;

#[cfg(feature = "native-stacks")]
pub(crate) use native_stack::prepare_thread;
#[cfg(feature = "native-stacks")]
pub use native_stack::{addresses_of, interrupt_thread};
#[cfg(not(all(
    feature = "native-stacks",
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
)))]
use no_stack as native_stack;
pub(crate) use watch::watch;
