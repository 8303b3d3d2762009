//! The dumps in a folder.
//!
//! ```text
//! diagnose-web1-20261122T123456.789Z-4711-2.busy.svg
//! |---------- name -------------------pid-n| format
//! .diagnose-web1-20261122T123456.789Z-4711-2.json.4711.7.tmp     being written
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A dump that does not grow for this long is not being written any more.
const LEFT: Duration = Duration::from_secs(60);

/// The files of one dump.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct DumpFiles {
    /// Its name up to the number: the host, the start of the recording and the id of the process.
    pub(crate) process: String,
    /// The id of its process, as the process itself sees it.
    pub(crate) pid: u32,
    /// Its number in the process, from 1.
    pub(crate) number: u64,
    /// Its files by format, such as `json`.
    pub(crate) files: BTreeMap<String, PathBuf>,
    /// The size of the file that is being written, in bytes; `None` if no file is.
    pub(crate) open_bytes: Option<u64>,
    /// Whether that file has not grown for a minute, because its process was killed.
    pub(crate) is_left: bool,
}

impl DumpFiles {
    /// The start of the recording, such as `20261122T123456.789`.
    pub(crate) fn start(&self) -> &str {
        let (start, _) = self.process.rsplit_once("Z-").unwrap_or_default();
        start.rsplit_once('-').map_or(start, |(_, start)| start)
    }
}

/// The dumps in a folder, by name. An unreadable folder has none.
pub(crate) fn dumps(folder: &Path) -> BTreeMap<String, DumpFiles> {
    let mut dumps = BTreeMap::<String, DumpFiles>::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let file = entry.file_name();
        let Some(file) = file.to_str() else { continue };
        let (file, is_open) = match file.strip_prefix('.') {
            // The format that `parts` returns then ends with the process id and `tmp`.
            Some(file) => (file, true),
            None => (file, false),
        };
        let Some((name, pid, number, format)) = parts(file) else { continue };
        let dump = dumps.entry(name.to_owned()).or_default();
        (dump.pid, dump.number) = (pid, number);
        name.rsplit_once('-').map_or(name, |(process, _)| process).clone_into(&mut dump.process);
        if is_open {
            let metadata = entry.metadata().ok();
            dump.open_bytes = Some(metadata.as_ref().map_or(0, fs::Metadata::len));
            let age = metadata.and_then(|it| it.modified().ok()?.elapsed().ok());
            dump.is_left = age.is_some_and(|age| age >= LEFT);
        } else {
            dump.files.insert(format.to_owned(), entry.path());
        }
    }
    dumps
}

/// The names of the dumps in a folder that are complete, or will never be complete.
pub(crate) fn names(folder: &Path) -> BTreeSet<String> {
    let is_done = |dump: &DumpFiles| dump.open_bytes.is_none() || dump.is_left;
    dumps(folder).into_iter().filter(|(_, dump)| is_done(dump)).map(|(name, _)| name).collect()
}

/// The process in the name of a file that is being written, as in [`DumpFiles::process`].
pub(crate) fn process_of(file: &str) -> Option<String> {
    let (name, ..) = parts(file.strip_prefix('.')?)?;
    name.rsplit_once('-').map(|(process, _)| process.to_owned())
}

/// Takes a file name apart: name, process id, number, format.
fn parts(file: &str) -> Option<(&str, u32, u64, &str)> {
    // The host's name may contain any separator, so the time is found from the end.
    let (_, numbers) = file.strip_prefix("diagnose-")?.rsplit_once("Z-")?;
    let (pid, rest) = numbers.split_once('-')?;
    let (number, format) = rest.split_once('.')?;
    let name = &file[..file.len() - format.len() - 1];
    Some((name, pid.parse().ok()?, number.parse().ok()?, format))
}
