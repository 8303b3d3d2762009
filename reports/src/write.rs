//! From a snapshot to bytes in a writer, or to a file that is complete or not there at all.
//!
//! A file is written under a temporary name in its own directory and renamed: a reader that watches the path,
//! and a program that is killed while it dumps, see the old file or the new one. A failure leaves the old
//! file and removes the temporary.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::Error;
use crate::format::Report;
use crate::model::Snapshot;

/// How often a temporary name that is already taken is replaced by the next one.
const MAX_NAMES: u32 = 100;

/// Writes the report into `out`, in one piece, and flushes it.
///
/// # Errors
/// When the format's Cargo feature is off, or when the writer fails.
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
    let page = render(snapshot, report.view).map_err(Error::write)?;
    out.write_all(page.as_bytes()).and_then(|()| out.flush()).map_err(Error::write)
}

/// Writes the report to the file `path`, whose missing parent directories are created, and returns the path.
///
/// # Errors
/// When the format's Cargo feature is off, or when the file cannot be written; an older file of the name is
/// then untouched.
pub fn write_file(snapshot: &Snapshot, report: Report, path: &Path) -> Result<PathBuf, Error> {
    let render = report.format.render()?;
    render(snapshot, report.view)
        .and_then(|page| replace(path, page.as_bytes()))
        .map_err(|source| Error::write_file(path, source))?;
    Ok(path.to_owned())
}

/// Makes `path` a file with exactly these bytes, or leaves it as it is.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let no_name = || io::Error::new(io::ErrorKind::InvalidInput, "the path does not end in a file name");
    let name = path.file_name().ok_or_else(no_name)?.to_string_lossy();
    let directory = path.parent().unwrap_or(Path::new(""));
    if !directory.as_os_str().is_empty() {
        fs::create_dir_all(directory)?;
    }
    let (temporary, mut file) = create_temporary(directory, &name)?;
    let written = file.write_all(bytes).and_then(|()| file.flush());
    // Closed first: some systems do not rename an open file.
    drop(file);
    let renamed = written.and_then(|()| fs::rename(&temporary, path));
    if renamed.is_err() {
        // The first error is the one to report; a temporary that cannot be removed either changes nothing
        // about it.
        let _ = fs::remove_file(&temporary);
    }
    renamed
}

/// A new file `.name.pid.n.tmp`, never one that is already there: other processes and threads may write the
/// same report.
fn create_temporary(directory: &Path, name: &str) -> io::Result<(PathBuf, File)> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let mut tries = 0;
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = directory.join(format!(".{name}.{}.{number}.tmp", process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => return Ok((path, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tries < MAX_NAMES => tries += 1,
            Err(error) => return Err(error),
        }
    }
}
