//! `diagnose convert`: writes a snapshot in another format.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use diagnose_reports::{Format, Report, Snapshot};
use serde::Serialize;

use crate::failure::Failure;
use crate::flags::Input;
use crate::input;
use crate::output::{Output, is_dash};

#[derive(Debug, clap::Args)]
#[command(after_help = formats())]
pub(crate) struct Args {
    #[command(flatten)]
    input: Input,
    /// The file to write, in the format of its extension, such as `x.folded` or `x.busy.svg`; `-`
    /// for standard output
    #[arg(value_name = "OUTPUT", required_unless_present = "named")]
    output: Option<PathBuf>,
    /// The file to write, as a flag
    #[arg(short = 'o', long = "output", value_name = "FILE", conflicts_with = "output")]
    named: Option<PathBuf>,
    /// The format, if the file's extension does not name it, such as `folded` or `busy.svg`
    #[arg(short, long = "to", value_name = "FORMAT", visible_alias = "format")]
    format: Option<String>,
}

/// The formats of this build, for the help.
fn formats() -> String {
    let line = |format: Format| format!("  {:16} {}\n", format.extension(), format.about());
    let lines: String = Format::all().map(line).collect();
    format!("Formats:\n{lines}A view in front restricts the times: `busy.svg`, `idle.folded`")
}

/// The JSON of every command that writes one file.
#[derive(Debug, Serialize)]
pub(crate) struct Written<'a> {
    /// The path of the file, with U+FFFD for bytes that are not Unicode; absent for standard
    /// output.
    pub(crate) file: Cow<'a, str>,
    /// The report, such as `busy.svg`.
    pub(crate) format: String,
    /// Whether a browser was opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) is_opened: Option<bool>,
}

pub(crate) fn run(args: &Args, output: Output) -> Result<ExitCode, Failure> {
    // Clap ensures that one of them is given.
    let file = args.output.as_deref().or(args.named.as_deref()).unwrap_or(Path::new("-"));
    let report = report(args.format.as_deref(), file)?;
    let snapshot = input::read(&args.input.path)?;
    write("convert", &snapshot, report, file, output)?;
    Ok(ExitCode::SUCCESS)
}

/// The report to write: the one that `format` names, or else the one that the file name implies.
pub(crate) fn report(format: Option<&str>, file: &Path) -> Result<Report, Failure> {
    match format {
        Some(format) => Ok(Report::try_from(format)?),
        None if is_dash(file) => {
            Err(Failure::new("standard output has no extension that selects a format: name one with --to"))
        }
        None => Ok(Report::try_from(file)?),
    }
}

/// Writes the report, and prints the file's name.
pub(crate) fn write(
    command: &str,
    snapshot: &Snapshot,
    report: Report,
    file: &Path,
    output: Output,
) -> Result<(), Failure> {
    if !Output::report(snapshot, report, file)? {
        return Ok(());
    }
    if output.is_json {
        return Output::json(
            command,
            Written { file: file.to_string_lossy(), format: report.to_string(), is_opened: None },
        );
    }
    output.text(&format!("wrote {}\n", diagnose_reports::clean_line(&file.to_string_lossy())))
}
