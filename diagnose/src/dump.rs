//! Writes reports: one file, a set of files, or any writer.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::thread;
use std::time::Duration;

use diagnose_reports::{Error, Report, Snapshot};

use crate::dump_name;
use crate::keep::Keep;
use crate::say;
use crate::signal_mask;
use crate::snapshot::snapshot;

/// Writes a report to a file, in the format of its extension. Returns the absolute path.
///
/// See the [table of formats](crate#reports). A view before the extension, as in `x.busy.svg`,
/// selects the times shown: the only ones in `svg` and `folded`, the first ones in `html` and in
/// profiles. The other formats do not depend on it. Missing folders are created. The file is
/// written under a temporary name and then renamed, so it exists as a whole or not at all. On Unix,
/// only the user of the process can read it. A pipe or a device at the path is written to, not
/// replaced; a write to a pipe may block until the pipe is read. For standard output and standard
/// error, whose paths have no extension, see [`dump_to`].
///
/// # Errors
/// The extension is unknown, the feature of its format is off, or the folder or file cannot be
/// written. The message names the path or the feature.
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
    let snapshot = snapshot();
    let written = signal_mask::with_write_errors(|| diagnose_reports::write_file(&snapshot, report, path))?;
    Ok(std::path::absolute(&written).unwrap_or(written))
}

/// Writes a report to any writer: `dump_to(Format::Text, &mut stdout)` or
/// `dump_to("busy.svg", &mut file)`.
///
/// # Errors
/// The format is unknown, its feature is off, or the writer fails.
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

/// Marks the temporary folder of `diagnose run`, which reads the dumps and deletes them, so their
/// paths are not printed. A file is used because older versions report an unknown variable.
const TEMPORARY: &str = ".diagnose-temporary";
/// Attempts to find a free name for a dump.
const MAX_NAMES: u32 = 1_000;
/// Sets of files are written one at a time.
static TURN: DumpTurn = DumpTurn(AtomicU32::new(0));
/// Time between two attempts to take a turn that is taken.
const PAUSE: Duration = Duration::from_millis(1);

/// The id of the process whose thread writes; 0 if none does. This is not a mutex: in a child that
/// was forked during a dump, the thread that would unlock it does not exist, and a dump at the
/// child's exit would wait forever.
struct DumpTurn(AtomicU32);

impl DumpTurn {
    /// Waits until no thread of this process writes.
    fn take(&self) -> TakenTurn<'_> {
        let process = std::process::id();
        let mut writer = 0;
        // Acquire pairs with the Release in `drop`: the files of the previous dump are complete.
        while let Err(other) = self.0.compare_exchange(writer, process, Acquire, Relaxed) {
            if other == process {
                thread::sleep(PAUSE);
                writer = 0;
            } else {
                // Free by now, or still marked as taken by the parent of this process.
                writer = other;
            }
        }
        TakenTurn(&self.0)
    }
}

struct TakenTurn<'a>(&'a AtomicU32);

impl Drop for TakenTurn<'_> {
    fn drop(&mut self) {
        // Release pairs with the Acquire in `take`.
        self.0.store(0, Release);
    }
}

/// Writes one snapshot in several formats as `diagnose-<host>-<start>-<pid>-<n>.<extension>`, and
/// removes the folder's oldest dumps past the bounds of `keep`. Then prints one line per file on
/// stderr, unless the folder is [`TEMPORARY`].
///
/// `folder` is absolute, and no report occurs twice.
///
/// Calls run one at a time. A format that cannot be written does not prevent the others. Existing
/// files are never overwritten.
pub(crate) fn dump_set(folder: &Path, reports: &[Report], keep: Keep) {
    let _turn = TURN.take();
    write_set(&snapshot(), folder, reports, keep);
}

/// Calls `write` with the path of `name`, and with the next name for as long as the file exists.
/// Another version of this crate in the process may write a dump of the same name at this moment.
/// If `write` fails although the file does not exist, something else is in the way, such as a file
/// in place of the folder. Then no other name is tried.
fn with_free_name<T>(
    name: &mut String,
    path: impl Fn(&str) -> PathBuf,
    write: impl Fn(&Path) -> Result<T, Error>,
) -> Result<T, Error> {
    let is_taken =
        |error: &Error| error.io_error().is_some_and(|error| error.kind() == io::ErrorKind::AlreadyExists);
    let mut written = write(&path(name));
    for _ in 0..MAX_NAMES {
        match &written {
            Err(error) if is_taken(error) && exists(&path(name)) => *name = dump_name::next(),
            _ => break,
        }
        written = write(&path(name));
    }
    written
}

/// Returns whether there is a file of any kind, such as a link that leads nowhere.
fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

fn write_set(snapshot: &Snapshot, folder: &Path, reports: &[Report], keep: Keep) {
    let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let mut name = dump_name::next();
    let path = |name: &str, report: &Report| folder.join(format!("{name}.{report}"));
    let is_taken = |name: &str| reports.iter().any(|report| exists(&path(name, report)));
    for _ in 0..MAX_NAMES {
        if !is_taken(&name) {
            break;
        }
        name = dump_name::next();
    }
    let first = name.clone();
    let is_temporary = folder.join(TEMPORARY).exists();
    let (mut words, mut is_written) = (Vec::new(), false);
    for report in reports {
        let write = |path: &Path| {
            signal_mask::with_write_errors(|| diagnose_reports::write_new_file(snapshot, *report, path))
        };
        let written = with_free_name(&mut name, |name| path(name, report), write);
        is_written |= written.is_ok();
        match written {
            Ok(_) if is_temporary => {}
            Ok(path) => words.push(format!("diagnose: wrote {}", path.display())),
            Err(error) => words.push(format!("diagnose: {error}")),
        }
    }
    // Without a new dump, the older ones are all there is. If the set has two names, both are new,
    // so the next dump applies the bounds.
    let removed = if is_written && name == first { keep.enforce(&folder, &name) } else { 0 };
    match removed {
        _ if is_temporary => {}
        0 => {}
        1 => {
            words.push(format!("diagnose: removed the oldest dump in {} (DIAGNOSE_KEEP)", folder.display()));
        }
        many => words.push(format!(
            "diagnose: removed the {many} oldest dumps in {} (DIAGNOSE_KEEP)",
            folder.display()
        )),
    }
    for words in &words {
        say::line(words);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::fs;
    use std::path::{Path, PathBuf};
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::Duration;

    use diagnose_reports::{Error, Format, Snapshot, write_new_file};

    use super::{DumpTurn, with_free_name};
    use crate::dump_name;

    /// Writes a dump into the folder; `before` is called before each attempt.
    fn write_in(folder: &Path, name: &mut String, before: impl Fn(&Path)) -> Result<PathBuf, Error> {
        let path = |name: &str| folder.join(format!("{name}.folded"));
        with_free_name(name, path, |path| {
            before(path);
            write_new_file(&Snapshot::default(), Format::Folded.into(), path)
        })
    }

    #[test]
    fn a_file_that_another_version_creates_meanwhile_is_kept() {
        let folder = std::env::temp_dir().join(format!("diagnose-name-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let first = dump_name::next();
        let (mut name, tries) = (first.clone(), Cell::new(0));
        let written = write_in(&folder, &mut name, |path| {
            if tries.replace(tries.get() + 1) == 0 {
                fs::write(path, "of the other version").expect("it is free");
            }
        });
        let files = fs::read_dir(&folder).expect("it is there").count();
        let other = fs::read_to_string(folder.join(format!("{first}.folded"))).expect("it is there");
        fs::remove_dir_all(&folder).expect("it can be removed");
        assert!(written.expect("under the next name").ends_with(format!("{name}.folded")));
        assert_eq!((tries.get(), files, other.as_str()), (2, 2, "of the other version"));
    }

    #[test]
    fn a_folder_that_became_a_file_takes_no_names() {
        let folder = std::env::temp_dir().join(format!("diagnose-no-folder-{}", std::process::id()));
        fs::write(&folder, "a file").expect("it is free");
        let first = dump_name::next();
        let (mut name, tries) = (first.clone(), Cell::new(0));
        let written = write_in(&folder, &mut name, |_| tries.set(tries.get() + 1));
        fs::remove_file(&folder).expect("it is there");
        assert_eq!((written.is_err(), tries.get(), name), (true, 1, first));
    }

    #[test]
    fn a_dump_waits_for_one_of_this_process_and_not_for_one_of_its_parent() {
        // Left by a thread of the parent, which does not exist in the child.
        let turn = DumpTurn(AtomicU32::new(std::process::id() + 1));
        let taken = turn.take();
        assert_eq!(turn.0.load(Relaxed), std::process::id());
        let (send, second) = channel();
        thread::scope(|scope| {
            scope.spawn(|| {
                let _taken = turn.take();
                send.send(()).expect("the test waits for it");
            });
            // However late that thread begins, it does not get the turn.
            assert!(second.recv_timeout(Duration::from_millis(50)).is_err());
            drop(taken);
            second.recv().expect("the turn is free");
        });
        assert_eq!(turn.0.load(Relaxed), 0);
    }
}
