//! Writes to standard output: text, colored on request, and JSON. A reader that closes the pipe is
//! no failure.

use std::env;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;

use diagnose_reports::{Report, Snapshot, clean_json};
use serde::Serialize;

use crate::failure::Failure;
use crate::flags::{Global, When};
use crate::paint::paint;

/// Version of the JSON that commands print. It is incremented when a field changes its meaning.
const VERSION: u32 = 1;

/// The way a command prints.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output {
    /// Whether it prints JSON.
    pub(crate) is_json: bool,
    is_colored: bool,
}

/// The JSON of a command.
#[derive(Serialize)]
struct Page<'a, T> {
    version: u32,
    command: &'a str,
    #[serde(flatten)]
    content: T,
}

impl Output {
    pub(crate) fn new(global: Global) -> Self {
        let is_colored = match global.color {
            When::Always => true,
            When::Never => false,
            When::Auto => is_colored_by_default(),
        };
        Self { is_json: global.json, is_colored }
    }

    /// Prints the text of a report.
    pub(crate) fn text(self, text: &str) -> Result<(), Failure> {
        if self.is_colored { print(paint(text).as_bytes()) } else { print(text.as_bytes()) }
    }

    /// Prints text that another program reads, never colored.
    pub(crate) fn plain(text: &[u8]) -> Result<(), Failure> {
        print(text)
    }

    /// Prints `content` as the JSON of a command.
    pub(crate) fn json(command: &str, content: impl Serialize) -> Result<(), Failure> {
        let page = Page { version: VERSION, command, content };
        let text = serde_json::to_string_pretty(&page)
            .map_err(|error| Failure::new(format!("cannot write JSON: {error}")))?;
        print(format!("{}\n", clean_json(&text)).as_bytes())
    }

    /// Writes a report to a file, or to standard output for `-`. Returns whether it is a file.
    pub(crate) fn report(snapshot: &Snapshot, report: Report, path: &Path) -> Result<bool, Failure> {
        // The reader may close standard output, and nothing else may be printed there.
        if is_dash(path) || path == Path::new("/dev/stdout") {
            // The report is written piece by piece, because it may not fit into memory.
            let written = diagnose_reports::write(snapshot, report, &mut io::stdout().lock());
            let is_closed = |error: &diagnose_reports::Error| {
                error.io_error().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
            };
            return match written {
                Err(error) if !is_closed(&error) => Err(error.into()),
                _ => Ok(false),
            };
        }
        check_folder(path)?;
        diagnose_reports::write_file(snapshot, report, path)?;
        Ok(true)
    }
}

/// Fails if the folder of an output file does not exist, so that a misspelled folder is not
/// created.
pub(crate) fn check_folder(file: &Path) -> Result<(), Failure> {
    match file.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir()) {
        Some(folder) => Err(Failure::new(format!("there is no folder `{}`", folder.display()))),
        None => Ok(()),
    }
}

/// Returns whether a path is `-`, which means a standard stream.
pub(crate) fn is_dash(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Follows the rules of no-color.org and bixense.com/clicolors.
fn is_colored_by_default() -> bool {
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_forced = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0");
    if is_set("NO_COLOR") {
        return false;
    }
    if is_forced("CLICOLOR_FORCE") || is_forced("FORCE_COLOR") {
        return true;
    }
    let is_off = env::var_os("CLICOLOR").is_some_and(|value| value == "0");
    io::stdout().is_terminal() && !is_off && env::var_os("TERM").is_none_or(|term| term != "dumb")
}

fn print(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure::new(format!("cannot write to standard output: {error}"))),
        Ok(()) => Ok(()),
    }
}
