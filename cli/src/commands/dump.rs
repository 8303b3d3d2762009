//! `diagnose dump`: asks a running program for a dump, and prints the report.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use diagnose_reports::{clean_line, clean_lines};

use crate::commands::show;
use crate::failure::Failure;
use crate::input;
use crate::output::Output;
use crate::process::{Request, Signal, request};
use crate::values::duration;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The id of the process
    #[arg(value_name = "PID", value_parser = clap::value_parser!(u32).range(1..), required_unless_present = "named")]
    pid: Option<u32>,
    /// The id of the process, as a flag
    #[arg(short = 'p', long = "pid", value_name = "PID", value_parser = clap::value_parser!(u32).range(1..))]
    #[arg(conflicts_with = "pid")]
    named: Option<u32>,
    /// The signal: USR1, USR2 or QUIT [default: the one that the program listens for]
    #[arg(long, value_name = "NAME", value_parser = signal)]
    signal: Option<Signal>,
    /// The folder of its dumps, if the program sets one with `Builder::dir`
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// How long to wait while no file of the dump appears or grows
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = duration)]
    timeout: Duration,
    /// Show all rows and columns
    #[arg(long)]
    full: bool,
}

pub(crate) fn run(args: &Args, output: Output) -> Result<ExitCode, Failure> {
    let dump = request(&Request {
        // Clap ensures that one of them is given.
        pid: args.pid.or(args.named).unwrap_or(0),
        signal: args.signal,
        folder: args.dir.as_deref(),
        timeout: args.timeout,
    })?;
    // The names go to stderr, because another program may read the report.
    for file in dump.files.values() {
        let _ = writeln!(io::stderr(), "diagnose: wrote {}", clean_line(&file.to_string_lossy()));
    }
    if let Some(file) = dump.files.get("json") {
        show::print(&input::read(file)?, args.full, output)?;
    } else if let Some(file) = text(&dump.files, args.full).filter(|_| !output.is_json) {
        let text = fs::read_to_string(file);
        let text =
            text.map_err(|error| Failure::new(format!("cannot read `{}`: {error}", file.display())))?;
        output.text(&clean_lines(&text))?;
    } else {
        let lacks = if output.is_json { "no `json`" } else { "neither `json` nor `txt`" };
        return Err(Failure::new(format!(
            "the dump has {lacks}, so there is no report to print: DIAGNOSE_FORMATS sets its formats"
        )));
    }
    Ok(ExitCode::SUCCESS)
}

/// The text report of a dump, preferably as full as it is asked for.
fn text(files: &BTreeMap<String, PathBuf>, full: bool) -> Option<&PathBuf> {
    let [first, second] = if full { ["full.txt", "txt"] } else { ["txt", "full.txt"] };
    files.get(first).or_else(|| files.get(second))
}

/// Parses the name of a signal.
fn signal(name: &str) -> Result<Signal, String> {
    Signal::parse(name).ok_or_else(|| "expected USR1, USR2 or QUIT".to_owned())
}
