//! The command line with all subcommands. The arguments of each subcommand are in its own file.

use std::path::PathBuf;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Parser, Subcommand};

use crate::commands::{self, convert, diff, dump, explain, findings, flame, merge, run, show, top};
use crate::flags::{Global, SnapshotArgs};

/// The colors of the help, as in cargo.
const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Reports, comparisons and dumps of programs that record themselves with the crate `diagnose`.
#[derive(Debug, Parser)]
#[command(
    name = "diagnose",
    version,
    styles = STYLES,
    max_term_width = 100,
    after_help = "A snapshot is the `.json` file of a dump. `-` reads a snapshot from standard input. A folder \
                  stands for its newest snapshot.\n\
                  Exit status: 0 success; 1 found (`verdicts`, `findings`) or slower than `--fail-over` allows (`diff`); \
                  2 wrong usage or unreadable input. `run` has the status of the program."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) global: Global,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Print the text report: findings, verdicts, tables, call tree
    #[command(visible_aliases = ["report", "text"])]
    Show(show::Args),
    /// Print the functions that take the most time
    Top(top::Args),
    /// Write a flame graph, as SVG or as a page
    #[command(visible_aliases = ["flamegraph", "svg"])]
    Flame(flame::Args),
    /// Write the page and open it in the browser
    #[command(visible_aliases = ["web", "view"])]
    Open(commands::open::Args),
    /// Write a snapshot in another format
    Convert(convert::Args),
    /// Print every task: its state, and the await at which it waits
    #[command(visible_alias = "tree")]
    Tasks(SnapshotArgs),
    /// Print contended resources with their holders and waiters
    #[command(visible_alias = "locks")]
    Waiters(SnapshotArgs),
    /// Print the verdicts: each hang with its cause; exits with 1 if there is one
    #[command(visible_alias = "hangs")]
    Verdicts(SnapshotArgs),
    /// Print the findings, most urgent first; exits with 1 if there is one
    #[command(visible_alias = "lint")]
    Findings(findings::Args),
    /// Explain a finding or a verdict by its id, or list all
    #[command(visible_alias = "why")]
    Explain(explain::Args),
    /// Compare functions of two sides; flags changes above threshold and noise
    #[command(visible_alias = "compare")]
    Diff(diff::Args),
    /// Add up snapshots into one
    Merge(merge::Args),
    /// Ask a running program for a dump, and print the report
    Dump(dump::Args),
    /// Run a program, and print its report at its end
    #[command(visible_alias = "record")]
    Run(run::Args),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the man page, or write the pages of all subcommands into a folder
    Man {
        /// The folder for the pages
        dir: Option<PathBuf>,
    },
}
