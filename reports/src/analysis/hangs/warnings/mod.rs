//! Warnings: signs of a hang that are no proof, computed directly from the facts.
//!
//! ```text
//! Facts, stuck tasks ─▶ collect ─┬─ timers            late ones
//!                                ├─ long_polls        polls that keep other tasks waiting
//!                                ├─ shutdowns         runtimes that wait for blocking work
//!                                ├─ missed_wakes      waits without a wake
//!                                ├─ sleeping_threads  threads that sleep in user code
//!                                ├─ hazards           what may become a hang
//!                                ├─ undriven          awaited tasks that nobody polls
//!                                ├─ unexplained       waits for something unrecorded
//!                                ├─ unknown_holders   waits for locks that such code holds
//!                                └─ supervised        waits for each other in tasks that go on
//! ```
//! `warning` has the shared parts. No rule is solved here, and no warning is ever `proven`.
//! Warnings include their sentences, so this module comes after `words`.

mod collect;
mod hazards;
mod long_polls;
mod missed_wakes;
mod shutdowns;
mod sleeping_threads;
mod supervised;
mod timers;
mod undriven;
mod unexplained;
mod unknown_holders;
mod warning;

pub(crate) use collect::warnings;
pub(crate) use timers::attach_timers_to_causes;
pub(crate) use warning::SUSPECT_NS;
