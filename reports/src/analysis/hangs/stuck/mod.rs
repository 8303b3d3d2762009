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
pub(crate) mod sibling_futures;

pub(crate) use components::Stuck;
pub(crate) use demand::{is_any_wanted, is_demanded, is_wanted};
pub(crate) use reasons::reasons;
pub(crate) use sibling_futures::is_within;
