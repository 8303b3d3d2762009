//! `diagnose dump` of programs with a handler, and of programs that the signal would end.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, SystemTime};

use crate::support::{Running, Scratch, run};
use diagnose_reports::Snapshot;

#[test]
fn a_dump_prints_the_report_of_a_running_program() {
    let scratch = Scratch::new();
    let mut program = Running::program(&["serve"], scratch.path());
    let outcome = run(&["dump", &program.pid()]);
    assert_eq!(outcome.status, Some(0), "{outcome:?}");
    assert!(outcome.out.contains(&format!("(pid {})", program.pid())), "{outcome:?}");
    assert!(outcome.out.contains("checksum"), "{outcome:?}");
    let written: Vec<&str> = outcome.err.lines().collect();
    for extension in [".folded", ".json", ".txt"] {
        assert!(written.iter().any(|line| line.ends_with(extension)), "{extension}: {outcome:?}");
    }
    for line in written {
        let path = line.strip_prefix("diagnose: wrote ").expect("each line names a file");
        assert!(std::path::Path::new(path).exists(), "{path}");
    }
    let json = run(&["dump", &program.pid(), "--json"]).out;
    assert_eq!(
        Snapshot::read_json(json.as_bytes()).expect("it is a snapshot").process.pid.to_string(),
        program.pid()
    );
    assert_eq!(run(&["dump", "-p", &program.pid()]).status, Some(0), "as other profilers name it");
    assert!(program.is_alive());
}

/// In a container, the process has the same id after each start.
#[test]
fn a_dump_that_a_killed_process_has_left_is_not_waited_for() {
    let scratch = Scratch::new();
    let program = Running::program(&["serve"], scratch.path());
    let pid = program.pid();
    let left = scratch.path().join(format!(".diagnose-web1-20251122T123456.789Z-{pid}-0.json.{pid}.7.tmp"));
    let file = std::fs::File::create(left).expect("a folder of its own");
    file.set_modified(SystemTime::now() - Duration::from_secs(120)).expect("its own file");
    let outcome = run(&["dump", &pid]);
    assert_eq!(outcome.status, Some(0), "{outcome:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_thread_is_no_process_to_dump() {
    let scratch = Scratch::new();
    let program = Running::program(&["serve"], scratch.path());
    let threads = std::fs::read_dir(format!("/proc/{}/task", program.pid())).expect("it runs");
    let names =
        threads.map(|thread| thread.expect("it is listed").file_name().into_string().expect("a number"));
    let thread = names.into_iter().find(|name| *name != program.pid()).expect("one waits for the signal");
    let message = run(&["dump", &thread]).refusal();
    assert_eq!(message, format!("diagnose: {thread} is a thread of process {}", program.pid()));
}

#[test]
fn a_folder_set_in_the_code_is_found_or_named() {
    let scratch = Scratch::new();
    let dumps = scratch.text("dumps");
    let program = Running::program(&["dir", &dumps], scratch.path());
    let outcome = run(&["dump", &program.pid(), "--dir", &dumps]);
    assert_eq!(outcome.status, Some(0), "{outcome:?}");
    assert!(outcome.err.contains(&format!("wrote {dumps}/")), "{outcome:?}");
}

#[test]
fn a_folder_set_in_the_environment_is_found() {
    let scratch = Scratch::new();
    let mut command = Command::new(crate::support::program());
    command.arg("serve").current_dir(scratch.path());
    let dumps = scratch.at("from environment");
    // `env` sets the variables, as `Running` may remove them from the command that it starts.
    let mut shell = Command::new("env");
    shell.arg("DIAGNOSE_DIR=from environment").arg("DIAGNOSE_SIGNAL=USR2").arg("DIAGNOSE_FORMATS=txt");
    shell.arg(command.get_program()).arg("serve").current_dir(scratch.path());
    let program = Running::start(shell);
    let outcome = run(&["dump", &program.pid()]);
    assert_eq!(outcome.status, Some(0), "{outcome:?}");
    assert!(outcome.err.contains(dumps.to_str().unwrap()), "{outcome:?}");
    assert!(outcome.out.contains("checksum"), "the text is printed as it was written: {outcome:?}");
    let json = run(&["dump", &program.pid(), "--json"]);
    assert_eq!(json.status, Some(2), "{json:?}");
    assert!(json.err.contains("the dump has no `json`, so there is no report to print"), "{json:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_in_the_environment_may_have_any_name() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let scratch = Scratch::new();
    let folder = OsStr::from_bytes(b"DIAGNOSE_DIR=w\xFF ");
    let mut shell = Command::new("env");
    shell.arg(folder).arg("DIAGNOSE_FORMATS=full.txt").arg(crate::support::program()).arg("serve");
    shell.current_dir(scratch.path());
    let program = Running::start(shell);
    let outcome = run(&["dump", &program.pid(), "--timeout", "20s"]);
    assert_eq!(outcome.status, Some(0), "{outcome:?}");
    let dumps = std::fs::read_dir(scratch.path().join(OsStr::from_bytes(b"w\xFF "))).unwrap();
    assert!(dumps.count() > 0 && outcome.out.contains("checksum"), "{outcome:?}");
}

#[test]
fn a_folder_inside_another_root_is_found() {
    let scratch = Scratch::new();
    let program = Running::program(&["jail"], scratch.path());
    let outcome = run(&["dump", &program.pid(), "--timeout", "5s"]);
    assert_eq!(outcome.status, Some(0), "{outcome:?}");
    assert!(outcome.err.contains(scratch.path().to_str().unwrap()), "{outcome:?}");
}

#[test]
fn a_hang_is_shown_while_it_hangs() {
    let scratch = Scratch::new();
    let program = Running::program(&["deadlock"], scratch.path());
    // The tasks may not wait yet at the first dump.
    let found =
        (0..100).map(|_| run(&["dump", &program.pid()])).find(|it| it.out.contains("verdict: proven cycle"));
    assert!(found.is_some(), "the cycle is found");
    let folder = scratch.path().to_str().unwrap();
    let verdicts = run(&["verdicts", folder]);
    assert_eq!(verdicts.status, Some(1), "{verdicts:?}");
    assert!(verdicts.out.contains("take"), "{verdicts:?}");
    assert!(run(&["waiters", folder]).ok().contains("holder: "));
    assert!(run(&["tasks", folder]).ok().contains("take"));
    assert_eq!(run(&["findings", folder]).status, Some(1));
}

#[test]
fn a_program_without_a_handler_gets_no_signal() {
    let scratch = Scratch::new();
    let mut bare = Running::program(&["bare"], scratch.path());
    let pid = bare.pid();
    assert_eq!(
        run(&["dump", &pid]).refusal(),
        format!(
            "diagnose: process {pid} (`program`) has no handler for SIGUSR1, which would end it: no signal was \
             sent; build it with diagnose, and call `diagnose::install` first in `main`"
        )
    );
    assert!(bare.is_alive());
}

#[test]
fn a_handler_that_is_not_ours_gets_no_signal() {
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap 'exit 1' USR1; echo ready; read line"]);
    let mut other = Running::start(shell);
    let message = run(&["dump", &other.pid()]).refusal();
    assert!(message.contains("handles SIGUSR1, but not with diagnose: no signal was sent"), "{message}");
    assert!(other.is_alive());
}

#[test]
fn the_signal_that_diagnose_listens_for_is_sent_and_no_other_that_the_program_handles() {
    let scratch = Scratch::new();
    let mut program = Running::program(&["other"], scratch.path());
    let outcome = run(&["dump", &program.pid()]);
    assert_eq!(outcome.status, Some(0), "{outcome:?}");
    assert!(outcome.out.contains("checksum"), "{outcome:?}");
    let message = run(&["dump", &program.pid(), "--signal", "USR1"]).refusal();
    let reason = "listens for SIGUSR2, not for SIGUSR1: no signal was sent; try --signal USR2";
    assert!(message.ends_with(reason), "{message}");
    assert!(program.is_alive());
}

#[cfg(target_os = "linux")]
#[test]
fn a_program_that_blocks_its_signal_is_not_waited_for() {
    let scratch = Scratch::new();
    let mut command = Command::new("env");
    command
        .arg("--block-signal=USR1")
        .arg(crate::support::program())
        .arg("serve")
        .current_dir(scratch.path());
    let mut program = Running::start(command);
    let message = run(&["dump", &program.pid(), "--timeout", "10s"]).refusal();
    let reason = "(`program`) blocked its signal before it called `diagnose::install`";
    assert!(message.contains(reason) && message.contains("no signal was sent"), "{message}");
    assert!(program.is_alive());
}

#[test]
fn a_signal_other_than_the_programs_is_not_sent() {
    let scratch = Scratch::new();
    let mut program = Running::program(&["serve"], scratch.path());
    let message = run(&["dump", &program.pid(), "--signal", "SIGUSR2"]).refusal();
    assert!(message.ends_with("no signal was sent; try --signal USR1"), "{message}");
    assert!(program.is_alive());
    assert_eq!(run(&["dump", &program.pid(), "--signal", "KILL"]).status, Some(2));
}

#[test]
fn a_missing_process_is_reported() {
    assert_eq!(run(&["dump", "4194999"]).refusal(), "diagnose: there is no process 4194999");
    for wrong in ["0", "-1", "4294967296", "init"] {
        assert_eq!(run(&["dump", wrong]).status, Some(2), "{wrong}");
    }
}

#[test]
fn a_dump_that_is_not_written_in_time_is_reported() {
    let scratch = Scratch::new();
    let program = Running::program(&["serve"], scratch.path());
    let elsewhere = scratch.text("elsewhere");
    let message = run(&["dump", &program.pid(), "--dir", &elsewhere, "--timeout", "300ms"]).refusal();
    let folder = format!("has written no dump within 300 ms to `{elsewhere}`, which does not exist; if it");
    assert!(message.contains(&folder), "{message}");
    assert!(
        message.contains("if it cannot write there, its stderr or log says why; if it sets a folder"),
        "{message}"
    );
}

/// Writes a dump of another process with the same id every millisecond, while `run` runs.
#[cfg(target_os = "linux")]
fn beside_others<R>(folder: &Path, pid: &str, hosts: &[&str], year: u32, run: impl FnOnce() -> R) -> R {
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut number = 0;
            while !is_over.load(Relaxed) {
                for host in hosts {
                    let name = format!("diagnose-{host}-{number}-{year}1122T123456.789Z-{pid}-0.json");
                    std::fs::write(folder.join(name), "{}").expect("a folder of its own");
                }
                number += 1;
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        let result = run();
        is_over.store(true, Relaxed);
        result
    })
}

/// As in containers that share a folder: each has a process 1.
#[cfg(target_os = "linux")]
#[test]
fn a_dump_of_another_process_with_the_same_id_is_not_taken() {
    let scratch = Scratch::new();
    let program = Running::program(&["serve"], scratch.path());
    let pid = program.pid();
    let outcome = beside_others(scratch.path(), &pid, &["web2"], 2025, || run(&["dump", &pid]));
    assert_eq!(outcome.status, Some(0), "{outcome:?}");
    assert!(outcome.out.contains("checksum") && !outcome.err.contains("web2"), "{outcome:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn dumps_of_several_processes_that_may_be_the_one_are_refused() {
    let scratch = Scratch::new();
    let program = Running::program(&["serve"], scratch.path());
    let pid = program.pid();
    // A program that is stopped too early has no thread for its signal yet.
    assert_eq!(run(&["dump", &pid]).status, Some(0));
    let stop = Command::new("kill").args(["-STOP", &pid]).status();
    assert!(stop.expect("there is a `kill`").success());
    let outcome = beside_others(scratch.path(), &pid, &["web2", "web3"], 2099, || run(&["dump", &pid]));
    let message = outcome.refusal();
    let reason = format!("dumps of several processes with the id {pid} have appeared");
    assert!(message.contains(&reason), "{message}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_folder_that_is_gone_or_leads_nowhere_is_named_as_such() {
    let scratch = Scratch::new();
    let (gone, link) = (scratch.text("gone"), scratch.text("link"));
    std::fs::create_dir(&gone).expect("it can be made");
    std::os::unix::fs::symlink("/nowhere/at/all", &link).expect("it can be made");
    let mut command = Command::new("env");
    command
        .arg(format!("DIAGNOSE_DIR={link}"))
        .arg(crate::support::program())
        .arg("serve")
        .current_dir(&gone);
    let program = Running::start(command);
    std::fs::remove_dir(&gone).expect("it is empty");
    let message = run(&["dump", &program.pid(), "--timeout", "300ms"]).refusal();
    assert!(message.contains(&format!("`{gone}`, which was deleted")), "{message}");
    assert!(message.contains(&format!("`{link}`, a link that leads nowhere")), "{message}");
}
