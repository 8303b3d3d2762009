//! `diagnose show`: prints the text report.

use std::path::PathBuf;
use std::process::ExitCode;

use diagnose_reports::{Format, Report, Snapshot, write_text_since};

use crate::failure::Failure;
use crate::flags::Input;
use crate::output::Output;
use crate::since;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: Input,
    /// Show all rows and columns
    #[arg(long)]
    full: bool,
    /// An earlier snapshot of the same process: findings count what has grown since then
    #[arg(long, value_name = "OLD", conflicts_with = "json")]
    since: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, output: Output) -> Result<ExitCode, Failure> {
    let (snapshot, earlier) = since::read(&args.input.path, args.since.as_deref())?;
    if let Some(earlier) = earlier {
        let mut text = Vec::new();
        write_text_since(&snapshot, &earlier, args.full, &mut text)?;
        output.text(&String::from_utf8_lossy(&text))?;
    } else {
        print(&snapshot, args.full, output)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the text report; as JSON, the snapshot itself.
pub(crate) fn print(snapshot: &Snapshot, is_full: bool, output: Output) -> Result<(), Failure> {
    if output.is_json {
        Output::report(snapshot, Format::Json.into(), "-".as_ref())?;
        return Ok(());
    }
    let mut text = Vec::new();
    let format = if is_full { Format::FullText } else { Format::Text };
    diagnose_reports::write(snapshot, Report::new(format), &mut text)?;
    output.text(&String::from_utf8_lossy(&text))
}
