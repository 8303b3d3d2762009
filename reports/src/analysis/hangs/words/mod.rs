//! Turns a path through the graph into links and a sentence.
//!
//! ```text
//! path ─▶ chain ─▶ endings      links and the sentence; what follows from them
//!         holdings              who has a guard or a channel end, or had it last
//!         names, callers        what tasks, resources and places are called; callers of a wait
//! ```
//! Nothing is decided here. Reports also use the names.

mod callers;
mod chain;
mod endings;
mod holdings;
mod names;

pub(crate) use callers::{NamedCallers, acquired_words};
pub(crate) use chain::Chain;
pub(crate) use endings::{ending, notified_words, push_knot, push_last_forget, push_last_notify};
pub(crate) use names::{
    at, kind_name, link, place, resource_name, resource_name_of, resource_words, units_words,
};
