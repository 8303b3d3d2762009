//! What the tests share: runs of the command, and snapshots to read.

mod command;
mod snapshots;

pub(crate) use command::{Scratch, command, run, run_with_input};
pub(crate) use snapshots::server;
