//! Random programs, run to the point where nothing moves any more, and what the verdicts said of them on the way.
//!
//! ```text
//! seed ─ program ─▶ tasks with steps ─ run ─▶ looks: snapshots at random moments
//!                                          └▶ the end: no task can move, and all timers have fired
//! ```
//! The executor is tokio's on one thread with a clock that jumps to the next timer, so a run is decided by its seed alone.

mod check;
mod program;
mod random;
mod run;

pub use check::{Outcome, check};
pub use program::{Program, Step};
pub use random::Random;
