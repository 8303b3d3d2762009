//! The arguments of `diagnose run`, and the settings of the program that they select.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use diagnose_reports::{Format, Report};

use crate::commands::convert;
use crate::failure::Failure;
use crate::values::duration;

#[derive(Debug, clap::Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[command(
    after_help = "Ctrl-C, or the end of `--duration`, asks the program for a dump and interrupts it.\n\
                        Exit status: that of the program; 128 and the signal's number if a signal ended it; 0 if it was \
                        interrupted for the report; 2 if it ended with 0 and left no dump."
)]
pub(crate) struct Args {
    /// Record only functions that match, such as `client::*`
    #[arg(long, value_name = "PATTERNS")]
    pub(super) only: Option<String>,
    /// Record only tasks
    #[arg(long)]
    pub(super) tasks_only: bool,
    /// Report polls, queued tasks and hangs of this length on stderr, such as 100ms
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(super) watchdog: Option<Duration>,
    /// Report locks that are acquired in both orders
    #[arg(long)]
    pub(super) lock_order: bool,
    /// Interrupt the program after this time
    #[arg(short, long, value_name = "DURATION", value_parser = duration)]
    pub(super) duration: Option<Duration>,
    /// Keep the dumps in this folder
    #[arg(long, value_name = "DIR")]
    pub(super) dir: Option<PathBuf>,
    /// Write the report here instead of printing it, in the format of the extension
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    /// Open the page in the browser
    #[arg(long)]
    pub(super) open: bool,
    /// Show all rows and columns
    #[arg(long)]
    pub(super) full: bool,
    /// Keep the terminal with the program: it reads from it, and gets Ctrl-C itself
    #[arg(short, long)]
    pub(super) interactive: bool,
    /// The program and its arguments
    #[arg(value_name = "PROGRAM", required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    pub(super) program: Vec<OsString>,
}

/// The report that `--output` asks for.
pub(super) fn report(args: &Args, file: &Path) -> Result<Report, Failure> {
    let report = convert::report(None, file)?;
    let is_full = args.full && report.format == Format::Text;
    Ok(if is_full { Format::FullText.into() } else { report })
}

/// The environment variables for the program. They override the settings in its code.
pub(super) fn variables(args: &Args, folder: &Path) -> Vec<(&'static str, OsString)> {
    let mut variables: Vec<(&str, OsString)> = vec![
        ("DIAGNOSE", "on".into()),
        ("DIAGNOSE_DIR", folder.into()),
        ("DIAGNOSE_FORMATS", "json".into()),
        ("DIAGNOSE_KEEP", "off".into()),
        ("DIAGNOSE_ON_EXIT", "1".into()),
        ("DIAGNOSE_SIGNAL", "USR1".into()),
    ];
    if let Some(only) = &args.only {
        variables.push(("DIAGNOSE_ONLY", only.into()));
    }
    if args.tasks_only {
        variables.push(("DIAGNOSE_TASKS_ONLY", "1".into()));
    }
    if let Some(watchdog) = args.watchdog {
        variables.push(("DIAGNOSE_WATCHDOG", format!("{}us", watchdog.as_micros().max(1)).into()));
    }
    if args.lock_order {
        variables.push(("DIAGNOSE_LOCK_ORDER", "1".into()));
    }
    variables
}
