//! Reads several snapshots from lists, folders and globs.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use diagnose_reports::Snapshot;

use crate::failure::Failure;
use crate::input::{none_in, parse, snapshots};

/// Reads the snapshots of one side. Each name is a file, a folder with snapshots, a glob, or a
/// comma-separated list of these. The name of an existing file may contain commas and brackets. A
/// name that is not Unicode is one file or folder.
pub(crate) fn read_all(names: &[OsString]) -> Result<Vec<Snapshot>, Failure> {
    let mut paths = Vec::new();
    for name in names {
        let Some(text) = name.to_str().filter(|_| !is_plain(name)) else {
            paths.extend(expand(name)?);
            continue;
        };
        let mut parts = text.split(',').map(str::trim).filter(|part| !part.is_empty()).peekable();
        // Otherwise, an unset variable in a script would become a side without recordings.
        if parts.peek().is_none() {
            return Err(Failure::new(format!("`{text}` names no snapshot")));
        }
        for part in parts {
            paths.extend(expand(part.as_ref())?);
        }
    }
    let mut unique: Vec<PathBuf> = Vec::new();
    for path in paths {
        if !unique.contains(&path) {
            unique.push(path);
        }
    }
    unique.iter().map(|path| parse(path)).collect()
}

/// Returns whether a name is the name of one file, folder or stream.
fn is_plain(name: &OsStr) -> bool {
    name == "-" || Path::new(name).exists()
}

/// The files that a name or a glob matches, sorted by name.
fn expand(name: &OsStr) -> Result<Vec<PathBuf>, Failure> {
    let path = Path::new(name);
    if path.is_dir() {
        let snapshots = snapshots(path)?;
        if snapshots.is_empty() {
            return Err(none_in(path));
        }
        return Ok(snapshots);
    }
    let is_glob = |text: &&str| text.contains(['*', '?', '[']) && !is_plain(name);
    let Some(text) = name.to_str().filter(is_glob) else { return Ok(vec![path.to_owned()]) };
    let found =
        glob::glob(text).map_err(|error| Failure::new(format!("`{text}` is not a valid glob: {error}")))?;
    let found: Vec<PathBuf> = found.filter_map(Result::ok).filter(|path| !path.is_dir()).collect();
    if found.is_empty() {
        return Err(Failure::new(format!("no file matches `{text}`")));
    }
    Ok(found)
}
