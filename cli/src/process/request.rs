//! Asks a process for a dump, and waits for its files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use diagnose_reports::{clean_line, time};

use crate::failure::Failure;
use crate::process::dumps::{DumpFiles, dumps, names, process_of};
use crate::process::signal::{Handle, Signal};
use crate::process::status::{Listener, Process};

/// Time between two checks of the folders.
const PAUSE: Duration = Duration::from_millis(5);
/// A dump is complete if it has not grown for this long. Its files are written immediately one
/// after the other.
const QUIET: Duration = Duration::from_millis(250);

/// How long a program may take from the installation of its signal handler to the start of the
/// thread that writes dumps.
const START: Duration = Duration::from_secs(1);

/// What a program needs to be asked for dumps.
const BUILD: &str = "build it with diagnose, and call `diagnose::install` first in `main`";

/// A request for a dump.
#[derive(Debug)]
pub(crate) struct Request<'a> {
    pub(crate) pid: u32,
    /// The signal to send; by default, the signal that the process listens for.
    pub(crate) signal: Option<Signal>,
    /// The folder of its dumps, if known.
    pub(crate) folder: Option<&'a Path>,
    /// How long to wait while no file of the dump appears or grows.
    pub(crate) timeout: Duration,
}

/// Asks for a dump. Returns its files.
///
/// The signal is sent only if the process handles it. Otherwise, the signal would end the process.
pub(crate) fn request(request: &Request<'_>) -> Result<DumpFiles, Failure> {
    // The handle is opened first, so everything that is read below is about the process that gets
    // the signal.
    let handle = Handle::open(request.pid);
    let mut process = Process::read(request.pid)?;
    // A program that has just started has a handler for a signal before its thread accepts that
    // signal.
    let end = Instant::now() + START;
    let is_starting = |it: &Process| {
        let is_handled = Signal::ALL.into_iter().any(|any| it.handles(any));
        is_handled && matches!(it.listener, Listener::None | Listener::Blocked)
    };
    while is_starting(&process) && Instant::now() < end {
        thread::sleep(PAUSE);
        process = Process::read(request.pid)?;
    }
    let signal = signal(&process, request.signal)?;
    check(&process, signal, request.signal.is_some())?;
    let mut folders = Folders::new(&process, request.folder);
    handle.send(signal, &process.name)?;
    wait(&process, &mut folders, request.timeout)
}

/// The signal to send: the given one, else the one that the thread of the process accepts, else
/// that of its settings.
fn signal(process: &Process, wanted: Option<Signal>) -> Result<Signal, Failure> {
    if let (None, Listener::Accepts(signal)) = (wanted, process.listener) {
        return Ok(signal);
    }
    let Some(setting) = process.setting("DIAGNOSE_SIGNAL").filter(|_| wanted.is_none()) else {
        return Ok(wanted.unwrap_or(Signal::Usr1));
    };
    let setting = setting.to_string_lossy();
    let setting = setting.trim();
    if ["NONE", "OFF"].contains(&setting.to_ascii_uppercase().as_str()) {
        let (pid, name) = (process.pid, &process.name);
        let message = format!("process {pid} (`{name}`) listens for no signal: DIAGNOSE_SIGNAL={setting}");
        return Err(Failure::new(message));
    }
    Ok(Signal::parse(setting).unwrap_or(Signal::Usr1))
}

/// Checks that the signal asks for a dump, and does not end the process. `is_named` says that the
/// user named the signal.
fn check(process: &Process, signal: Signal, is_named: bool) -> Result<(), Failure> {
    let process_name = format!("process {} (`{}`)", process.pid, process.name);
    let name = signal.name();
    if process.state == 'Z' {
        return Err(Failure::new(format!("{process_name} has ended")));
    }
    let refusal = match process.listener {
        Listener::None if process.handles(signal) => {
            format!("handles SIG{name}, but not with diagnose: no signal was sent; {BUILD}")
        }
        Listener::None => {
            format!("has no handler for SIG{name}, which would end it: no signal was sent; {BUILD}")
        }
        // Another thread of the program may accept it.
        Listener::Blocked if is_named && process.handles(signal) => return Ok(()),
        Listener::Blocked => "blocked its signal before it called `diagnose::install`, and the thread that writes dumps \
                              blocks it too: no signal was sent; try --signal if another thread accepts it, or \
                              DIAGNOSE_TRIGGER, which names a file that asks for dumps"
            .to_owned(),
        Listener::Accepts(other) if other != signal => {
            let other = other.name();
            format!("listens for SIG{other}, not for SIG{name}: no signal was sent; try --signal {other}")
        }
        Listener::Accepts(_) | Listener::Unknown if process.handles(signal) => return Ok(()),
        Listener::Accepts(_) | Listener::Unknown => {
            let other = Signal::ALL.into_iter().find(|other| process.handles(*other));
            let advice = other.map(|it| format!("; try --signal {}", it.name())).unwrap_or_default();
            format!("has no handler for SIG{name}, which would end it: no signal was sent{advice}")
        }
    };
    Err(Failure::new(format!("{process_name} {refusal}")))
}

/// The folders in which the dump may appear, with the dumps that are there already.
#[derive(Debug)]
struct Folders {
    known: BTreeMap<PathBuf, BTreeSet<String>>,
    /// Whether the user named the folder.
    is_certain: bool,
    /// The process in the names of the dumps that it had open for writing.
    open: BTreeSet<String>,
}

impl Folders {
    fn new(process: &Process, folder: Option<&Path>) -> Self {
        let folders = match folder {
            Some(folder) => vec![folder.to_owned()],
            None => {
                let setting = process.setting("DIAGNOSE_DIR").map(PathBuf::from);
                [setting, Some(PathBuf::new())].into_iter().flatten().map(|it| process.path(&it)).collect()
            }
        };
        let known = folders.into_iter().map(|folder| (folder.clone(), names(&folder))).collect();
        Self { known, is_certain: folder.is_some(), open: BTreeSet::new() }
    }

    /// Adds the folders in which the process is writing a dump. Complete dumps in these folders
    /// count as old.
    fn look(&mut self, process: &Process) {
        for file in process.open_dumps() {
            self.open.extend(file.file_name().and_then(|name| process_of(name.to_str()?)));
            let folder = file.parent().filter(|_| !self.is_certain);
            if let Some(folder) = folder.filter(|folder| !self.known.contains_key(*folder)) {
                self.known.insert(folder.to_owned(), names(folder));
            }
        }
    }

    /// The first new dump of the process.
    ///
    /// In containers that share a folder, several processes have the same id. Then the dumps of the
    /// process are those that it had open, or else those whose recording began after its start.
    fn new_dump(&self, process: &Process) -> Result<Option<DumpFiles>, Failure> {
        let new = self.known.iter().flat_map(|(folder, known)| {
            dumps(folder).into_iter().filter(|(name, _)| !known.contains(name)).map(|(_, dump)| dump)
        });
        let mut new: Vec<DumpFiles> = new.filter(|dump| dump.pid == process.inner_pid).collect();
        if new.iter().any(|dump| self.open.contains(&dump.process)) {
            new.retain(|dump| self.open.contains(&dump.process));
        }
        let processes =
            |new: &[DumpFiles]| -> BTreeSet<String> { new.iter().map(|dump| dump.process.clone()).collect() };
        if processes(&new).len() > 1 {
            new.retain(|dump| process.may_have_recorded_since(dump.start()));
        }
        match &processes(&new).into_iter().collect::<Vec<_>>()[..] {
            [one, other, ..] => Err(Failure::new(format!(
                "dumps of several processes with the id {} have appeared, `{}` and `{}`: it is unknown which of them \
                 is process {} (`{}`)",
                process.inner_pid,
                clean_line(one),
                clean_line(other),
                process.pid,
                process.name
            ))),
            _ => Ok(new.into_iter().min_by_key(|dump| dump.number)),
        }
    }
}

/// Waits for a dump whose files are complete.
fn wait(process: &Process, folders: &mut Folders, timeout: Duration) -> Result<DumpFiles, Failure> {
    let mut last: Option<DumpFiles> = None;
    let mut since = Instant::now();
    let mut unclear_since = None;
    loop {
        // This is read first: a process that has already ended cannot add to the dumps that are
        // found below.
        let is_gone = !Path::new(&format!("/proc/{}", process.pid)).exists();
        folders.look(process);
        let found = match folders.new_dump(process) {
            Ok(found) => {
                unclear_since = None;
                found
            }
            Err(failure) if unclear_since.get_or_insert_with(Instant::now).elapsed() >= QUIET => {
                return Err(failure);
            }
            // The process may be seen to write one of them yet.
            Err(_) => None,
        };
        if found != last {
            (last, since) = (found, Instant::now());
        } else if let Some(dump) = last.take_if(|dump| dump.open_bytes.is_none() && since.elapsed() >= QUIET)
        {
            return Ok(dump);
        }
        let is_late = since.elapsed() >= timeout || (is_gone && since.elapsed() >= QUIET);
        if is_late {
            return Err(missing(process, folders, is_gone, timeout));
        }
        thread::sleep(PAUSE);
    }
}

fn missing(process: &Process, folders: &Folders, is_gone: bool, timeout: Duration) -> Failure {
    let name = format!("process {} (`{}`)", process.pid, process.name);
    Failure::new(match process.state {
        _ if is_gone => format!("{name} has ended without a dump"),
        'T' | 't' => format!("{name} is stopped, so it writes no dump before it continues"),
        _ => format!(
            "{name} has written no dump within {} to {}; if it cannot write there, its stderr or log says why; if it sets \
             a folder with `Builder::dir`, name that with --dir",
            time(u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX)),
            folders.known.keys().map(|folder| words(folder)).collect::<Vec<_>>().join(" or ")
        ),
    })
}

/// Describes a folder, and the reason why no file can appear in it, if any.
fn words(folder: &Path) -> String {
    // Removes a slash at the end, because a path with a final slash follows the link.
    let folder: PathBuf = folder.components().collect();
    let shown = folder.display().to_string();
    let link = fs::read_link(&folder).ok();
    // The working directory of the process, as the kernel shows it.
    let deleted = link.as_ref().and_then(|link| link.to_str()?.strip_suffix(" (deleted)"));
    let (name, state) = match (deleted, fs::metadata(&folder)) {
        (Some(name), _) => (name, ", which was deleted".to_owned()),
        (_, Ok(it)) if it.is_dir() => (&*shown, String::new()),
        (_, Ok(_)) => (&*shown, ", which is not a folder".to_owned()),
        _ if link.is_some() => (&*shown, ", a link that leads nowhere".to_owned()),
        (_, Err(error)) if error.kind() == ErrorKind::NotFound => {
            (&*shown, ", which does not exist".to_owned())
        }
        (_, Err(error)) => (&*shown, format!(", which cannot be read: {error}")),
    };
    format!("`{}`{state}", clean_line(name))
}
