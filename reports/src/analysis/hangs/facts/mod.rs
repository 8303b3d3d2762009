//! A snapshot with its ids looked up, and what follows from it without any rule.
//!
//! ```text
//! Snapshot ─▶ lookup    which task, which waits, which queue, each in constant time
//!             predicates  questions about one task or wait
//!             families  tasks with a common ancestor
//!             id_map    hash maps by ids
//!             steps     counts the solver's work, in tests
//! ```
//! Nothing here knows what can make progress.

mod families;
mod id_map;
mod lookup;
mod predicates;
mod steps;

pub(crate) use id_map::{Set, Table, with_capacity};
pub(crate) use lookup::{Awaits, Facts};
pub(crate) use predicates::{
    STARVED_NS, has_waited_long, is_active, is_blocked, is_pending, is_run, side, units,
};
pub(crate) use steps::step;
