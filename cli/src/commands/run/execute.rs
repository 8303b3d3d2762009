//! Runs the program with its settings, and prints the report of its dumps.

use std::process::ExitCode;

use tempfile::TempDir;

use crate::commands::run::arguments::{Args, report, variables};
use crate::commands::run::child::Program;
use crate::commands::run::report::Dumps;
use crate::failure::Failure;
use crate::output::{Output, check_folder, is_dash};

/// A file that marks a folder whose dumps will be deleted. The crate `diagnose` looks for this
/// file, and then does not print the names of dumps (dump.rs).
const TEMPORARY: &str = ".diagnose-temporary";

/// Runs the program, and prints the report of its dumps.
pub(crate) fn run(args: &Args, output: Output) -> Result<ExitCode, Failure> {
    let temporary = tempfile::Builder::new().prefix("diagnose-run-").tempdir();
    let temporary = temporary.map_err(|error| Failure::new(format!("cannot create a folder: {error}")))?;
    let (folder, made) = match &args.dir {
        Some(folder) => (folder.as_path(), std::fs::create_dir_all(folder)),
        None => (temporary.path(), std::fs::write(temporary.path().join(TEMPORARY), "")),
    };
    let made = made.and_then(|()| std::path::absolute(folder));
    let folder = made.map_err(|error| Failure::new(format!("cannot use `{}`: {error}", folder.display())))?;
    // The check comes before the run, because a failure after it would lose the recording.
    if let Some(file) = args.output.as_deref().filter(|file| !is_dash(file)) {
        report(args, file)?;
        check_folder(file)?;
    }
    let mut dumps = Dumps::new(&folder);
    let program = Program {
        command: &args.program,
        variables: variables(args, &folder),
        duration: args.duration,
        is_interactive: args.interactive,
        // The output of the program must not mix with the report.
        is_output_apart: output.is_json || args.output.as_deref() == Some("-".as_ref()),
    };
    let ending = program.run(&mut dumps)?;
    let status = ending.status();
    let name = args.program[0].to_string_lossy();
    let printed = dumps.print(&name, ending, args, output);
    let printed = printed.map_err(|failure| {
        let may_be_lost = args.dir.is_none() && dumps.has_snapshots();
        if may_be_lost { failure.and(&keep(temporary)) } else { failure }
    });
    match printed {
        // The failure of the program explains more than a failure to print its report.
        Err(failure) if status != 0 => failure.print(),
        printed => printed?,
    }
    Ok(ExitCode::from(status))
}

/// Keeps the dumps of a temporary folder, whose report could not be written. Says where they are.
fn keep(temporary: TempDir) -> String {
    let folder = temporary.keep();
    let _ = std::fs::remove_file(folder.join(TEMPORARY));
    format!("what was recorded is in `{}`", folder.display())
}
