//! The rule `held` for calls that wait for more permits than there are.

use crate::support::hangs::Program;
use crate::support::place_at;
use diagnose_reports::model::{LastEvent, WaitMode};

const SECOND: u64 = 1_000_000_000;

/// A semaphore of 8 permits: a call waits for `units`, and two others for one each.
fn waiting(units: u64, change: impl FnOnce(&mut Program, usize)) -> Vec<String> {
    let mut program = Program::new();
    let permits = program.semaphore(8);
    program.at(permits).usage.acquisitions = 20;
    for (number, units) in [(0, units), (1, 1), (2, 1)] {
        let task = program.task("import");
        // Something else may end the call, such as another arm of a `select!`.
        program.has_timer(task);
        let wait = program.waits(task, permits, WaitMode::Acquire, 71);
        (wait.units, wait.since_ns) = (units, (6 - number) * SECOND);
    }
    change(&mut program, permits);
    let findings = program.snapshot.findings();
    findings.iter().filter(|it| it.rule.to_string() == "held").map(ToString::to_string).collect()
}

#[test]
fn a_call_that_waits_for_more_permits_than_there_are_is_found() {
    let [finding] = &waiting(16, |_, _| ())[..] else { panic!("one finding") };
    assert!(finding.starts_with("a call waits for 16 permits of the Semaphore"), "{finding}");
    assert!(
        finding.contains("at src/main.rs:71, for 6.00 s, and that has 8; 2 more calls wait for it as well. Next: acquire at most"),
        "{finding}"
    );
    let fewer = waiting(16, |program, permits| forget(program, permits, 1));
    assert!(fewer[0].contains("and that has 7;"), "never were there so many: {fewer:?}");
    let twice = waiting(16, |program, permits| {
        let task = program.task("import");
        program.has_timer(task);
        program.waits(task, permits, WaitMode::Acquire, 71).units = 16;
    });
    assert_eq!(twice.len(), 1, "{twice:?}");
}

/// Line 41 has removed `number` permits.
fn forget(program: &mut Program, permits: usize, number: u64) {
    let it = program.at(permits);
    it.forgotten = number;
    let mut last = LastEvent::default();
    (last.place, last.ago_ns) = (Some(place_at(41, 9)), Some(9 * SECOND));
    it.last_forgotten = Some(last);
}

#[test]
fn a_call_that_waits_for_forgotten_permits_is_found_at_the_line_that_forgot_them() {
    let [all] = &waiting(1, |program, permits| forget(program, permits, 8))[..] else {
        panic!("one finding")
    };
    assert!(
        all.ends_with(
            " has no permit left: `forget` removed 8, the last one at src/main.rs:41, 9.00 s ago; a call waits for 1 permit at \
             src/main.rs:71, for 6.00 s; 2 more calls wait for it as well. Next: drop the permits there instead of forgetting \
             them, or give them back with `add_permits`. (held)"
        ),
        "{all}"
    );
    let [some] = &waiting(8, |program, permits| forget(program, permits, 1))[..] else {
        panic!("one finding")
    };
    assert!(
        some.contains(" has 7 permits left: `forget` removed 1, the last one at src/main.rs:41"),
        "{some}"
    );
    assert!(some.contains("; a call waits for 8 permits at src/main.rs:71, for 6.00 s; 2 more"), "{some}");
}

#[test]
fn permits_that_may_come_are_healthy() {
    assert_eq!(waiting(8, |_, _| ()), [""; 0], "all of them");
    assert_eq!(waiting(16, |program, it| program.at(it).is_refilled = true), [""; 0], "more are added");
    assert_eq!(waiting(16, |program, it| program.at(it).usage.acquisitions = 19), [""; 0], "a start");
    assert_eq!(waiting(16, |program, it| program.at(it).is_fair = false), [""; 0], "others go on");
    assert_eq!(waiting(16, |program, it| program.at(it).is_closed = true), [""; 0], "it ends with an error");
    let soon =
        waiting(16, |program, _| program.snapshot.waits.iter_mut().for_each(|it| it.since_ns = SECOND / 2));
    assert_eq!(soon, [""; 0], "more may be added at the start");
}
