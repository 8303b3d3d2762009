//! The files of dumps: their permissions, names and number; and invalid settings.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use diagnose_abuse_tests::child::{command, output};

/// No system maps a stack of this size, so no thread starts.
const HUGE_STACK: &str = "4611686018427387904";

/// A directory for one test, with a directory for dumps in it.
struct Folder(PathBuf, PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("diagnose-dumps-{test}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        let name = OsStr::from_bytes(b"d\xffumps");
        fs::create_dir_all(folder.join(name)).expect("a folder");
        Self(folder.clone(), folder.join(name))
    }

    /// Runs the program, and returns its stderr.
    fn run(&self, variables: &[(&str, &str)]) -> String {
        let mut command = command(env!("CARGO_BIN_EXE_dumps"));
        command.env("DIAGNOSE_DIR", &self.1).env("DIAGNOSE_ON_EXIT", "1").envs(variables.iter().copied());
        let output = output(&mut command, Duration::from_secs(120));
        assert!(output.status.success(), "{output:?}");
        assert_eq!(output.stdout, b"7\n");
        String::from_utf8_lossy(&output.stderr).into_owned()
    }

    fn files(&self) -> BTreeSet<String> {
        names(&self.1)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn names(folder: &Path) -> BTreeSet<String> {
    let files = fs::read_dir(folder).expect("a folder").flatten();
    files.map(|file| file.file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn dumps_are_readable_only_by_their_user() {
    diagnose_isolation::isolated!();
    let folder = Folder::new("modes");
    folder.run(&[]);
    assert_eq!(folder.files().len(), 4);
    for file in fs::read_dir(&folder.1).expect("a folder").flatten() {
        let mode = file.metadata().expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file:?}");
    }
}

#[test]
fn a_folder_name_that_is_not_utf8_is_used_unchanged() {
    diagnose_isolation::isolated!();
    let folder = Folder::new("bytes");
    folder.run(&[("DIAGNOSE_FORMATS", "txt")]);
    assert_eq!(folder.files().len(), 1);
    assert_eq!(names(&folder.0).len(), 1, "{:?}", names(&folder.0));
}

#[test]
fn a_format_that_is_named_twice_is_written_once() {
    diagnose_isolation::isolated!();
    let folder = Folder::new("twice");
    let stderr = folder.run(&[("DIAGNOSE_FORMATS", "txt,json,txt")]);
    assert_eq!(folder.files().len(), 2);
    assert!(!stderr.contains("cannot write"), "{stderr}");
}

#[test]
fn messages_are_not_lost_where_no_thread_can_be_started() {
    diagnose_isolation::isolated!();
    let folder = Folder::new("threads");
    let stderr = folder.run(&[("RUST_MIN_STACK", HUGE_STACK), ("DIAGNOSE_FORMATS", ",,,")]);
    assert!(stderr.contains("ignoring DIAGNOSE_FORMATS=`,,,`: it names no format"), "{stderr}");
    assert!(stderr.contains("cannot listen for SIGUSR1"), "{stderr}");
    assert_eq!(folder.files().len(), 4);
}

#[test]
fn without_a_thread_the_end_does_not_wait_for_a_stderr_that_nothing_reads() {
    diagnose_isolation::isolated!();
    let folder = Folder::new("unread");
    let long = "x".repeat(100_000);
    let mut command = command(env!("CARGO_BIN_EXE_dumps"));
    command.env("DIAGNOSE_DIR", &folder.1).env("DIAGNOSE_ON_EXIT", "1").env("RUST_MIN_STACK", HUGE_STACK);
    // More than a pipe has room for.
    command.env("DIAGNOSE_KEEP", &long).env("DIAGNOSE_SIGNAL", &long);
    let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let mut child = child.expect("it starts");
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("a child") {
            break status;
        }
        if start.elapsed() > Duration::from_secs(60) {
            child.kill().expect("it runs");
            panic!("it waits for its stderr");
        }
        thread::sleep(Duration::from_millis(10));
    };
    assert!(status.success(), "{status}");
    let mut written = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut written).expect("text");
    assert!(written.len() > 4_096 && written.len() < 150_000, "{}", written.len());
    assert_eq!(folder.files().len(), 4);
}

#[test]
fn an_empty_list_is_named_and_ignored() {
    diagnose_isolation::isolated!();
    let folder = Folder::new("lists");
    let stderr = folder.run(&[("DIAGNOSE_FORMATS", ",,,"), ("DIAGNOSE_ONLY", ",")]);
    assert!(stderr.contains("ignoring DIAGNOSE_FORMATS=`,,,`: it names no format"), "{stderr}");
    assert!(stderr.contains("ignoring DIAGNOSE_ONLY=`,`: it names no function"), "{stderr}");
    assert_eq!(folder.files().len(), 4);
}

#[test]
fn the_oldest_dumps_go_and_nothing_else_does() {
    diagnose_isolation::isolated!();
    let folder = Folder::new("keep");
    let foreign = ["notes.txt", "diagnose-4711-1.txt", "diagnose.json"];
    for name in foreign {
        fs::write(folder.1.join(name), name).expect("it can be written");
    }
    let mut all = Vec::new();
    for _ in 0..4 {
        let before = folder.files();
        folder.run(&[("DIAGNOSE_FORMATS", "txt,json"), ("DIAGNOSE_KEEP", "2")]);
        let new: BTreeSet<String> = folder.files().difference(&before).cloned().collect();
        assert_eq!(new.len(), 2);
        all.push(new);
    }
    let mut expected: BTreeSet<String> = foreign.iter().map(|name| (*name).to_owned()).collect();
    expected.extend(all[2..].iter().flatten().cloned());
    assert_eq!(folder.files(), expected);
    // A dump that exceeds the bound by itself is kept, and all older ones are removed.
    let stderr = folder.run(&[("DIAGNOSE_FORMATS", "txt"), ("DIAGNOSE_KEEP", "10B")]);
    assert!(stderr.contains("removed the 2 oldest dumps"), "{stderr}");
    assert_eq!(folder.files().len(), foreign.len() + 1);
    for name in foreign {
        assert_eq!(fs::read_to_string(folder.1.join(name)).expect("it is there"), name);
    }
}

#[test]
fn a_dump_that_cannot_be_written_removes_no_older_one() {
    diagnose_isolation::isolated!();
    let folder = Folder::new("full");
    folder.run(&[("DIAGNOSE_FORMATS", "txt,json")]);
    let before = folder.files();
    let mut command = command("/bin/sh");
    command.args(["-c", "ulimit -f 0; exec \"$0\" 2>&1 | cat >&2", env!("CARGO_BIN_EXE_dumps")]);
    command.env("DIAGNOSE_DIR", &folder.1).env("DIAGNOSE_ON_EXIT", "1").env("DIAGNOSE_KEEP", "1");
    let output = output(&mut command, Duration::from_secs(120));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("diagnose: cannot write "), "{stderr}");
    assert!(!stderr.contains("removed"), "{stderr}");
    assert_eq!(folder.files(), before);
}

#[test]
fn what_killed_processes_left_is_removed_with_their_dumps() {
    diagnose_isolation::isolated!();
    let folder = Folder::new("killed");
    folder.run(&[("DIAGNOSE_FORMATS", "txt")]);
    let [old] = &folder.files().into_iter().collect::<Vec<_>>()[..] else { panic!("one file") };
    let killed = old.replace("Z-", "Z-1");
    let leave = |name: String, seconds: u64| {
        let file = fs::File::create(folder.1.join(&name)).expect("it can be created");
        file.set_modified(SystemTime::now() - Duration::from_secs(seconds)).expect("it can be set");
        name
    };
    leave(format!(".{killed}.17.0.tmp"), 3_600);
    let written = leave(format!(".{killed}.18.0.tmp"), 1);
    let foreign = leave(".notes.txt.17.0.tmp".to_owned(), 3_600);
    folder.run(&[("DIAGNOSE_FORMATS", "txt"), ("DIAGNOSE_KEEP", "2")]);
    let left = folder.files();
    assert_eq!(left.len(), 4, "two dumps, and what is none of ours to remove: {left:?}");
    assert!([old, &written, &foreign].iter().all(|&name| left.contains(name)), "{left:?}");
}

#[test]
fn a_bound_that_is_not_understood_is_named_and_ignored() {
    diagnose_isolation::isolated!();
    let folder = Folder::new("bound");
    let stderr = folder.run(&[("DIAGNOSE_KEEP", "some\ndiagnose: forged")]);
    let is_it =
        |line: &str| line.starts_with("diagnose: ignoring DIAGNOSE_KEEP=`some diagnose: forged`: expected ");
    assert!(stderr.lines().any(is_it), "{stderr}");
    assert!(!stderr.contains("\ndiagnose: forged"), "{stderr}");
    assert_eq!(folder.files().len(), 4);
}
