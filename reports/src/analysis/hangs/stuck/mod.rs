//! The nodes that cannot make progress: which of them wait for each other, and why.
//!
//! ```text
//! System ─▶ components       groups that wait for each other, root causes, what waits behind them
//!           reasons          which of several reasons is shown
//!           sibling_futures  futures of one task that wait for each other
//!           demand           whether anything needs a group to go on
//! ```
//! What kind of hang a group is, is said in `verdict`.

mod components;
mod demand;
mod reasons;
mod sibling_futures;

pub(crate) use components::StuckGraph;
pub(crate) use demand::{has_to_end, is_any_needed, is_needed};
pub(crate) use reasons::best_reasons;
pub(crate) use sibling_futures::{cycle_of_futures, is_within_span};
