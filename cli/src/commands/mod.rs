//! The subcommands, a file each.
//!
//! Each takes its arguments and the [`Output`](crate::output::Output), and returns the exit status.

mod convert;
mod findings;
mod flame;
mod manual;
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
