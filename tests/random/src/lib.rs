//! Random programs, run until no task can move, and checked against the verdicts on the way.
//!
//! ```text
//! seed ─ program ─▶ tasks with steps ─ run ─▶ snapshots at random moments
//!                                          └▶ the end: no task can move, and all timers have fired
//! ```
//! The executor is tokio's on one thread with a clock that jumps to the next timer, so a run is
//! decided by its seed alone.
//!
//! | checked | except |
//! |---|---|
//! | a task that was proven stuck never takes another step, and never ends | – |
//! | a task whose spawn is not on record is not proven stuck: the code that polls it may drop it | – |
//! | each task that never ends has a proven or likely verdict | idle tasks: nothing waits for their end, and they only poll for messages |

mod check;
mod outside;
mod program;
mod random;
mod run;
mod story;
mod task;
mod world;

pub use check::{Outcome, Suspicion, check, check_unrecorded};
pub use outside::start_older_thread;
pub use program::{Channel, Oneshot, Program, Start, Step, Way};
pub use random::Random;
