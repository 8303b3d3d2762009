//! `diagnose findings`: prints what to look at first.

use std::path::PathBuf;
use std::process::ExitCode;

use diagnose_reports::{Finding, clean_lines, counted};
use serde::Serialize;

use crate::commands::FOUND;
use crate::commands::verdicts::MERGED;
use crate::failure::Failure;
use crate::flags::Input;
use crate::output::Output;
use crate::since;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: Input,
    /// An earlier snapshot of the same process: findings count what has grown since then
    #[arg(long, value_name = "OLD")]
    since: Option<PathBuf>,
}

#[derive(Serialize)]
struct Page {
    findings: Vec<Finding>,
}

/// Exits with 1 if there is a finding.
pub(crate) fn run(args: &Args, output: Output) -> Result<ExitCode, Failure> {
    let (snapshot, earlier) = since::read(&args.input.path, args.since.as_deref())?;
    let findings = match &earlier {
        Some(earlier) => snapshot.findings_since(earlier),
        None => snapshot.findings(),
    };
    let status = if findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(FOUND) };
    if output.is_json {
        Output::json("findings", Page { findings })?;
    } else if findings.is_empty() {
        let suspicions = match snapshot.verdicts().len() {
            0 => String::new(),
            count => format!("; {} about hangs: `diagnose verdicts`", counted(count as u64, "suspicion")),
        };
        let merged = if snapshot.merged > 0 { MERGED } else { "" };
        output.text(&format!("no findings{suspicions}{merged}\n"))?;
    } else {
        output.text(&clean_lines(&text(&findings)))?;
    }
    Ok(status)
}

/// ```text
///  1 slow   `Cache.rows` delays `get_order`: 61 % of its time
///           Next: do not hold it across the query (docs/findings.md#contended)
/// ```
fn text(findings: &[Finding]) -> String {
    let numbered = findings.iter().zip(1..);
    let lines = numbered.map(|(finding, number): (_, u32)| {
        format!(
            "{number:2} {:6} {}\n{:10}Next: {} ({})\n",
            finding.severity.to_string(),
            finding.sentence,
            "",
            finding.next,
            finding.page
        )
    });
    lines.collect()
}
