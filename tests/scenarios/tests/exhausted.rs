//! All workers block: the watchdog reports both polls and the queued task.

use diagnose_process_tests::child::Program;

#[test]
fn the_watchdog_names_both_polls_and_the_queue() {
    diagnose_isolation::isolated!();
    let mut program = Program::start(env!("CARGO_BIN_EXE_exhausted"), &[], &[]);
    let mut tree = String::new();
    loop {
        let line = program.hear();
        if line == "end of the tree" || (line.is_empty() && tree.ends_with("\n\n")) {
            break;
        }
        tree.push_str(&line);
        tree.push('\n');
    }
    assert_eq!(program.hear(), "3 alarms", "two that block and one that is queued\n{tree}");
    let ended = program.end();
    println!("{tree}\n{}", ended.stderr);
    assert!(ended.success);
    assert!(tree.contains("\ntasks: 3 alive, 2 running, 1 queued\n"), "{tree}");
    assert_eq!(tree.matches("verdict: suspect blocked_worker: task ").count(), 2, "{tree}");
    assert!(
        tree.contains(" × task blocks [running ") || tree.matches(" blocks [running ").count() == 2,
        "{tree}"
    );
    assert!(tree.contains("receives (tests/scenarios/src/bin/exhausted.rs:"), "{tree}");
    assert!(tree.contains(" sends [queued "), "{tree}");

    // A poll may be slow again while the program ends.
    let alarms = ended.stderr.lines().filter(|line| line.starts_with("diagnose: ALARM "));
    let alarms: Vec<&str> = alarms.take(3).collect();
    assert_eq!(alarms.len(), 3, "{}", ended.stderr);
    let polls: Vec<&&str> =
        alarms.iter().filter(|alarm| alarm.contains("`blocks` has been in one poll for")).collect();
    assert_eq!(polls.len(), 2, "{}", ended.stderr);
    assert!(polls.iter().all(|alarm| alarm.contains("blocked, using")), "{}", ended.stderr);
    let queue = alarms.iter().find(|alarm| alarm.contains(" `sends` was woken ")).expect("it is queued");
    assert_eq!(queue.matches(" `blocks` for ").count(), 2, "{queue}");
    assert!(ended.stderr.contains("└─ receives (tests/scenarios/src/bin/exhausted.rs:"), "{}", ended.stderr);
}
