//! `diagnose open`: opens the page in the browser.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use diagnose_reports::{Report, Snapshot, clean_line};

use crate::browser;
use crate::commands::convert::{Written, report, write};
use crate::failure::Failure;
use crate::flags::Input;
use crate::input;
use crate::output::{Output, is_dash};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: Input,
    /// The file to write; a temporary file by default
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write the page without opening it
    #[arg(long = "no-open")]
    write_only: bool,
}

pub(crate) fn run(args: &Args, output: Output) -> Result<ExitCode, Failure> {
    let report = match &args.output {
        Some(file) if is_dash(file) => {
            return Err(Failure::new("standard output cannot be opened in a browser: name a file"));
        }
        Some(file) => report(None, file)?,
        None => page()?,
    };
    let snapshot = input::read(&args.input.path)?;
    let file = match &args.output {
        Some(file) => file.clone(),
        None => temporary(report)?,
    };
    write_and_open("open", &snapshot, report, &file, !args.write_only, output)?;
    Ok(ExitCode::SUCCESS)
}

/// The page of this build: `html`, or the flame graph if `html` is not compiled in.
pub(crate) fn page() -> Result<Report, Failure> {
    Ok(Report::try_from("html").or_else(|_| Report::try_from("svg"))?)
}

/// Creates an empty file for a report. Only this user can access the file, and it is not deleted.
pub(crate) fn temporary(report: Report) -> Result<PathBuf, Failure> {
    let file = tempfile::Builder::new().prefix("diagnose-").suffix(&format!(".{report}")).tempfile();
    let file = file.and_then(|file| file.keep().map_err(|error| error.error));
    let (_, path) = file.map_err(|error| Failure::new(format!("cannot create a temporary file: {error}")))?;
    Ok(path)
}

/// Writes a report and opens it on request. Prints the path, and a note if there was no browser.
pub(crate) fn write_and_open(
    command: &str,
    snapshot: &Snapshot,
    report: Report,
    file: &Path,
    is_opened: bool,
    output: Output,
) -> Result<(), Failure> {
    if !is_opened {
        return write(command, snapshot, report, file, output);
    }
    Output::report(snapshot, report, file)?;
    let is_opened = browser::open(file);
    if output.is_json {
        let written =
            Written { file: file.to_string_lossy(), format: report.to_string(), is_opened: Some(is_opened) };
        return Output::json(command, written);
    }
    let name = clean_line(&file.to_string_lossy());
    let rest = if is_opened { "opened in the browser" } else { "no browser found; open the file yourself" };
    output.text(&format!("wrote {name}\n{rest}\n"))
}
