//! A file size limit (`ulimit -f`): the kernel ends a program that exceeds it, unless the program
//! blocks or handles the signal. A dump must fail instead.
#![cfg(target_os = "linux")]

use std::fs::{self, File, OpenOptions};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use diagnose_abuse_tests::child::{command, output};

const LIMIT: Duration = Duration::from_secs(60);

/// A folder of one test, which is removed with it.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("diagnose-file-size-{test}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("dumps")).expect("a folder");
        Self(folder)
    }

    fn dumps(&self) -> PathBuf {
        self.0.join("dumps")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn names(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder).expect("a folder").flatten();
    files.map(|file| file.file_name().to_string_lossy().into_owned()).collect()
}

/// The program, which may write one block into a file: 512 bytes, or 1,024 in some shells.
fn program(folder: &Folder, arguments: &[&str]) -> Command {
    let mut command = command("sh");
    command
        .args(["-c", "ulimit -f 1 && exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_file_size")])
        .args(arguments);
    command.env("DIAGNOSE_DIR", folder.dumps()).env("DIAGNOSE_ON_EXIT", "1");
    command.env("DIAGNOSE_FORMATS", "json,svg");
    command
}

#[test]
fn a_dump_past_the_file_size_limit_fails_and_leaves_no_file() {
    let folder = Folder::new("fails");
    let output = output(&mut program(&folder, &[]), LIMIT);
    assert!(output.status.success(), "{output:?}");
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(
        stdout.starts_with("7\n") && stdout.contains("own.json") && stdout.contains("too large"),
        "{stdout}"
    );
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(stderr.matches("too large").count(), 2, "both dumps at the end: {stderr}");
    assert_eq!(names(&folder.dumps()), [""; 0]);
}

#[test]
fn a_dump_leaves_the_signal_of_the_program_s_own_writes_alone() {
    let folder = Folder::new("own");
    let output = output(&mut program(&folder, &["writes"]), LIMIT);
    assert_eq!(output.status.signal(), Some(libc::SIGXFSZ), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("too large"), "{output:?}");
}

#[test]
fn messages_into_a_file_past_the_limit_are_lost() {
    let folder = Folder::new("stderr");
    let log = folder.0.join("log");
    fs::write(&log, [b'x'; 1024]).expect("it can be written");
    let log: File = OpenOptions::new().append(true).open(log).expect("it is there");
    let status = program(&folder, &[]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).status();
    let status = status.expect("it starts");
    assert!(status.success(), "{status}");
}
