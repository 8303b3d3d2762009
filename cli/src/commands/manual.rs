//! `diagnose completions` and `diagnose man`, both generated from the definition of the command
//! line.

use std::path::Path;
use std::process::ExitCode;

use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::args::Cli;
use crate::failure::Failure;
use crate::output::Output;

/// Prints a completion script.
pub(crate) fn completions(shell: Shell) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "diagnose", &mut script);
    Output::plain(&script)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the man page, or writes all pages into a folder.
pub(crate) fn man(folder: Option<&Path>) -> Result<ExitCode, Failure> {
    let Some(folder) = folder else {
        let mut page = Vec::new();
        let rendered = clap_mangen::Man::new(Cli::command()).render(&mut page);
        rendered.map_err(|error| Failure::new(format!("cannot make the man page: {error}")))?;
        Output::plain(&page)?;
        return Ok(ExitCode::SUCCESS);
    };
    let written = std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(Cli::command().disable_help_subcommand(true), folder));
    written.map_err(|error| Failure::new(format!("cannot write to `{}`: {error}", folder.display())))?;
    Ok(ExitCode::SUCCESS)
}
