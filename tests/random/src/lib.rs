//! Random programs, run to the point where nothing moves any more, and what the verdicts said of them on the way.
//!
//! ```text
//! seed ─ program ─▶ tasks with steps ─ run ─▶ looks: snapshots at random moments
//!                                          └▶ the end: no task can move, and all timers have fired
//! ```
//! The executor is tokio's on one thread with a clock that jumps to the next timer, so a run is decided by its seed alone.
//!
//! | asked for | but for |
//! |---|---|
//! | a task that was proven to be stuck never does another step, and never ends | nothing |
//! | a task that was only met is not proven to be stuck: what polls it may drop it | nothing |
//! | of each task that never ends a verdict says so, proven or likely | tasks that are idle: nobody waits for their end, and they poll only what comes from others |

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
