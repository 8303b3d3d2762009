//! The nodes that cannot make progress: which of them wait for each other, and why.
//!
//! ```text
//! System ─▶ components ─┬─ reasons          the most plausible of several dependencies
//!                       ├─ sibling_futures  futures of one task that wait for each other
//!                       └─ demand           whether anything needs a component to progress
//! ```
//! The kind of hang is decided in `verdict`.

mod components;
mod demand;
mod reasons;
mod sibling_futures;

pub(crate) use components::{StuckGraph, may_be_stuck};
pub(crate) use demand::{has_to_end, is_any_needed, is_needed};
pub(crate) use reasons::best_reasons;
pub(crate) use sibling_futures::{cycle_of_futures, is_within_span};
