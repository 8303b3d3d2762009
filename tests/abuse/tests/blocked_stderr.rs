//! Dumps and alarms do not block on a stderr that nothing reads.
#![cfg(target_os = "linux")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use diagnose_abuse_tests::child::command;

const LIMIT: Duration = Duration::from_secs(60);

fn wait_for(expected: &str, mut condition: impl FnMut() -> bool) {
    let end = Instant::now() + LIMIT;
    while !condition() {
        assert!(Instant::now() < end, "{expected}");
        thread::sleep(Duration::from_millis(5));
    }
}

fn files(folder: &Path) -> usize {
    std::fs::read_dir(folder).into_iter().flatten().flatten().filter(|file| is_whole(&file.path())).count()
}

/// Returns `true` if the file has been written completely.
fn is_whole(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension != "tmp")
}

/// Is killed if the test ends before it does.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn files_and_alarms_come_although_stderr_is_blocked() {
    diagnose_isolation::isolated!();
    let folder = std::env::temp_dir().join(format!("diagnose-blocked-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    let mut command = command(env!("CARGO_BIN_EXE_blocked_stderr"));
    command.env("DIAGNOSE_DIR", &folder).env("DIAGNOSE_WATCHDOG", "50ms").env("DIAGNOSE_ON_EXIT", "1");
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut program = Program(child.expect("the program starts"));
    // Keeps the pipe open, and never reads it.
    let stderr = program.0.stderr.take();
    let mut stdin = program.0.stdin.take().expect("it is piped");
    let stdout = BufReader::new(program.0.stdout.take().expect("it is piped"));
    let (send, lines) = mpsc::channel();
    thread::spawn(move || stdout.lines().try_for_each(|line| send.send(line.expect("text"))));
    assert_eq!(lines.recv_timeout(LIMIT).as_deref(), Ok("full"));
    for dump in 1..=3 {
        let kill = Command::new("kill").args(["-USR1", &program.0.id().to_string()]).status();
        assert!(kill.expect("there is such a command").success());
        wait_for("a dump", || files(&folder) == 4 * dump);
    }
    writeln!(stdin, "block").expect("it reads");
    assert_eq!(lines.recv_timeout(LIMIT).as_deref(), Ok("alarm"));
    drop(stdin);
    wait_for("the end", || program.0.try_wait().expect("it is a child").is_some());
    assert!(program.0.wait().expect("it has ended").success());
    assert_eq!(files(&folder), 4 * 4, "and one at the end");
    drop(stderr);
    let _ = std::fs::remove_dir_all(&folder);
}
