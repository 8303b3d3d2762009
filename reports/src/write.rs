//! Writes reports to a writer, or to a file that appears only when complete.
//!
//! A file is written under a temporary name in the same directory, then renamed. So a reader that
//! watches the path sees the old file or the new one, even if the program is killed during a dump.
//! After a failure, the old file is unchanged, and the temporary file is removed. A device or a
//! pipe is written to directly.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::clean::{Clean, How};
use crate::error::Error;
use crate::model::Snapshot;
use crate::report::Report;

/// Maximum number of temporary names to try.
const MAX_NAMES: u32 = 100;

/// Writes the report into `out`, and flushes it.
///
/// # Errors
/// The format's Cargo feature is off, or the writer fails.
///
/// # Examples
/// ```
/// use diagnose_reports::{Format, Report, Snapshot, write};
///
/// let mut page = Vec::new();
/// write(&Snapshot::default(), Report::new(Format::Text), &mut page)?;
/// assert!(String::from_utf8_lossy(&page).contains("recording is switched off"));
/// # Ok::<(), diagnose_reports::Error>(())
/// ```
pub fn write<W: io::Write + ?Sized>(snapshot: &Snapshot, report: Report, out: &mut W) -> Result<(), Error> {
    let render = report.format.render()?;
    let mut out = Clean::new(out, report.format.how());
    render.write(snapshot, report.view, &mut out).and_then(|()| out.flush()).map_err(Error::write)
}

/// Writes the report of [`Format::Text`](crate::Format::Text), or of `FullText` if `is_full`. Its
/// findings are those of [`findings_since`](Snapshot::findings_since) an earlier snapshot of the
/// same process. All other parts cover the whole recording.
///
/// # Errors
/// The writer fails.
///
/// # Examples
/// ```
/// use diagnose_reports::{Snapshot, write_text_since};
///
/// let (mut later, mut text) = (Snapshot::default(), Vec::new());
/// later.elapsed_ns = 300_000_000_000;
/// write_text_since(&later, &Snapshot::default(), false, &mut text)?;
/// assert!(String::from_utf8_lossy(&text).contains("\nFINDINGS none, over 5 min 0 s\n"));
/// # Ok::<(), diagnose_reports::Error>(())
/// ```
pub fn write_text_since<W: io::Write + ?Sized>(
    snapshot: &Snapshot,
    earlier: &Snapshot,
    is_full: bool,
    out: &mut W,
) -> Result<(), Error> {
    let mut out = Clean::new(out, How::Replace);
    let written = crate::export::text::write_since(snapshot, earlier, is_full, &mut out);
    written.and_then(|()| out.flush()).map_err(Error::write)
}

/// Writes the live form of the page of [`Format::Html`](crate::Format::Html). It first shows
/// `snapshot`. Then it fetches `snapshot.json`, a saved snapshot at the same path, every second,
/// and keeps its view. A query in the address of the page, such as a token, is sent with every
/// fetch.
///
/// # Errors
/// The feature `html` is off, or the writer fails.
///
/// # Examples
/// ```
/// use diagnose_reports::{Snapshot, write_live_page};
///
/// let mut page = Vec::new();
/// # #[cfg(feature = "html")]
/// write_live_page(&Snapshot::default(), &mut page)?;
/// # #[cfg(feature = "html")]
/// assert!(page.starts_with(b"<!doctype html>"));
/// # Ok::<(), diagnose_reports::Error>(())
/// ```
pub fn write_live_page<W: io::Write + ?Sized>(snapshot: &Snapshot, out: &mut W) -> Result<(), Error> {
    let page = live_page(snapshot)?;
    let mut out = Clean::new(out, How::Replace);
    out.write_all(page.as_bytes()).and_then(|()| out.flush()).map_err(Error::write)
}

#[cfg(feature = "html")]
fn live_page(snapshot: &Snapshot) -> Result<String, Error> {
    crate::export::page::render_live(snapshot).map_err(Error::write)
}

#[cfg(not(feature = "html"))]
fn live_page(_: &Snapshot) -> Result<String, Error> {
    Err(Error::feature_off("html", "html"))
}

/// Writes the report to the file `path`, and returns the path. Missing parent directories are
/// created. On Unix, only its owner can access the file (mode 0600), because labels may be
/// confidential.
///
/// A device, a pipe or an open file of the process, such as `/dev/stderr`, is written to, not
/// replaced. Like any write to a pipe, this waits for a reader.
///
/// # Errors
/// The format's Cargo feature is off, or the file cannot be written. An older file at `path` is
/// then unchanged.
pub fn write_file(snapshot: &Snapshot, report: Report, path: &Path) -> Result<PathBuf, Error> {
    create_report(snapshot, report, path, IfThere::Replace)
}

/// Writes the report to the file `path`, like [`write_file`], but fails if `path` exists.
///
/// # Errors
/// The format's Cargo feature is off, the file cannot be written, or `path` exists. An older file
/// there is then unchanged.
pub fn write_new_file(snapshot: &Snapshot, report: Report, path: &Path) -> Result<PathBuf, Error> {
    create_report(snapshot, report, path, IfThere::Refuse)
}

/// The treatment of an existing file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IfThere {
    Replace,
    Refuse,
}

fn create_report(
    snapshot: &Snapshot,
    report: Report,
    path: &Path,
    if_there: IfThere,
) -> Result<PathBuf, Error> {
    let render = report.format.render()?;
    let write = |out: &mut dyn Write| render.write(snapshot, report.view, out);
    create(path, write, report.format.how(), if_there).map_err(|source| Error::write_file(path, source))?;
    Ok(path.to_owned())
}

/// Writes the file `path` with cleaned content. After a failure, an existing file is unchanged.
fn create(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    how: How,
    if_there: IfThere,
) -> io::Result<()> {
    let no_name = || io::Error::new(io::ErrorKind::InvalidInput, "the path does not end in a file name");
    let name = path.file_name().ok_or_else(no_name)?.to_string_lossy();
    let directory = path.parent().unwrap_or(Path::new(""));
    if !directory.as_os_str().is_empty() {
        create_folder(directory)?;
    }
    // Opening a pipe waits for its reader, so a pipe that must not be written to is not opened.
    if let Some(stream) = (if_there == IfThere::Replace).then(|| stream(path)).flatten() {
        return fill(stream?, write, how);
    }
    let (temporary, file) = create_temporary(directory, &name)?;
    let moved = fill(file, write, how).and_then(|()| match if_there {
        IfThere::Replace => fs::rename(&temporary, path),
        IfThere::Refuse => rename_new(&temporary, path),
    });
    if moved.is_err() {
        // The first error is reported, even if the temporary file cannot be removed.
        let _ = fs::remove_file(&temporary);
    }
    moved
}

/// Writes cleaned content to a file, and closes the file, because some systems cannot rename an
/// open file.
fn fill<W: Write>(file: W, write: impl FnOnce(&mut dyn Write) -> io::Result<()>, how: How) -> io::Result<()> {
    let mut file = Clean::new(file, how);
    // A drawing library may panic. Then the other reports are still written, and no partial file is
    // left.
    let written = catch_unwind(AssertUnwindSafe(|| write(&mut file)));
    let written = written.unwrap_or_else(|_| Err(io::Error::other("the report panicked")));
    written.and_then(|()| file.flush())
}

/// Opens a device, a pipe, a socket or an open file of the process, such as `/dev/stderr`, which
/// may be a log. A rename would replace such a file. `None` for any other path.
fn stream(path: &Path) -> Option<io::Result<Box<dyn Write>>> {
    match path.to_str() {
        Some("/dev/stdout") => return Some(Ok(Box::new(io::stdout()))),
        Some("/dev/stderr") => return Some(Ok(Box::new(io::stderr()))),
        _ => {}
    }
    let is_device = path.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir());
    let is_system = |folder: PathBuf| folder.starts_with("/dev") || folder.starts_with("/proc");
    let is_in_system = || path.parent().and_then(|folder| folder.canonicalize().ok()).is_some_and(is_system);
    (is_device || path.is_symlink() && is_in_system()).then(|| {
        let file = OpenOptions::new().append(true).open(path)?;
        Ok(Box::new(file) as Box<dyn Write>)
    })
}

/// Creates a folder and its parents. If the path is a file or a dangling link, the error says so,
/// instead of the system's "file exists".
///
/// # Errors
/// The folder does not exist and cannot be created.
#[doc(hidden)]
pub fn create_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder).map_err(|error| {
        let (kind, text) = match folder.metadata() {
            Ok(metadata) if !metadata.is_dir() => {
                (io::ErrorKind::NotADirectory, "a file is in the place of the folder")
            }
            Err(_) if folder.is_symlink() => {
                (io::ErrorKind::NotFound, "a link that leads nowhere is in the place of the folder")
            }
            _ => return error,
        };
        io::Error::new(kind, text)
    })
}

/// Renames a file to a free name. `rename` would replace an existing file.
fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    match fs::hard_link(from, to) {
        Ok(()) => fs::remove_file(from),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        // On file systems without links, an empty file reserves the name and is then replaced.
        Err(_) => {
            drop(private().create_new(true).open(to)?);
            fs::rename(from, to).inspect_err(|_| drop(fs::remove_file(to)))
        }
    }
}

/// Options for files that only their owner can access.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Returns the final name of a temporary file. Returns `None` if the name is not the name of a
/// temporary file.
#[doc(hidden)]
#[must_use]
pub fn name_of_temporary(file: &str) -> Option<&str> {
    let number = |text: &str| text.parse::<u64>().ok();
    let (rest, count) = file.strip_prefix('.')?.strip_suffix(".tmp")?.rsplit_once('.')?;
    let (name, process) = rest.rsplit_once('.')?;
    number(process).zip(number(count)).map(|_| name)
}

/// Creates a new file `.name.pid.n.tmp`. It never opens an existing file, because other processes
/// and threads may write the same report.
fn create_temporary(directory: &Path, name: &str) -> io::Result<(PathBuf, File)> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let mut tries = 0;
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = directory.join(format!(".{name}.{}.{number}.tmp", process::id()));
        match private().create_new(true).open(&path) {
            Ok(file) => return Ok((path, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tries < MAX_NAMES => tries += 1,
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{How, IfThere, create};

    #[test]
    fn a_report_that_panics_is_an_error_and_leaves_no_file() {
        let folder = std::env::temp_dir().join(format!("diagnose-panics-{}", std::process::id()));
        let error = create(&folder.join("x.svg"), |_| panic!("in a library"), How::Keep, IfThere::Refuse);
        assert!(error.unwrap_err().to_string().contains("panicked"));
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
        fs::remove_dir(folder).unwrap();
    }
}
