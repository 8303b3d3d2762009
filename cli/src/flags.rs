//! Flags that several subcommands share.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

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
