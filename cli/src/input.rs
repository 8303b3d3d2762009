//! Reads a snapshot: a file, standard input, or the newest of a folder.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use diagnose_reports::{Format, Report, Snapshot};
use serde::de::IgnoredAny;

use crate::failure::Failure;
use crate::output::is_dash;

/// Reads one snapshot: a file, the newest one of a folder, or standard input for `-`.
pub(crate) fn read(path: &Path) -> Result<Snapshot, Failure> {
    if path.is_dir() {
        return parse(&newest(path)?);
    }
    parse(path)
}

/// The `.json` files of a folder that may be snapshots, sorted by name.
pub(crate) fn snapshots(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let unreadable = |error: io::Error| Failure::new(format!("cannot read `{}`: {error}", folder.display()));
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let is_hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        // Other formats have names such as `x.speedscope.json`.
        let is_json = Report::try_from(&*path).is_ok_and(|report| report.format == Format::Json);
        if is_json && !is_hidden && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// The snapshot that was written last to a folder. If several have the same time, the last by name
/// wins. A file with the name of a dump is preferred, because other files may not be snapshots.
fn newest(folder: &Path) -> Result<PathBuf, Failure> {
    let written = |path: &PathBuf| -> Option<SystemTime> { fs::metadata(path).ok()?.modified().ok() };
    let is_dump =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("diagnose-"));
    let key = |path: &PathBuf| (is_dump(path), written(path), path.clone());
    snapshots(folder)?.into_iter().max_by_key(key).ok_or_else(|| none_in(folder))
}

/// The failure for a folder without snapshots.
pub(crate) fn none_in(folder: &Path) -> Failure {
    Failure::new(format!("there is no snapshot (`.json`) in the folder `{}`", folder.display()))
}

/// Reads a file, or standard input.
pub(crate) fn parse(path: &Path) -> Result<Snapshot, Failure> {
    let (name, read) = if is_dash(path) {
        ("standard input".to_owned(), read_bytes(io::stdin().lock()))
    } else {
        (format!("`{}`", path.display()), fs::File::open(path).and_then(read_bytes))
    };
    let bytes = read.map_err(|error| {
        let elsewhere = if error.kind() == io::ErrorKind::NotFound { elsewhere(path) } else { None };
        Failure::new(elsewhere.unwrap_or_else(|| format!("cannot read {name}: {error}")))
    })?;
    let bytes = bytes.strip_prefix(MARK).unwrap_or(&bytes);
    Snapshot::read_json(bytes).map_err(|error| {
        let reason = reason(bytes).unwrap_or_else(|| error.to_string());
        Failure::new(format!("{name}: {reason}"))
    })
}

/// The byte order mark of UTF-8.
const MARK: &[u8] = b"\xEF\xBB\xBF";

/// Reads everything if it may be JSON, and only the beginning of other data. A device or a pipe may
/// be endless, and a core dump may not fit into memory.
fn read_bytes(mut input: impl io::Read) -> io::Result<Vec<u8>> {
    const HEAD: u64 = 64 << 10;
    let mut bytes = Vec::new();
    input.by_ref().take(HEAD).read_to_end(&mut bytes)?;
    let text = bytes.strip_prefix(MARK).unwrap_or(&bytes).trim_ascii_start();
    if matches!(text, [] | [b'{' | b'[', ..]) {
        input.read_to_end(&mut bytes)?;
    } else if let Err(error) = std::str::from_utf8(&bytes) {
        if error.error_len().is_none() {
            // The head ends inside a character.
            bytes.truncate(error.valid_up_to());
        }
    }
    Ok(bytes)
}

/// Advice for a name that is not a file, but a process id or a URL.
fn elsewhere(path: &Path) -> Option<String> {
    let name = path.to_str()?;
    if !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(format!("`{name}` is not a file; for a running process: diagnose dump {name}"));
    }
    if name.starts_with("http://") || name.starts_with("https://") {
        // The page keeps its view in the fragment, after `#`.
        let address = name.split(['#', '?']).next().unwrap_or(name).trim_end_matches('/');
        let page = if address.ends_with("/snapshot.json") { "" } else { "/snapshot.json" };
        return Some(format!(
            "`{name}` is not a file; for an address: curl -s '{address}{page}' | diagnose show -"
        ));
    }
    None
}

/// The kind of data that the bytes contain, if they are not a snapshot of any version.
fn reason(bytes: &[u8]) -> Option<String> {
    const ADVICE: &str = "a snapshot is the `.json` file of a dump";
    let text = bytes.trim_ascii_start();
    let head = &text[..text.len().min(4096)];
    let has = |word: &[u8]| head.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word));
    let is_json = || serde_json::from_slice::<IgnoredAny>(text).is_ok();
    let kind = match text {
        [] => return Some("it is empty".to_owned()),
        [0x1F, 0x8B, ..] => "it is compressed with gzip",
        [b'<', ..] if has(b"<html") => "it is a web page",
        [b'<', ..] if has(b"<svg") => "it is an SVG picture",
        [b'<', ..] => "it is XML",
        [b'{', ..] => return json_reason(text),
        // A log line may begin like this, too.
        [b'[', ..] if is_json() => return None,
        _ if std::str::from_utf8(bytes).is_err() || bytes.contains(&0) => "it is a binary file",
        _ if is_json() => "it is JSON, but not an object",
        _ => "it is text, but not JSON",
    };
    Some(format!("{kind}; {ADVICE}"))
}

/// The syntax error in the JSON; `None` if the syntax is valid.
fn json_reason(text: &[u8]) -> Option<String> {
    let error = serde_json::from_slice::<IgnoredAny>(text).err()?;
    let (line, column) = (error.line(), error.column());
    Some(if error.is_eof() {
        format!("it is truncated: it ends inside a value, in line {line}")
    } else {
        format!("it is damaged: invalid JSON at line {line}, column {column}")
    })
}
