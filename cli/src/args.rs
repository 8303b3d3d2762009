//! The command line: subcommands, flags and their help.

use std::path::PathBuf;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, Parser, Subcommand, ValueEnum};
use diagnose_reports::{Format, View};

use crate::commands::top::SortKey;
use crate::commands::{diff, dump, merge, run};
use crate::values::count;

/// Help in the colors of cargo.
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
                  Exit status: 0 success, 1 found or over the threshold, 2 wrong usage or unreadable input."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) global: Global,
}

/// Flags of every subcommand.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Global {
    /// Print JSON, as docs/command.schema.json describes
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Color the output; `auto` colors on a terminal, unless `NO_COLOR` is set
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: When,
}

/// When output is colored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Print the text report: findings, verdicts, tables, call tree
    #[command(visible_aliases = ["report", "text"])]
    Show(Show),
    /// Print the functions that take the most time
    Top(Top),
    /// Write a flame graph, as SVG or as a page
    #[command(visible_aliases = ["flamegraph", "svg"])]
    Flame(Flame),
    /// Write the page and open it in the browser
    #[command(visible_aliases = ["web", "view"])]
    Open(Open),
    /// Write a snapshot in another format
    Convert(Convert),
    /// Print what every task is doing
    #[command(visible_alias = "tree")]
    Tasks(SnapshotArgs),
    /// Print contended resources with their holders and waiters
    #[command(visible_alias = "locks")]
    Waiters(SnapshotArgs),
    /// Print what hangs, and why; exits with 1 if anything does
    #[command(visible_alias = "hangs")]
    Verdicts(SnapshotArgs),
    /// Print what to look at first; exits with 1 if there is anything
    #[command(visible_alias = "lint")]
    Findings(Findings),
    /// Explain a finding or a verdict by its id, or list all
    #[command(visible_alias = "why")]
    Explain(Explain),
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

/// The snapshot to read.
#[derive(Debug, Args)]
pub(crate) struct Input {
    /// A snapshot (`.json`), a folder for its newest one, or `-` for standard input
    #[arg(value_name = "SNAPSHOT")]
    pub(crate) path: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct SnapshotArgs {
    #[command(flatten)]
    pub(crate) input: Input,
}

#[derive(Debug, Args)]
pub(crate) struct Show {
    #[command(flatten)]
    pub(crate) input: Input,
    /// Show all rows
    #[arg(long)]
    pub(crate) full: bool,
    /// An earlier snapshot of the same process: findings count what has grown since then
    #[arg(long, value_name = "OLD", conflicts_with = "json")]
    pub(crate) since: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Findings {
    #[command(flatten)]
    pub(crate) input: Input,
    /// An earlier snapshot of the same process: findings count what has grown since then
    #[arg(long, value_name = "OLD")]
    pub(crate) since: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// The id, as reports show it in parentheses: `contended`, `stuck.cycle`
    #[arg(value_name = "ID")]
    pub(crate) id: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Top {
    #[command(flatten)]
    pub(crate) input: Input,
    /// The column to sort by, largest first
    #[arg(short, long, value_name = "KEY", default_value = "self-busy")]
    pub(crate) sort: SortKey,
    /// The number of functions to print; 0 prints all
    #[arg(
        short = 'n',
        long,
        value_name = "N",
        default_value_t = 20,
        visible_alias = "limit",
        value_parser = count,
        allow_negative_numbers = true
    )]
    pub(crate) count: usize,
}

#[derive(Debug, Args)]
pub(crate) struct Flame {
    #[command(flatten)]
    pub(crate) input: Input,
    /// The file to write, `.svg` or `.html`; `-` for standard output
    #[arg(short, long, value_name = "FILE", default_value = "diagnose.svg")]
    pub(crate) output: PathBuf,
    /// The format, if the file's extension does not name it: `svg` or `html`
    #[arg(short, long, value_name = "FORMAT")]
    pub(crate) format: Option<String>,
    /// The times to draw [default: those that the file's name says, as in `x.busy.svg`, or wall]
    #[arg(long, value_enum)]
    pub(crate) view: Option<ViewArg>,
    /// Open the file in the browser
    #[arg(long)]
    pub(crate) open: bool,
}

/// The times that a flame graph draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ViewArg {
    /// Elapsed time of every task
    Wall,
    /// Time inside `poll`
    #[value(alias = "cpu")]
    Busy,
    /// Time between polls
    Idle,
    /// Busy and idle time
    Time,
}

impl From<ViewArg> for View {
    fn from(view: ViewArg) -> Self {
        match view {
            ViewArg::Wall => Self::Wall,
            ViewArg::Busy => Self::Busy,
            ViewArg::Idle => Self::Idle,
            ViewArg::Time => Self::Time,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Open {
    #[command(flatten)]
    pub(crate) input: Input,
    /// The file to write; a temporary file by default
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write the page without opening it
    #[arg(long = "no-open")]
    pub(crate) write_only: bool,
}

#[derive(Debug, Args)]
#[command(after_help = formats())]
pub(crate) struct Convert {
    #[command(flatten)]
    pub(crate) input: Input,
    /// The file to write, in the format of its extension, such as `x.folded` or `x.busy.svg`; `-`
    /// for standard output
    #[arg(value_name = "OUTPUT", required_unless_present = "named")]
    pub(crate) output: Option<PathBuf>,
    /// The file to write, as a flag
    #[arg(short, long = "output", value_name = "FILE", conflicts_with = "output")]
    pub(crate) named: Option<PathBuf>,
    /// The format, if the file's extension does not name it, such as `folded` or `busy.svg`
    #[arg(short, long = "to", value_name = "FORMAT", visible_alias = "format")]
    pub(crate) format: Option<String>,
}

/// The formats of this build, for the help.
fn formats() -> String {
    let line = |format: Format| format!("  {:16} {}\n", format.extension(), format.about());
    let lines: String = Format::all().map(line).collect();
    format!("Formats:\n{lines}A view in front restricts the times: `busy.svg`, `idle.folded`")
}
