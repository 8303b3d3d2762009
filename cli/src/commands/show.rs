//! `diagnose show`: the text report.

use std::process::ExitCode;

use diagnose_reports::{Format, Report, Snapshot, write_text_since};

use crate::args::Show;
use crate::failure::Failure;
use crate::output::Output;
use crate::since;

pub(crate) fn run(args: &Show, output: Output) -> Result<ExitCode, Failure> {
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
