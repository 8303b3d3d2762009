//! Shared by the tests: runs of the command, a program to observe, and snapshots to read.

mod command;
mod program;
mod snapshots;

pub(crate) use command::{Outcome, Scratch, command, run, run_with_input};
pub(crate) use program::{Running, program};
pub(crate) use snapshots::server;
