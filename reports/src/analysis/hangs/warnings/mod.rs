//! What may hang, seen without a proof, straight from the facts.
//!
//! ```text
//! Facts, stuck tasks ─▶ collect ─┬─ timers            late ones
//!                                ├─ missed_wakes      waits without a wake
//!                                ├─ sleeping_threads  threads that sleep in user code
//!                                ├─ hazards           what may become a hang
//!                                └─ unexplained       waits for something unrecorded
//! ```
//! No rule is solved here, and no warning is ever `proven`. Warnings come with their sentences, so
//! this room is after `words`.

mod collect;
mod hazards;
mod missed_wakes;
mod sleeping_threads;
mod timers;
mod unexplained;

pub(crate) use collect::{SUSPECT_NS, warnings};
pub(crate) use timers::attach_timers_to_causes;
