//! Arguments and exit status of `diagnose diff`.

use std::ffi::OsString;
use std::process::ExitCode;

use diagnose_reports::{DiffOptions, Presence, clean_lines, diff};
use serde::Serialize;

use crate::commands::FOUND;
use crate::commands::diff::page::{markdown, text};
use crate::failure::Failure;
use crate::output::Output;
use crate::sides::read_all;
use crate::values::percent;

/// The default threshold, in percent.
const DEFAULT_PERCENT: f64 = 5.0;

#[derive(Debug, clap::Args)]
#[command(
    after_help = "A side is a snapshot, a folder, a glob such as 'old/*.json', or several of these with commas \
                        between. Snapshots of one process are taken apart: each counts from the one before it, on \
                        either side.\n\
                        Exit status: 1 if `--fail-over` is given and a function became slower by more."
)]
pub(crate) struct Args {
    /// The snapshots before the change
    #[arg(value_name = "OLD", required_unless_present = "old_files")]
    old: Option<OsString>,
    /// The snapshots after the change
    #[arg(value_name = "NEW", required_unless_present = "new_files")]
    new: Option<OsString>,
    /// A further snapshot before the change
    #[arg(long = "old", value_name = "SNAPSHOT")]
    old_files: Vec<OsString>,
    /// A further snapshot after the change
    #[arg(long = "new", value_name = "SNAPSHOT")]
    new_files: Vec<OsString>,
    /// Exit with 1 if a function became slower by more than this, as in `10%`
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    fail_over: Option<f64>,
    /// Flag changes above this [default: the value of `--fail-over`, or 5%]
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    threshold: Option<f64>,
    /// Print Markdown, for a pull request
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// Print every function, also unchanged ones
    #[arg(long)]
    full: bool,
}

/// The JSON of the command.
#[derive(Serialize)]
struct Page {
    /// The value of `--fail-over`, in percent.
    fail_over: Option<f64>,
    /// Names of the functions that became slower by more than `fail_over`.
    failed: Vec<String>,
    #[serde(flatten)]
    diff: diagnose_reports::Diff,
}

/// Exits with 1 if a function became slower by more than `--fail-over`. With `--fail-over`, a
/// comparison without common functions is a failure.
pub(crate) fn run(args: &Args, output: Output) -> Result<ExitCode, Failure> {
    let old = read_all(&names(args.old.as_ref(), &args.old_files))?;
    let new = read_all(&names(args.new.as_ref(), &args.new_files))?;
    let threshold = args.threshold.or(args.fail_over).unwrap_or(DEFAULT_PERCENT);
    let diff = diff(&old, &new, DiffOptions::default().threshold(threshold / 100.0));
    let is_compared = diff.functions.iter().any(|function| function.presence == Presence::Both);
    if args.fail_over.is_some() && !is_compared {
        return Err(Failure::new("no function is on both sides, so there is nothing to compare"));
    }
    let failed: Vec<String> = match args.fail_over {
        Some(percent) => diff.slower_than(percent / 100.0).map(|function| function.name.clone()).collect(),
        None => Vec::new(),
    };
    let status = if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(FOUND) };
    if output.is_json {
        Output::json("diff", Page { fail_over: args.fail_over, failed, diff })?;
    } else if args.markdown {
        Output::plain(clean_lines(&markdown(&diff, args.full)).as_bytes())?;
    } else {
        output.text(&clean_lines(&text(&diff, args.full)))?;
    }
    Ok(status)
}

/// The names on a side: the positional argument, then the arguments of the flags.
fn names(side: Option<&OsString>, files: &[OsString]) -> Vec<OsString> {
    side.into_iter().chain(files).cloned().collect()
}
