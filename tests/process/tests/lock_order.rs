//! The order of lock acquisitions is recorded on request, and locks acquired in both orders are
//! reported.

use diagnose_process_tests::child::Program;

const SOURCE: &str = include_str!("../src/bin/lock_order.rs");

fn said(variables: &[(&str, &str)]) -> Vec<String> {
    let mut program = Program::start(env!("CARGO_BIN_EXE_lock_order"), &[], variables);
    let mut lines = Vec::new();
    while !lines.last().is_some_and(|line: &String| line.starts_with("pairs: ")) && lines.len() < 100 {
        lines.push(program.hear());
    }
    assert!(program.end().success);
    println!("{}", lines.join("\n"));
    lines
}

/// The place of the program's line that contains a text.
fn place(text: &str) -> String {
    let line = SOURCE.lines().position(|line| line.contains(text)).expect("it is there") + 1;
    format!("tests/process/src/bin/lock_order.rs:{line}")
}

#[test]
fn locks_taken_in_both_orders_are_reported_with_tasks_and_places() {
    diagnose_isolation::isolated!();
    let lines = said(&[("DIAGNOSE_LOCK_ORDER", "1")]);
    assert_eq!(lines[0], "lock order: 2 cycles in 5 pairs");
    assert_eq!(lines[2], "RwLock#1 and Mutex#2 were acquired in both orders");
    let [left, right] = ["left", "right"].map(|who| {
        let [holds, takes] = ["holds", "takes"].map(|what| place(&format!("// {who} {what}")));
        (holds, takes)
    });
    assert_eq!(
        lines[3],
        format!(
            "  task 1 `main` held RwLock#1 (acquired at {}) and acquired Mutex#2 at {}, once",
            right.0, right.1
        )
    );
    assert_eq!(
        lines[4],
        format!(
            "  task 1 `main` held Mutex#2 (acquired at {}) and acquired RwLock#1 at {}, 2 times",
            left.0, left.1
        )
    );
    assert_eq!(lines[6], "Mutex#33, Mutex#34, Mutex#35 were acquired in a cycle");
    assert!(lines[7].starts_with("  thread turns held Mutex#33 (acquired at "), "{lines:#?}");
}

#[test]
fn nothing_is_noted_unless_it_is_asked_for() {
    diagnose_isolation::isolated!();
    assert_eq!(said(&[]), ["pairs: None"]);
}
