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

pub(crate) use callers::taken;
pub(crate) use chain::Chain;
pub(crate) use endings::{ending, push_forgot, push_knot, push_told};
pub(crate) use names::{at, link, place, resource, resource_words};
