//! Other processes: their status, signals to them, and their dumps.
//!
//! ```text
//! status   a process in /proc: its name, handled signals, threads, settings
//! signal   names and numbers of signals; sending one
//! dumps    dumps in a folder: names, and waiting for complete ones
//! request  asks a process for a dump: checks that it listens, sends the signal, waits
//! ```

mod dumps;
mod request;
mod signal;
mod status;

pub(crate) use dumps::{DumpFiles, dumps};
pub(crate) use request::{Request, request};
pub(crate) use signal::{Signal, send, send_to_group, signal_name};
#[cfg(unix)]
pub(crate) use status::is_ignored;
pub(crate) use status::{Process, group};
