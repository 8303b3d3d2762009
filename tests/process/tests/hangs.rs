//! The watchdog reports each hang once, with its chain, and no task that only waits.

use diagnose_process_tests::child::Program;

const SOURCE: &str = include_str!("../src/bin/deadlocks.rs");

/// Runs the program, which ends when the alarms contain all words. Returns its alarms and its
/// reports.
fn run(hangs: &[&str]) -> (Vec<String>, String) {
    let variables = [("DIAGNOSE_WATCHDOG", "100ms")];
    let mut program = Program::start(env!("CARGO_BIN_EXE_deadlocks"), hangs, &variables);
    let mut report = String::new();
    while !report.ends_with("\n}\n") && !report.ends_with("\n\n\n\n") {
        report.push_str(&program.hear());
        report.push('\n');
    }
    let ended = program.end();
    println!("{report}\n{}", ended.stderr);
    assert!(ended.success);
    let alarms = ended.stderr.split("diagnose: ALARM ").skip(1).map(|alarm| alarm.trim_end().to_owned());
    (alarms.collect(), report)
}

/// The place of the program's line that contains a text.
fn place(text: &str) -> String {
    let line = SOURCE.lines().position(|line| line.contains(text)).expect("it is there") + 1;
    format!("tests/process/src/bin/deadlocks.rs:{line}")
}

#[test]
fn a_deadlock_is_reported_with_its_tasks_and_places_but_a_mere_wait_is_not() {
    diagnose_isolation::isolated!();
    let (alarms, report) = run(&["deadlock=proven cycle"]);
    let [alarm] = alarms.as_slice() else { panic!("one alarm, not {alarms:#?}") };
    assert!(alarm.starts_with("proven cycle: task "), "{alarm}");
    for (name, text) in [("left", "// left waits here"), ("right", "// right waits here")] {
        let at = format!("` at {} (", place(text));
        let mut waits = alarm.split(" is waiting for `Mutex#").skip(1);
        let is_said = waits.any(|it| it.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(&at));
        assert!(alarm.contains(&format!(" `{name}` ")) && is_said, "{alarm}");
        let is_link = |line: &str| {
            line.starts_with("  task ") && line.contains(&format!(" {name} waits at {} for ", place(text)))
        };
        assert!(alarm.lines().any(is_link), "{alarm}");
    }
    let first = alarm.lines().next().expect("there is one");
    // The text report has the beginning of the sentence, after the time.
    let start: String = first.chars().take(60).collect();
    let is_alarm = |line: &str| line.starts_with("ALARM ") && line.contains(&format!(": {start}"));
    assert!(report.lines().any(is_alarm), "in the text: {report}");
    assert!(
        report.contains("\"kind\": \"hang\",\n      \"text\": \"proven cycle: task "),
        "in JSON: {report}"
    );
}

#[test]
fn an_unchanged_hang_is_reported_once_and_another_once() {
    diagnose_isolation::isolated!();
    let (alarms, _) = run(&["deadlock=proven cycle", "futurelock=proven futurelock"]);
    let [cycle, futurelock] = alarms.as_slice() else { panic!("two alarms, not {alarms:#?}") };
    assert!(cycle.starts_with("proven cycle: "), "{cycle}");
    assert!(futurelock.starts_with("proven futurelock (granted): task "), "{futurelock}");
    assert!(futurelock.contains(" `tries_twice` is waiting for `Mutex#"), "{futurelock}");
    assert!(futurelock.contains("it was granted to ") && futurelock.contains("future `op`"), "{futurelock}");
    assert!(futurelock.contains(&place("*lock.lock().await += 1;")), "{futurelock}");
}

#[test]
fn a_lock_whose_holder_is_gone_is_reported_and_a_held_one_is_not() {
    diagnose_isolation::isolated!();
    let (alarms, _) = run(&["forgotten=leak"]);
    let [alarm] = alarms.as_slice() else { panic!("one alarm, not {alarms:#?}") };
    assert!(alarm.contains(" `queues` is waiting for `Mutex#"), "{alarm}");
    assert!(alarm.contains(&place("std::mem::forget(lock.lock().await);")), "{alarm}");
}
