//! Locks that are gone: their findings and their row in the text report.

use diagnose_reports::model::PastResources;
use diagnose_reports::{Format, Snapshot, write};

use crate::findings_locks::{returned_guard, sentences};

/// Moves the locks to those that are gone, one of each place.
fn end_all_locks(snapshot: &mut Snapshot) {
    for lock in std::mem::take(&mut snapshot.resources) {
        let mut past = PastResources::default();
        (past.kind, past.count, past.capacity) = (lock.kind, 1, Some(1));
        past.created.clone_from(&lock.created);
        past.usage = lock.usage.clone();
        past.most_waited_ns = past.usage.waiters.iter().map(|row| row.total_ns).sum();
        snapshot.past_resources.push(past);
    }
}

#[test]
fn a_lock_that_is_gone_has_the_finding_that_it_had() {
    let mut snapshot = returned_guard();
    let before = sentences(&snapshot);
    end_all_locks(&mut snapshot);
    assert_eq!(sentences(&snapshot), before);
    assert_eq!(snapshot.findings()[0].evidence.resources, []);
}

#[test]
fn locks_of_one_place_are_one_whether_they_exist_or_are_gone() {
    let mut snapshot = returned_guard();
    let lock = snapshot.resources[0].clone();
    end_all_locks(&mut snapshot);
    snapshot.past_resources[0].count = 2;
    snapshot.past_resources[0].most_waited_ns /= 2;
    snapshot.resources.push(lock);
    let [finding] = &sentences(&snapshot)[..] else { panic!("one finding") };
    assert!(finding.contains("each Mutex created at src/main.rs:500 (3 of them)"), "{finding}");
    // Nearly all waits were for one of the two.
    snapshot.past_resources[0].most_waited_ns *= 2;
    for row in &mut snapshot.resources[0].usage.waiters {
        (row.total_ns, row.count) = (1, 1);
    }
    let [finding] = &sentences(&snapshot)[..] else { panic!("one finding") };
    assert!(finding.contains("one Mutex of those created at src/main.rs:500"), "{finding}");
}

#[test]
fn the_table_of_resources_counts_those_that_are_gone_with_the_others() {
    let rows = |snapshot: &Snapshot| -> Vec<String> {
        let mut page = Vec::new();
        write(snapshot, Format::Text.into(), &mut page).unwrap();
        let page = String::from_utf8(page).unwrap();
        let table = page.split("\nRESOURCES").nth(1).unwrap().split("\n\n").next().unwrap();
        table.lines().skip(2).map(|row| row.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    };
    let mut snapshot = returned_guard();
    let usage = &mut snapshot.resources[0].usage;
    (usage.contended, usage.waited) = (75, 75);
    let lock = snapshot.resources[0].clone();
    end_all_locks(&mut snapshot);
    snapshot.past_resources[0].count = 2;
    assert_eq!(rows(&snapshot), ["2 0 - 100 75.0 % 4.00 s - - - Mutex, src/main.rs:500"]);
    snapshot.resources.push(lock);
    assert_eq!(rows(&snapshot), ["3 0 - 200 75.0 % 8.00 s - - - Mutex, src/main.rs:500"]);
}

#[test]
fn locks_that_are_gone_are_saved_and_read_back() {
    let mut snapshot = returned_guard();
    end_all_locks(&mut snapshot);
    let mut saved = Vec::new();
    write(&snapshot, Format::Json.into(), &mut saved).unwrap();
    assert_eq!(Snapshot::read_json(&saved[..]).unwrap(), snapshot);
}

#[test]
fn waits_for_a_resource_that_was_never_acquired_are_shown_as_given_up() {
    let mut snapshot = crate::support::empty();
    let mut pool = diagnose_reports::model::Resource::default();
    pool.id = diagnose_reports::model::ResourceId::new(1);
    pool.kind = diagnose_reports::model::ResourceKind::Semaphore;
    pool.capacity = Some(0);
    pool.usage.contended = 5_001;
    snapshot.resources.push(pool);
    // The last of them still lasts.
    let mut wait = diagnose_reports::model::Wait::default();
    wait.resource = Some(diagnose_reports::model::ResourceId::new(1));
    wait.mode = diagnose_reports::model::WaitMode::Acquire;
    snapshot.waits.push(wait);
    let waiters = snapshot.waiters();
    assert!(waiters.contains("acquired 0 times, none after a wait; 5,000 waits given up"), "{waiters}");
}
