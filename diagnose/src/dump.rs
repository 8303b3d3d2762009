//! Writing reports: by call, as one set of files, to any writer.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use diagnose_reports::{Error, Report};

use crate::say::say;
use crate::snapshot::snapshot;
use crate::sync::Mutex;

/// Writes a report to a file; the extension picks the format.
///
/// `svg` is the flame graph, `folded` the same as folded stacks, `txt` the table and the call tree, `json` the whole
/// [`Snapshot`](crate::Snapshot). A view before the extension restricts the first two: `x.busy.svg`, `x.idle.folded`.
/// Missing folders are made. The file is written under a temporary name and then renamed, so that it is there whole
/// or not at all. Returns the absolute path.
///
/// # Errors
/// An unknown extension, or a folder or file that cannot be written; the message names the path.
///
/// # Examples
/// ```
/// # let folder = std::env::temp_dir().join(format!("diagnose-doc-{}", std::process::id()));
/// # let path = folder.join("flame.folded");
/// let path = diagnose::dump(path)?;
/// # assert!(path.exists());
/// # std::fs::remove_dir_all(folder).unwrap();
/// # Ok::<(), diagnose::Error>(())
/// ```
pub fn dump(path: impl AsRef<Path>) -> Result<PathBuf, Error> {
    let path = path.as_ref();
    let report = Report::try_from(path)?;
    let written = diagnose_reports::write_file(&snapshot(), report, path)?;
    Ok(std::path::absolute(&written).unwrap_or(written))
}

/// Writes a report to any writer: `dump_to(Format::Text, &mut stdout)`, or `dump_to("busy.svg", &mut file)`.
///
/// # Errors
/// An unknown format, or what the writer says.
///
/// # Examples
/// ```
/// let mut text = Vec::new();
/// diagnose::dump_to(diagnose::Format::Text, &mut text)?;
/// assert!(String::from_utf8_lossy(&text).contains("diagnose 0.1.0"));
/// # Ok::<(), diagnose::Error>(())
/// ```
pub fn dump_to<R>(report: R, out: &mut (impl Write + ?Sized)) -> Result<(), Error>
where
    R: TryInto<Report>,
    Error: From<R::Error>,
{
    let report = report.try_into()?;
    diagnose_reports::write(&snapshot(), report, out)
}

/// Writes one snapshot in several formats as `diagnose-<pid>-<n>.<extension>` and says so on stderr, a line a file.
///
/// One at a time; a format that cannot be written does not keep the others from it.
pub(crate) fn dump_set(folder: &Path, reports: &[(String, Report)]) {
    static TURN: Mutex<()> = Mutex::new(());
    static NUMBER: AtomicU64 = AtomicU64::new(1);
    let _turn = TURN.lock();
    let snapshot = snapshot();
    let number = NUMBER.fetch_add(1, Relaxed);
    let folder = fs::canonicalize(folder).or_else(|_| std::path::absolute(folder));
    let folder = folder.unwrap_or_default();
    for (extension, report) in reports {
        let name = format!("diagnose-{}-{number}.{extension}", std::process::id());
        match diagnose_reports::write_file(&snapshot, *report, &folder.join(name)) {
            Ok(path) => say!("diagnose: wrote {}", path.display()),
            Err(error) => say!("diagnose: {error}"),
        }
    }
}
