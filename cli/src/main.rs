//! The command `diagnose`: reads snapshots, prints reports, compares, and asks programs for dumps.
//!
//! ```text
//! args        all subcommands, by clap           commands/   one file per subcommand, with its arguments
//! flags       those of several subcommands       values      percentages, durations
//! output      standard output, JSON
//! input sides snapshots from files and streams; several, by lists, folders and globs
//! since       a snapshot with an earlier one of its process
//! paint       colors                             browser     opens a file
//! process/    other processes: /proc, signals, and their dumps
//! failure     one sentence, exit status 2
//! ```
//! All analysis is in `diagnose-reports`. The command only parses arguments, calls that crate and
//! prints.

#![forbid(unsafe_code)]

mod args;
mod browser;
mod commands;
mod failure;
mod flags;
mod input;
mod output;
mod paint;
mod process;
mod sides;
mod since;
mod values;

use std::process::ExitCode;

use clap::Parser as _;

use args::Cli;
use output::Output;

/// Exit status for wrong usage and unreadable input, the same as clap's.
const FAILED: u8 = 2;

fn main() -> ExitCode {
    let cli = Cli::parse();
    match commands::dispatch(cli.command, Output::new(cli.global)) {
        Ok(status) => status,
        Err(failure) => {
            failure.print();
            ExitCode::from(FAILED)
        }
    }
}
