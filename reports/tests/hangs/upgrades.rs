//! Readers of an unfair lock that upgrade, whose other readers and writers wait until they release
//! it.

use diagnose_reports::model::WaitMode;

use crate::support::hangs::Program;

/// What a writer asks for.
const ALL: u64 = u32::MAX as u64;

/// ```text
/// main: read, upgrade() ─ not polled ─┬─ lock ─ waits ─▶ Mutex#2 ─ held by ─▶ other
///                          RwLock#1 ◀─┴─────────────────────────── waits ─────┘
/// ```
fn upgrades_late(mode: WaitMode, units: u64) -> Program {
    let mut program = Program::new();
    let (other, table, lock) = (program.task("other"), program.rwlock(), program.mutex());
    (program.at(table).is_fair, program.at(table).capacity) = (false, None);
    program.holds_many(1, table, 0, 2);
    program.holds(other, lock, 4);
    program.waits(1, lock, WaitMode::Lock, 3);
    program.waits(other, table, mode, 5).units = units;
    program
}

#[test]
fn an_upgrade_keeps_out_a_writer() {
    let program = upgrades_late(WaitMode::Write, ALL);
    assert_eq!(program.verdicts(), ["proven cycle"]);
    insta::assert_snapshot!(program.sentence(), @"task 1 `main` is waiting for `Mutex#2` at src/main.rs:3 (1.00 s); task 2 `other` has held it for 1.00 s (acquired at src/main.rs:4) and is waiting to write `RwLock#1` at src/main.rs:5 (1.00 s); task 1 `main` has held it for 1.00 s (acquired at src/main.rs:2): none of them can continue");
}

#[test]
fn an_upgrade_keeps_out_a_reader() {
    assert_eq!(upgrades_late(WaitMode::Read, 1).verdicts(), ["proven cycle"]);
}

/// Another task polls the upgrade, although the guard was last seen with `main`.
#[test]
fn an_upgrade_does_not_wait_for_itself() {
    assert!(upgrades_late(WaitMode::Write, ALL - 1).verdicts().is_empty());
}
