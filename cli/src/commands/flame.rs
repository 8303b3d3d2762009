//! `diagnose flame`: a flame graph, as SVG or as a page.

use std::process::ExitCode;

use diagnose_reports::View;

use crate::args::Flame;
use crate::commands::convert::report;
use crate::commands::open::write_and_open;
use crate::failure::Failure;
use crate::input;
use crate::output::{Output, is_dash};

pub(crate) fn run(args: &Flame, output: Output) -> Result<ExitCode, Failure> {
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

/// Names the formats that are flame graphs, not all that there are.
fn refusal(name: &str) -> Failure {
    Failure::new(format!(
        "`{name}` is not a flame graph (`svg`, `html`): use `diagnose convert` for other formats"
    ))
}
