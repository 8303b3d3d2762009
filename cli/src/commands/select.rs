//! Calls the subcommand.

use std::process::ExitCode;

use crate::args::Command;
use crate::commands::{
    convert, diff, dump, explain, findings, flame, manual, merge, open, run, show, tasks, top, verdicts,
    waiters,
};
use crate::failure::Failure;
use crate::output::Output;

/// Runs a subcommand. Returns its exit status.
pub(crate) fn dispatch(command: Command, output: Output) -> Result<ExitCode, Failure> {
    match command {
        Command::Show(args) => show::run(&args, output),
        Command::Top(args) => top::run(&args, output),
        Command::Flame(args) => flame::run(&args, output),
        Command::Open(args) => open::run(&args, output),
        Command::Convert(args) => convert::run(&args, output),
        Command::Tasks(args) => tasks::run(&args, output),
        Command::Waiters(args) => waiters::run(&args, output),
        Command::Verdicts(args) => verdicts::run(&args, output),
        Command::Findings(args) => findings::run(&args, output),
        Command::Explain(args) => explain::run(&args, output),
        Command::Diff(args) => diff::run(&args, output),
        Command::Merge(args) => merge::run(&args, output),
        Command::Dump(args) => dump::run(&args, output),
        Command::Run(args) => run::run(&args, output),
        Command::Completions { .. } | Command::Man { .. } if output.is_json => {
            Err(Failure::new("`--json` is for reports: `completions` and `man` print no data"))
        }
        Command::Completions { shell } => manual::completions(shell),
        Command::Man { dir } => manual::man(dir.as_deref()),
    }
}
