//! `diagnose verdicts`: prints what hangs, and why.

use std::process::ExitCode;

use diagnose_reports::Verdict;
use serde::Serialize;

use crate::commands::FOUND;
use crate::failure::Failure;
use crate::flags::SnapshotArgs;
use crate::input;
use crate::output::Output;

/// A note about the parts that a merged snapshot lacks.
pub(crate) const MERGED: &str = "; live tasks are left out of a merged snapshot, and so are hangs";

#[derive(Serialize)]
struct Page {
    verdicts: Vec<Verdict>,
}

/// Exits with 1 if there is a verdict.
pub(crate) fn run(args: &SnapshotArgs, output: Output) -> Result<ExitCode, Failure> {
    let snapshot = input::read(&args.input.path)?;
    let verdicts = snapshot.verdicts();
    let status = if verdicts.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(FOUND) };
    if output.is_json {
        Output::json("verdicts", Page { verdicts })?;
    } else if verdicts.is_empty() {
        let merged = if snapshot.merged > 0 { MERGED } else { "" };
        output.text(&format!("nothing hangs{merged}\n"))?;
    } else {
        let text: Vec<String> = verdicts.iter().map(|verdict| format!("{verdict}\n")).collect();
        output.text(&text.join("\n"))?;
    }
    Ok(status)
}
