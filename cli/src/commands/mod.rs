//! The subcommands, a file each.
//!
//! Each takes its arguments and the [`Output`](crate::output::Output), and returns the exit status.

mod convert;
pub(crate) mod diff;
mod findings;
mod flame;
mod manual;
pub(crate) mod merge;
mod open;
mod select;
mod show;
mod tasks;
pub(crate) mod top;
mod verdicts;
mod waiters;

pub(crate) use select::run;

/// Exit status if something was found, or a threshold exceeded.
const FOUND: u8 = 1;
