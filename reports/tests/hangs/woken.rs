//! A woken future that is not polled keeps the others waiting, unless something wakes one more.

use diagnose_reports::model::{ResourceKind, Role, WaitMode};

use crate::support::hangs::{Program, set_aside, told};

/// `main` has set a woken future aside, and waits for the same; another task joins it. Returns that
/// task and the resource too.
fn woken_at(kind: ResourceKind, mode: WaitMode) -> (Program, u64, usize) {
    let mut program = Program::new();
    let (other, resource) = (program.task("other"), program.other(kind));
    program.at(resource).is_fair = false;
    set_aside(told(program.waits(1, resource, mode, 33)));
    program.waits(1, resource, mode, 40);
    program.joins(other, 1, 9);
    (program, other, resource)
}

/// ```text
/// main    ├ get_or_init(), woken and set aside ┤├ get_or_init() ─▶
/// other   ├ its call has failed ┤               ├ calls again: the first to do so initializes ─▶
/// ```
#[test]
fn a_later_call_may_initialize_a_cell_before_the_one_that_was_woken() {
    let (mut program, other, cell) = woken_at(ResourceKind::OnceCell, WaitMode::Initialize);
    assert_eq!(program.verdicts(), ["proven futurelock granted"]);
    program.has_timer(other);
    assert_eq!(program.verdicts(), ["suspect futurelock granted"]);
    program.at(cell).is_fair = true;
    assert_eq!(program.verdicts(), ["proven futurelock granted"], "tokio's cell gives it the turn");
}

#[test]
fn several_permits_wake_more_waits_than_the_one_that_was_woken() {
    let (mut program, other, permits) = woken_at(ResourceKind::Semaphore, WaitMode::Acquire);
    program.holding(other, permits, Role::Uses, 8);
    program.has_timer(other);
    assert_eq!(program.verdicts(), ["likely futurelock granted"], "no permits were added so far");
    program.at(permits).is_refilled = true;
    assert_eq!(program.verdicts(), ["suspect futurelock granted"], "most tasks add one each time");
    program.of(other).opaque_wakers = Some(0);
    assert_eq!(program.verdicts(), ["likely futurelock granted"], "that task waits for main");
}

/// ```text
/// other   ├ locks, before the woken future does ─────┤ unlocks
/// main    ├ lock(), woken and set aside ┤├ lock() ─▶ ├ woken: the number of this wait is the lowest
/// ```
#[test]
fn a_mutex_of_futures_may_wake_a_later_wait_than_the_one_that_was_woken() {
    let (mut program, other, lock) = woken_at(ResourceKind::Mutex, WaitMode::Lock);
    program.at(lock).library = "futures".into();
    program.has_timer(other);
    assert_eq!(program.verdicts(), ["proven futurelock granted"], "nobody has it, and so nobody unlocks it");
    program.holds(other, lock, 8);
    assert_eq!(program.verdicts(), ["suspect futurelock granted"]);
    program.at(lock).library = "async-lock".into();
    assert_eq!(program.verdicts(), ["proven futurelock granted"], "a woken wait counts for every unlock");
}

/// ```text
/// other   ├ reads ───────────────────────────────────────────────────┤
/// main    ├ write(), woken and set aside ┤├ write(): overtakes it ─▶ ├ no reader is left
/// ```
#[test]
fn a_write_that_waits_for_readers_may_have_overtaken_the_one_that_was_woken() {
    let (mut program, other, lock) = woken_at(ResourceKind::RwLock, WaitMode::Write);
    program.has_timer(other);
    program.holds(other, lock, 8);
    let is_hang = |it: &String| it.starts_with("proven") || it.starts_with("likely");
    assert!(!program.verdicts().iter().any(is_hang), "{:?}", program.verdicts());
    program.at(lock).holdings[0].units = u64::from(u32::MAX);
    assert_eq!(program.verdicts(), ["proven futurelock granted"], "the next release wakes no other");
}
