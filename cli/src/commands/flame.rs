//! `diagnose flame`: writes a flame graph, as SVG or as a page.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;
use diagnose_reports::View;

use crate::commands::convert::report;
use crate::commands::open::write_and_open;
use crate::failure::Failure;
use crate::flags::Input;
use crate::input;
use crate::output::{Output, is_dash};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: Input,
    /// The file to write, `.svg` or `.html`; `-` for standard output
    #[arg(short, long, value_name = "FILE", default_value = "diagnose.svg")]
    output: PathBuf,
    /// The format, if the file's extension does not name it: `svg` or `html`
    #[arg(short, long, value_name = "FORMAT")]
    format: Option<String>,
    /// The times to draw [default: those that the file's name says, as in `x.busy.svg`, or wall]
    #[arg(long, value_enum)]
    view: Option<ViewArg>,
    /// Open the file in the browser
    #[arg(long)]
    open: bool,
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

pub(crate) fn run(args: &Args, output: Output) -> Result<ExitCode, Failure> {
    let mut report = match args.format.as_deref() {
        None if is_dash(&args.output) => report(Some("svg"), &args.output)?,
        format => {
            let name = format.map_or_else(|| args.output.display().to_string(), str::to_owned);
            let is_graph = ["svg", "html"].iter().any(|graph| name.ends_with(graph));
            report(format, &args.output).map_err(|failure| if is_graph { failure } else { refusal(&name) })?
        }
    };
    if !["svg", "html"].contains(&report.format.extension()) {
        return Err(refusal(&report.to_string()));
    }
    if let Some(view) = args.view.map(View::from) {
        if report.view != View::default() && report.view != view {
            return Err(Failure::new(format!("`{report}` has another view than `--view`")));
        }
        report = report.view(view);
    }
    if args.open && is_dash(&args.output) {
        return Err(Failure::new("standard output cannot be opened in a browser: name a file with --output"));
    }
    let snapshot = input::read(&args.input.path)?;
    write_and_open("flame", &snapshot, report, &args.output, args.open, output)?;
    Ok(ExitCode::SUCCESS)
}

/// The failure for a format that is no flame graph. It names only the flame graph formats.
fn refusal(name: &str) -> Failure {
    Failure::new(format!(
        "`{name}` is not a flame graph (`svg`, `html`): use `diagnose convert` for other formats"
    ))
}
