//! `diagnose merge`: adds up several snapshots into one.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use diagnose_reports::{Format, merge};

use crate::commands::convert::{report, write};
use crate::failure::Failure;
use crate::output::{Output, is_dash};
use crate::sides::read_all;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Snapshots, folders or globs
    #[arg(value_name = "SNAPSHOT", required = true)]
    inputs: Vec<OsString>,
    /// The file to write, in the format of its extension; `-` for standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

pub(crate) fn run(args: &Args, output: Output) -> Result<ExitCode, Failure> {
    let report = if is_dash(&args.output) { Format::Json.into() } else { report(None, &args.output)? };
    let merged = merge(&read_all(&args.inputs)?);
    write("merge", &merged, report, &args.output, output)?;
    Ok(ExitCode::SUCCESS)
}
