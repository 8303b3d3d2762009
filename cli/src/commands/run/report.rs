//! The way a program ended. Collects its dumps, and prints them.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use diagnose_reports::{Snapshot, merge};

use crate::commands::convert::write;
use crate::commands::open::{page, temporary, write_and_open};
use crate::commands::run::arguments::{Args, report};
use crate::commands::show;
use crate::failure::Failure;
use crate::input;
use crate::output::{Output, is_dash};
use crate::process::{DumpFiles, dumps, signal_name};

/// The way a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// It exited by itself, with this status.
    Status(u8),
    /// This signal ended it. The signal came from the program itself or from another process.
    Signal(i32),
    /// This command interrupted it.
    Interrupted,
}

impl Ending {
    /// The exit status as a shell reports it; 0 for a requested interruption.
    pub(super) fn status(self) -> u8 {
        match self {
            Self::Status(status) => status,
            Self::Signal(signal) => u8::try_from(128 + signal).unwrap_or(u8::MAX),
            Self::Interrupted => 0,
        }
    }
}

/// The dumps that appear in a folder.
#[derive(Debug)]
pub(super) struct Dumps {
    folder: PathBuf,
    /// The names of the dumps that were in the folder before.
    old: BTreeSet<String>,
    /// The dumps that this command asked for, by process.
    asked: BTreeMap<String, DumpFiles>,
}

impl Dumps {
    pub(super) fn new(folder: &Path) -> Self {
        let old = dumps(folder).into_keys().collect();
        Self { folder: folder.to_owned(), old, asked: BTreeMap::new() }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Prefers a dump that this command asked for. A program that then ends its work writes a later
    /// one, without live tasks and hangs.
    pub(super) fn prefer(&mut self, dump: DumpFiles) {
        self.asked.insert(dump.process.clone(), dump);
    }

    /// The snapshot of each process: the one that was asked for, else the last new one.
    fn last(&self) -> Vec<PathBuf> {
        let mut last = BTreeMap::<String, (u64, PathBuf)>::new();
        for (name, dump) in dumps(&self.folder) {
            let Some(file) = dump.files.get("json").filter(|_| !self.old.contains(&name)) else { continue };
            if self.asked.get(&dump.process).is_some_and(|asked| asked.number != dump.number) {
                continue;
            }
            let entry = last.entry(dump.process).or_default();
            if dump.number >= entry.0 {
                *entry = (dump.number, file.clone());
            }
        }
        last.into_values().map(|(_, file)| file).collect()
    }

    /// Returns whether the program has left a snapshot.
    pub(super) fn has_snapshots(&self) -> bool {
        !self.last().is_empty()
    }

    /// Prints a report per process as text; for other outputs, one merged report.
    pub(super) fn print(
        &self,
        program: &str,
        ending: Ending,
        args: &Args,
        output: Output,
    ) -> Result<(), Failure> {
        let snapshots: Vec<Snapshot> =
            self.last().iter().map(|file| input::parse(file)).collect::<Result<_, _>>()?;
        if snapshots.is_empty() {
            if let Ending::Signal(number) = ending {
                return Err(Failure::new(format!(
                    "`{program}` was ended by {}, so it left no dump",
                    signal_name(number)
                )));
            }
            let ending = match ending {
                Ending::Status(status @ 1..) => format!("ended with status {status} and "),
                _ => String::new(),
            };
            return Err(Failure::new(format!(
                "`{program}` {ending}left no dump: it has to be built with diagnose, call `diagnose::install` in `main`, \
                 and return from `main` or be interrupted"
            )));
        }
        let is_one = output.is_json || args.output.is_some() || args.open;
        if !is_one {
            return snapshots.iter().try_for_each(|snapshot| show::print(snapshot, args.full, output));
        }
        let whole = match &snapshots[..] {
            [snapshot] => snapshot.clone(),
            snapshots => {
                let count = snapshots.len();
                let _ = writeln!(
                    io::stderr(),
                    "diagnose: {count} processes are added up without their live tasks and hangs: `--dir` keeps a \
                     snapshot of each"
                );
                merge(snapshots)
            }
        };
        match &args.output {
            Some(file) if is_dash(file) => show::print(&whole, args.full, output),
            Some(file) if args.open => write_and_open("run", &whole, report(args, file)?, file, true, output),
            Some(file) => write("run", &whole, report(args, file)?, file, output),
            None if args.open => {
                let page = page()?;
                write_and_open("run", &whole, page, &temporary(page)?, true, output)
            }
            None => show::print(&whole, args.full, output),
        }
    }
}
