//! Tests of when verdicts are asked for, and of which become alarms.

use std::time::Duration;

use diagnose_reports::Snapshot;
use diagnose_reports::model::{
    Attribution, Holding, Resource, ResourceId, ResourceKind, Role, Task, TaskId, Wait, WaitId, WaitMode,
};

use super::{HangEvent, Hangs, MAX_NEW_ALARMS};
use crate::watchdog::late::Late;

const MS: u64 = 1_000_000;
const NEW: Late = Late { polls: false, anything: true, is_new: true };
const OLD: Late = Late { polls: false, anything: true, is_new: false };

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// Returns `count` pairs of tasks that each wait for a lock the other one holds.
fn pairs(count: u64) -> Snapshot {
    pairs_of(count, u64::MAX)
}

/// Returns such pairs with `names` different lock names: pairs with equal names look alike.
fn pairs_of(count: u64, names: u64) -> Snapshot {
    let mut snapshot = Snapshot::default();
    for id in 1..=2 * count {
        let mut task = Task::default();
        (task.id, task.since_ns, task.polls) = (TaskId::new(id), 300 * MS, 1);
        (task.wakers, task.opaque_wakers) = (Some(1), Some(0));
        task.runtime = "tokio".into();
        snapshot.tasks.push(task);
        let (mut lock, mut holding) = (Resource::default(), Holding::default());
        (lock.id, lock.kind, lock.capacity, lock.is_fair) =
            (ResourceId::new(id), ResourceKind::Mutex, Some(1), true);
        lock.name = Some(format!("of {}", (id - 1) / 2 % names).into());
        (holding.role, holding.task, holding.units, holding.attribution) =
            (Role::Holds, Some(TaskId::new(id)), 1, Attribution::Exact);
        lock.holdings.push(holding);
        snapshot.resources.push(lock);
        let mut wait = Wait::default();
        (wait.id, wait.mode, wait.units, wait.wakers) = (WaitId::new(1000 + id), WaitMode::Lock, 1, 1);
        (wait.task, wait.since_ns) = (Some(TaskId::new(id)), 300 * MS);
        wait.resource = Some(ResourceId::new(((id - 1) ^ 1) + 1));
        snapshot.waits.push(wait);
    }
    snapshot
}

fn events(hangs: &mut Hangs, snapshot: &Snapshot) -> Vec<HangEvent> {
    hangs.update(&snapshot.verdicts(), OLD, ms(0), 100 * MS)
}

/// Returns the texts of the new alarms.
fn alarms(hangs: &mut Hangs, snapshot: &Snapshot) -> Vec<String> {
    let alarm = |event| match event {
        HangEvent::Alarm(alarm) => Some(alarm.text),
        HangEvent::Over { .. } => None,
    };
    events(hangs, snapshot).into_iter().filter_map(alarm).collect()
}

#[test]
fn a_hang_is_reported_once_with_its_chain() {
    let (mut hangs, snapshot) = (Hangs::default(), pairs(1));
    let texts = alarms(&mut hangs, &snapshot);
    let [text] = texts.as_slice() else { panic!("one, not {texts:?}") };
    assert!(
        text.starts_with(
            "proven cycle: task 1 `task` is waiting for `Mutex#2 of 0` (300 ms); task 2 `task` has held it "
        ),
        "{text}"
    );
    assert!(text.contains("\n  task 1 task waits for 300 ms\n  resource 2 of 0, on record for "), "{text}");
    assert!(alarms(&mut hangs, &snapshot).is_empty());
    assert_eq!(alarms(&mut hangs, &pairs(2)).len(), 1, "only the other pair");
}

#[test]
fn a_hang_that_is_not_seen_for_a_moment_is_not_reported_again() {
    let (mut hangs, mut snapshot) = (Hangs::default(), pairs(1));
    assert_eq!(alarms(&mut hangs, &snapshot).len(), 1);
    snapshot.tasks[0].is_unstable = true;
    assert!(alarms(&mut hangs, &snapshot).is_empty());
    snapshot.tasks[0].is_unstable = false;
    assert!(alarms(&mut hangs, &snapshot).is_empty());
}

#[test]
fn hangs_that_differ_only_in_numbers_are_one_alarm() {
    let mut hangs = Hangs::default();
    let texts = alarms(&mut hangs, &pairs_of(5, 1));
    let [text] = texts.as_slice() else { panic!("one, not {texts:?}") };
    assert!(text.ends_with("\n  and 4 similar hangs"), "{text}");
    assert!(alarms(&mut hangs, &pairs_of(7, 1)).is_empty(), "others like it came");
}

#[test]
fn the_end_of_a_hang_is_reported_with_its_duration() {
    let mut hangs = Hangs::default();
    let begun = events(&mut hangs, &pairs_of(3, 1));
    let [HangEvent::Alarm(alarm)] = begun.as_slice() else { panic!("one, not {begun:?}") };
    assert!(hangs.has_open());
    assert!(
        events(&mut hangs, &Snapshot::default()).is_empty(),
        "one capture without the hang is not its end"
    );
    let over = events(&mut hangs, &Snapshot::default());
    let words = "over after at least 0.3 s, 3 similar hangs in all".to_owned();
    assert_eq!(over, [HangEvent::Over { alarm: alarm.clone(), words }]);
    assert!(!hangs.has_open());
    assert!(events(&mut hangs, &Snapshot::default()).is_empty());
}

#[test]
fn a_recurring_hang_is_reported_less_and_less_often() {
    let mut hangs = Hangs::default();
    let mut times = Vec::new();
    for time in 1..=9 {
        times.extend((!alarms(&mut hangs, &pairs(1)).is_empty()).then_some(time));
        for _ in 0..2 {
            assert!(alarms(&mut hangs, &Snapshot::default()).is_empty());
        }
    }
    assert_eq!(times, [1, 2, 4, 8]);
}

#[test]
fn the_analysis_is_due_while_an_alarm_is_open_although_nothing_is_late() {
    let mut hangs = Hangs::default();
    assert!(!hangs.is_due(Late::default(), ms(100_000), ms(100)));
    assert_eq!(alarms(&mut hangs, &pairs(1)).len(), 1);
    assert!(hangs.is_due(Late::default(), ms(100), ms(100)));
}

#[test]
fn tasks_that_wait_behind_an_alarm_raise_none_of_their_own() {
    let (mut hangs, snapshot) = (Hangs::default(), pairs(2));
    let mut verdicts = snapshot.verdicts();
    (verdicts[1].root_cause, verdicts[1].behind) = (false, Some(0));
    assert_eq!(hangs.update(&verdicts, OLD, ms(0), 100 * MS).len(), 1);
}

#[test]
fn a_hang_younger_than_the_threshold_is_not_reported_yet() {
    let (mut hangs, mut snapshot) = (Hangs::default(), pairs(1));
    snapshot.waits[1].since_ns = 99 * MS;
    assert!(alarms(&mut hangs, &snapshot).is_empty());
    snapshot.waits[1].since_ns = 100 * MS;
    assert_eq!(alarms(&mut hangs, &snapshot).len(), 1);
}

#[test]
fn a_thousand_hangs_are_counted_but_not_all_reported() {
    let (mut hangs, snapshot) = (Hangs::default(), pairs(1000));
    let texts = alarms(&mut hangs, &snapshot);
    assert_eq!(texts.len(), MAX_NEW_ALARMS + 1);
    assert_eq!(texts[MAX_NEW_ALARMS], "984 more verdicts, which the reports list");
    assert!(alarms(&mut hangs, &snapshot).is_empty());
    let over = [(); 2].map(|()| events(&mut hangs, &Snapshot::default()).len());
    // The end of an alarm that was only counted is not reported.
    assert_eq!(over, [0, MAX_NEW_ALARMS + 1], "the end of each alarm that was reported");
}

#[test]
fn the_analysis_runs_less_and_less_often_while_nothing_is_new() {
    let (mut hangs, snapshot) = (Hangs::default(), Snapshot::default());
    let mut pauses = Vec::new();
    for _ in 0..9 {
        let is_due = |pause: &u64| hangs.is_due(OLD, ms(*pause), ms(100));
        pauses.push((0..1000).map(|count| count * 100).find(is_due).expect("some time"));
        assert!(alarms(&mut hangs, &snapshot).is_empty());
    }
    assert_eq!(pauses, [100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
    assert!(hangs.is_due(NEW, ms(100), ms(100)), "there is something new");
    assert!(!hangs.is_due(NEW, ms(99), ms(100)));
    assert!(!hangs.is_due(Late::default(), ms(100_000), ms(100)), "nothing is late");
}

#[test]
fn the_analysis_takes_at_most_one_percent_of_a_cpu() {
    let mut hangs = Hangs::default();
    assert!(hangs.update(&[], NEW, ms(40), 100 * MS).is_empty());
    assert!(!hangs.is_due(NEW, ms(3999), ms(100)));
    assert!(hangs.is_due(NEW, ms(4000), ms(100)));
}

#[test]
fn the_number_of_a_repeat_is_an_english_ordinal() {
    assert_eq!([2, 4, 8, 32, 512].map(super::ordinal), ["2nd", "4th", "8th", "32nd", "512th"]);
}

#[test]
fn a_recurring_hang_that_stays_is_reported() {
    let (mut hangs, nothing) = (Hangs::default(), Snapshot::default());
    let mut again = pairs(1);
    for is_reported in [true, true, false] {
        assert_eq!(alarms(&mut hangs, &again).len(), usize::from(is_reported));
        if is_reported {
            events(&mut hangs, &nothing);
            events(&mut hangs, &nothing);
        }
    }
    let mut later = |ms: u64| {
        again.waits.iter_mut().for_each(|wait| wait.since_ns = ms * MS);
        again.tasks.iter_mut().for_each(|task| task.since_ns = ms * MS);
        alarms(&mut hangs, &again)
    };
    assert_eq!(later(8 * 300 - 1), [""; 0]);
    let texts = later(8 * 300);
    assert!(texts.len() == 1 && texts[0].starts_with("for the 3rd time: "), "{texts:?}");
    assert_eq!(later(100_000), [""; 0], "it is open");
}

#[test]
fn all_open_alarms_end_with_the_watch() {
    let mut hangs = Hangs::default();
    assert_eq!(alarms(&mut hangs, &pairs(2)).len(), 2);
    assert_eq!(hangs.close().len(), 2);
    assert_eq!(hangs.close().len(), 0);
}
