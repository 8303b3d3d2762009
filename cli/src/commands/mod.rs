//! The subcommands, one file or folder each.
//!
//! Each takes its arguments and the [`Output`](crate::output::Output), and returns the exit status.

pub(crate) mod convert;
pub(crate) mod diff;
pub(crate) mod dump;
pub(crate) mod explain;
pub(crate) mod findings;
pub(crate) mod flame;
mod manual;
pub(crate) mod merge;
pub(crate) mod open;
pub(crate) mod run;
mod select;
pub(crate) mod show;
mod tasks;
pub(crate) mod top;
mod verdicts;
mod waiters;

pub(crate) use select::dispatch;

/// Exit status if something was found, or if a threshold was exceeded.
const FOUND: u8 = 1;
