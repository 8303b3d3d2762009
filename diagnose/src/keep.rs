//! Limits the number and size of dumps in a folder.
//!
//! A script may ask a program for many dumps, and a program that restarts may dump at each exit:
//! together they would fill a disk. So a folder has a bound on dumps and on bytes, over all
//! processes that write there; past that the oldest dump is removed. Files that are not named like
//! a dump are left alone, and the newest dump always stays. A temporary file left by a killed
//! process counts as part of its dump.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use diagnose_reports::ordered::OrderedMap;
use diagnose_reports::sort::sort_by;

use crate::dump_name;

/// The bounds of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Keep {
    /// Maximum number of dumps; each may be several files.
    pub(crate) dumps: u64,
    pub(crate) bytes: u64,
}

impl Keep {
    /// No bounds.
    pub(crate) const ALL: Self = Self { dumps: u64::MAX, bytes: u64::MAX };

    /// Parses `20`, `500MB`, `20,500MB` or `off`. A missing bound is no bound.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        if ["off", "all", "none"].contains(&text.to_ascii_lowercase().as_str()) {
            return Some(Self::ALL);
        }
        let mut keep = Self::ALL;
        for part in text.split(',').map(str::trim) {
            let end = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
            let (number, unit) = part.split_at(end);
            let number: u64 = number.parse().ok()?;
            let unit = match unit.trim().to_ascii_lowercase().as_str() {
                "" => None,
                "b" => Some(1),
                "kb" | "kib" | "k" => Some(1 << 10),
                "mb" | "mib" | "m" => Some(1 << 20),
                "gb" | "gib" | "g" => Some(1 << 30),
                _ => return None,
            };
            match unit {
                Some(unit) => keep.bytes = number.saturating_mul(unit),
                None => keep.dumps = number,
            }
        }
        Some(keep)
    }

    /// Removes the oldest dumps of a folder until it is within the bounds. Returns the number of
    /// removed dumps. Errors are ignored, because another process may remove the same files.
    pub(crate) fn enforce(self, folder: &Path, newest: &str) -> u64 {
        if self == Self::ALL {
            return 0;
        }
        let dumps = found(folder);
        let (mut left, mut bytes) = dumps.get(newest).map_or((0, 0), |newest| (1, newest.bytes));
        let others = dumps.into_iter().filter(|(name, _)| name != newest);
        let mut dumps: Vec<Dump> = others.map(|(_, dump)| dump).collect();
        sort_by(&mut dumps, |a, b| (a.written, &a.files).cmp(&(b.written, &b.files)));
        let mut removed = 0;
        for dump in dumps.iter().rev() {
            left += 1;
            bytes = dump.bytes.saturating_add(bytes);
            if left > self.dumps || bytes > self.bytes {
                let gone = dump.files.iter().filter(|file| fs::remove_file(file).is_ok()).count();
                removed += u64::from(gone > 0);
            }
        }
        removed
    }
}

/// Age up to which a temporary file is kept, because a process may still write it.
const WRITING: Duration = Duration::from_secs(60);

/// The files of one dump.
#[derive(Debug, Default)]
struct Dump {
    files: Vec<PathBuf>,
    bytes: u64,
    /// Time of the last write to any of them.
    written: Option<SystemTime>,
}

fn found(folder: &Path) -> OrderedMap<String, Dump> {
    let mut dumps = OrderedMap::<String, Dump>::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        let unfinished = diagnose_reports::name_of_temporary(name);
        let Some(name) = dump_name::of_file(unfinished.unwrap_or(name)) else { continue };
        // For a link, this is the metadata of the link itself.
        let Ok(metadata) = entry.metadata() else { continue };
        let written = metadata.modified().ok();
        let age = written.and_then(|written| written.elapsed().ok());
        if !metadata.is_file() || unfinished.is_some() && age.is_none_or(|age| age < WRITING) {
            continue;
        }
        let dump = dumps.entry(name.to_owned()).or_default();
        dump.files.push(entry.path());
        dump.bytes = dump.bytes.saturating_add(metadata.len());
        dump.written = dump.written.max(written);
    }
    dumps
}

#[cfg(test)]
mod tests {
    use super::Keep;

    #[test]
    fn bounds_are_numbers_of_dumps_and_of_bytes() {
        let keep = |dumps, bytes| Some(Keep { dumps, bytes });
        assert_eq!(Keep::parse("20"), keep(20, u64::MAX));
        assert_eq!(Keep::parse("500MB"), keep(u64::MAX, 500 << 20));
        assert_eq!(Keep::parse("20, 2 GiB"), keep(20, 2 << 30));
        assert_eq!(Keep::parse("off"), Some(Keep::ALL));
        assert_eq!(Keep::parse("99999999999G"), keep(u64::MAX, u64::MAX));
        for wrong in ["", ",", "20,", "-1", "many", "5 bytes", "1.5GB"] {
            assert_eq!(Keep::parse(wrong), None, "{wrong}");
        }
    }
}
