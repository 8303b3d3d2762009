//! What is seen without a proof, straight from the facts.
//!
//! ```text
//! Facts, what is stuck ─▶ collect           all of them; long polls, runtimes that shut down
//!                         timers            late ones
//!                         missed_wakes      waits that nothing is heard of
//!                         sleeping_threads  threads that sleep in user code
//!                         hazards           what may become a hang
//!                         unexplained       waits for what is not on record
//! ```
//! No rule is solved here, and nothing is ever `proven`.

mod collect;
mod hazards;
mod missed_wakes;
mod sleeping_threads;
mod timers;
mod unexplained;

pub(crate) use collect::{SUSPECT_NS, warnings};
pub(crate) use timers::attach_timers_to_causes;
