//! Dumps and alarms do not block on a stderr that nothing reads.
#![cfg(target_os = "linux")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use diagnose_abuse_tests::child::command;

const LIMIT: Duration = Duration::from_secs(60);

fn wait_for(what: &str, condition: impl Fn() -> bool) {
    let end = Instant::now() + LIMIT;
    while !condition() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn files(folder: &Path) -> usize {
    std::fs::read_dir(folder).into_iter().flatten().flatten().filter(|file| is_whole(&file.path())).count()
}

/// Returns `true` if the file has been written completely.
fn is_whole(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension != "tmp")
}

#[test]
fn files_and_alarms_come_although_stderr_is_blocked() {
    diagnose_isolation::isolated!();
    let folder = std::env::temp_dir().join(format!("diagnose-blocked-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    let mut command = command(env!("CARGO_BIN_EXE_blocked_stderr"));
    command.env("DIAGNOSE_DIR", &folder).env("DIAGNOSE_WATCHDOG", "50ms").env("DIAGNOSE_ON_EXIT", "1");
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // Keeps the pipe open, and never reads it.
    let stderr = child.stderr.take();
    let mut stdin = child.stdin.take().expect("it is piped");
    let mut stdout = BufReader::new(child.stdout.take().expect("it is piped"));
    let mut hear = || {
        let mut line = String::new();
        stdout.read_line(&mut line).expect("text");
        line.trim_end().to_owned()
    };
    assert_eq!(hear(), "full");
    for dump in 1..=3 {
        let kill = Command::new("kill").args(["-USR1", &child.id().to_string()]).status();
        assert!(kill.expect("there is such a command").success());
        wait_for("a dump", || files(&folder) == 4 * dump);
    }
    writeln!(stdin, "block").expect("it reads");
    assert_eq!(hear(), "alarm");
    drop(stdin);
    let process = child.id();
    let end = std::thread::spawn(move || child.wait());
    wait_for("the end", || end.is_finished());
    assert!(end.join().expect("no panic").expect("it is a child").success(), "{process}");
    assert_eq!(files(&folder), 4 * 4, "and one at the end");
    drop(stderr);
    let _ = std::fs::remove_dir_all(&folder);
}
