//! From a path through the graph to links and a sentence.
//!
//! ```text
//! path ─▶ chain    links, and the sentence that says the same
//!         endings  what follows from it
//!         callers  by which calls a wait was reached
//!         names    what tasks, resources and places are called
//! ```
//! Nothing is decided here.

mod callers;
mod chain;
mod endings;
mod names;

pub(crate) use callers::taken_words;
pub(crate) use chain::Chain;
pub(crate) use endings::{ending, push_knot, push_last_forget, push_last_notify};
pub(crate) use names::{at, link, place, resource_name, resource_name_of};
