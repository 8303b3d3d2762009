//! A process as `/proc` describes it. Other systems than Linux are not supported.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use diagnose_reports::{Utc, clean_line};

use crate::failure::Failure;
use crate::process::signal::Signal;

/// The name of the thread that waits for the signal, in every program that has installed diagnose.
const LISTENER: &str = "diagnose-signal";

/// A process, as the system describes it.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) pid: u32,
    /// Its id inside its own PID namespace. The names of its dumps contain this id.
    pub(crate) inner_pid: u32,
    /// Its name, safe to print.
    pub(crate) name: String,
    /// The letter of its state: `R`, `S`, `T` (stopped), `Z` (ended).
    pub(crate) state: char,
    /// The signals that it handles, bit `n − 1` for signal `n`.
    handled: u64,
    /// The thread that waits for the signal.
    pub(crate) listener: Listener,
    /// Its `DIAGNOSE_*` variables; empty if the process belongs to another user.
    settings: BTreeMap<String, OsString>,
}

/// The thread that waits for the signal. It blocks every signal that could ask for a dump but its
/// own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Listener {
    /// There is none.
    None,
    /// It accepts this signal.
    Accepts(Signal),
    /// It has just started, or the program blocks the signal.
    Blocked,
    /// There is one, and the system does not show which signals it blocks.
    Unknown,
}

impl Process {
    /// Reads the status of a process.
    pub(crate) fn read(pid: u32) -> Result<Self, Failure> {
        if !Path::new("/proc/self/status").exists() {
            let advice = format!("use `kill -USR1 {pid}`");
            return Err(Failure::new(format!("this system has no /proc to see processes in: {advice}")));
        }
        let folder = PathBuf::from(format!("/proc/{pid}"));
        let none = |_| Failure::new(format!("there is no process {pid}"));
        let status = fs::read(folder.join("status")).map_err(none)?;
        let status = String::from_utf8_lossy(&status);
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            line.unwrap_or_default().trim()
        };
        let process = field("Tgid").parse().unwrap_or(pid);
        if process != pid {
            return Err(Failure::new(format!("{pid} is a thread of process {process}")));
        }
        Ok(Self {
            pid,
            inner_pid: field("NSpid").split_whitespace().last().and_then(|it| it.parse().ok()).unwrap_or(pid),
            name: clean_line(field("Name")),
            state: field("State").chars().next().unwrap_or('?'),
            handled: u64::from_str_radix(field("SigCgt"), 16).unwrap_or(0),
            listener: Listener::read(&folder),
            settings: settings(&folder),
        })
    }

    /// Returns whether the process handles the signal, so that the signal does not end it.
    pub(crate) fn handles(&self, signal: Signal) -> bool {
        has(self.handled, signal.number())
    }

    /// A `DIAGNOSE_*` variable of its environment.
    pub(crate) fn setting(&self, name: &str) -> Option<&OsStr> {
        self.settings.get(name).map(OsString::as_os_str).filter(|value| !value.is_empty())
    }

    /// Converts a path as the process sees it to a path for this process. The result accounts for
    /// the working directory of the other process, and for its container.
    pub(crate) fn path(&self, path: &Path) -> PathBuf {
        let folder = PathBuf::from(format!("/proc/{}", self.pid));
        match path.strip_prefix("/") {
            Err(_) => self.linked(&folder.join("cwd")).join(path),
            Ok(inside) => match (fs::metadata(folder.join("root")), fs::metadata("/")) {
                (Ok(theirs), Ok(ours)) if !is_same_file(&theirs, &ours) => folder.join("root").join(inside),
                _ => path.to_owned(),
            },
        }
    }

    /// The dumps that the process has open for writing.
    pub(crate) fn open_dumps(&self) -> Vec<PathBuf> {
        let open = fs::read_dir(format!("/proc/{}/fd", self.pid)).into_iter().flatten().flatten();
        let is_dump = |link: &PathBuf| {
            let file = fs::read_link(link).unwrap_or_default();
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with(".diagnose-") && name.ends_with(".tmp")
        };
        open.map(|entry| entry.path()).filter(is_dump).map(|link| self.linked(&link)).collect()
    }

    /// Returns whether a recording that began at this time, such as `20261122T123456.789`, may be
    /// that of the process: it began after the start of the process. `true` if unknown.
    pub(crate) fn may_have_recorded_since(&self, start: &str) -> bool {
        /// By how much the clock may have been set, and the kernel's times be rounded.
        const SLACK_MS: u64 = 2_000;
        let Some(began_ms) = self.began_ms() else { return true };
        let Utc { year, month, day, hour, minute, second, millisecond } =
            Utc::from_unix_ms(began_ms.saturating_sub(SLACK_MS));
        let began = format!("{year:04}{month:02}{day:02}T{hour:02}{minute:02}{second:02}.{millisecond:03}");
        *start >= *began
    }

    /// The start of the process, in ms since 1970.
    fn began_ms(&self) -> Option<u64> {
        /// Duration of a tick of the kernel's clock.
        const TICK_MS: u64 = 10;
        let system = fs::read_to_string("/proc/stat").ok()?;
        let booted =
            system.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse::<u64>().ok()?;
        let stat = fs::read(format!("/proc/{}/stat", self.pid)).ok()?;
        let stat = String::from_utf8_lossy(&stat);
        // Field 22 of the file, which is number 20 after the name.
        let ticks = stat.rsplit_once(") ")?.1.split(' ').nth(19)?.parse::<u64>().ok()?;
        Some(booted * 1_000 + ticks * TICK_MS)
    }

    /// The target of a link in the `/proc` folder of the process, as a path for this process.
    ///
    /// The kernel shows the path from the root of this process, or for a container from the root of
    /// the container. So the path that leads to the same file is the right one. No path leads to a
    /// deleted folder, which is only reachable through the link.
    fn linked(&self, link: &Path) -> PathBuf {
        let (Ok(shown), Ok(file)) = (fs::read_link(link), fs::metadata(link)) else { return link.to_owned() };
        let leads_there = |path: &PathBuf| fs::metadata(path).is_ok_and(|it| is_same_file(&it, &file));
        let root = PathBuf::from(format!("/proc/{}/root", self.pid));
        let inside = shown.strip_prefix("/").map(|inside| root.join(inside));
        let mut paths = std::iter::once(shown.clone()).chain(inside);
        paths.find(leads_there).unwrap_or_else(|| link.to_owned())
    }
}

#[cfg(unix)]
fn is_same_file(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_same_file(_one: &fs::Metadata, _other: &fs::Metadata) -> bool {
    true
}

impl Listener {
    fn read(folder: &Path) -> Self {
        let threads = fs::read_dir(folder.join("task")).into_iter().flatten().flatten();
        let threads = threads.map(|thread| thread.path());
        let is_listener = |thread: &PathBuf| {
            fs::read(thread.join("comm")).is_ok_and(|name| name.trim_ascii_end() == LISTENER.as_bytes())
        };
        // After `Builder::reinstall`, the thread of the previous signal ends a moment later.
        let listeners = threads.filter(is_listener).filter_map(|thread| Self::of_thread(&thread));
        listeners
            .max_by_key(|listener| match listener {
                Self::None => 0,
                Self::Blocked => 1,
                Self::Unknown => 2,
                Self::Accepts(_) => 3,
            })
            .unwrap_or(Self::None)
    }

    /// `None` for a thread that only has the name, as in a program that is called like it.
    fn of_thread(thread: &Path) -> Option<Self> {
        let status = fs::read(thread.join("status")).unwrap_or_default();
        let Some(blocked) = set_of(&status, "SigBlk:") else { return Some(Self::Unknown) };
        let mut accepted = Signal::ALL.into_iter().filter(|signal| !has(blocked, signal.number()));
        match (accepted.next(), accepted.next()) {
            (None, _) => Some(Self::Blocked),
            (Some(signal), None) => Some(Self::Accepts(signal)),
            _ => None,
        }
    }
}

/// Returns whether this process ignores the signal of this number. `false` if unknown.
#[cfg(unix)]
pub(crate) fn is_ignored(signal: i32) -> bool {
    let status = fs::read("/proc/self/status").unwrap_or_default();
    set_of(&status, "SigIgn:").is_some_and(|ignored| has(ignored, signal))
}

/// A set of signals in a status. The name of the thread, which comes first, may be of any bytes.
fn set_of(status: &[u8], field: &str) -> Option<u64> {
    let status = String::from_utf8_lossy(status);
    let set = status.lines().find_map(|line| line.strip_prefix(field))?;
    u64::from_str_radix(set.trim(), 16).ok()
}

/// Returns whether a set of signals has the signal of this number.
fn has(set: u64, signal: i32) -> bool {
    let bit = u32::try_from(signal - 1).unwrap_or(0);
    set.checked_shr(bit).is_some_and(|bits| bits & 1 == 1)
}

fn settings(folder: &Path) -> BTreeMap<String, OsString> {
    let variables = fs::read(folder.join("environ")).unwrap_or_default();
    let variables = variables.split(|&byte| byte == 0).filter(|variable| variable.starts_with(b"DIAGNOSE"));
    let pair = |variable: &[u8]| {
        let end = variable.iter().position(|&byte| byte == b'=')?;
        Some((String::from_utf8(variable[..end].to_vec()).ok()?, os_string(&variable[end + 1..])))
    };
    variables.filter_map(pair).collect()
}

/// The value of a variable, which may contain any bytes.
#[cfg(unix)]
fn os_string(bytes: &[u8]) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes.to_vec())
}

#[cfg(not(unix))]
fn os_string(bytes: &[u8]) -> OsString {
    String::from_utf8_lossy(bytes).into_owned().into()
}

/// The processes of a process group.
pub(crate) fn group(group: u32) -> Vec<u32> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let is_member = |pid: &u32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        // The name is in parentheses, and may contain any character. State, parent and group follow
        // it. A zombie counts as ended.
        let mut fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields).split_whitespace();
        fields.next() != Some("Z") && fields.nth(1).and_then(|field| field.parse().ok()) == Some(group)
    };
    pids.filter(is_member).collect()
}
