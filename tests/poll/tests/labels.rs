//! Labels separate instances, up to a bound.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::{Duration, Instant};

use diagnose::model::{Node, SiteKind};
use diagnose::{Snapshot, diagnose};
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::{Busy, Wait};
use diagnose_poll_tests::{Task, steps, tree};

#[diagnose(label = "user={user}")]
async fn request(user: u32) {
    steps([Busy(1)]).await;
    let _ = user;
}

#[test]
fn labels_past_the_bound_are_counted_in_other() {
    isolated!();
    for user in [7, 8, 7] {
        Task::new(request(user)).run(0);
    }
    assert_eq!(
        tree(),
        "\
request{user=7}  busy 2  self 2  idle 0  own 0  calls 2  polls 2  completed 2
request{user=8}  busy 1  self 1  idle 0  own 0  calls 1  polls 1  completed 1
"
    );
    diagnose::reset();
    for user in 0..2_000 {
        Task::new(request(user)).run(0);
    }
    let snapshot = diagnose::snapshot().without(&[SiteKind::Await]);
    let calls = |snapshot: &Snapshot, label: &str| {
        let node = snapshot.nodes.iter().find(|node| node.label.as_deref() == Some(label));
        node.map(|node| node.calls)
    };
    assert_eq!(calls(&snapshot, "[other]"), Some(2_000 - 768));
    assert_eq!(snapshot.dropped.over_labels, 2_000 - 768);
    assert_eq!(snapshot.nodes.iter().map(|node| node.calls).sum::<u64>(), 2_000);

    // A label that appears late but often is separate too.
    for _ in 0..100 {
        Task::new(request(5_000)).run(0);
    }
    let snapshot = diagnose::snapshot().without(&[SiteKind::Await]);
    assert!(calls(&snapshot, "user=5000") >= Some(100 - 32), "{:?}", calls(&snapshot, "user=5000"));
    assert_eq!(snapshot.nodes.iter().map(|node| node.calls).sum::<u64>(), 2_100);
    for user in 10_000..60_000 {
        Task::new(request(user)).run(0);
    }
    let snapshot = diagnose::snapshot().without(&[SiteKind::Await]);
    let n_labels = snapshot.nodes.iter().filter_map(|node| node.label.as_ref()).count();
    assert!(n_labels <= 1_024 + 1, "{n_labels}");
    assert_eq!(snapshot.nodes.iter().map(|node| node.calls).sum::<u64>(), 52_100);
}

#[test]
fn a_label_that_is_rare_by_now_gives_its_place_to_a_frequent_one() {
    isolated!();
    let request = |user: u32| Task::new(request(user)).run(0);
    // Users take all places, some of them only after a while. The first 500 stay.
    (0..768).flat_map(|user| [user; 16]).for_each(request);
    (768..1_024).flat_map(|user| [user; 40]).for_each(request);
    let before = calls_by_label();
    assert_eq!((before.len(), before["user=600"]), (1_024 + 1, 16));
    for _ in 0..100 {
        (0..500).chain(2_000..2_400).for_each(request);
    }
    // The new ones have labels by now, in the places of users that are gone.
    let after = calls_by_label();
    let with_label = |users: Range<u32>| users.filter(|user| after.contains_key(&format!("user={user}")));
    assert_eq!(with_label(2_000..2_400).count(), 400);
    assert_eq!(with_label(500..1_024).count(), 124);
    assert!((0..500).all(|user| after[&format!("user={user}")] == 116));
    // The sums of the others are kept.
    assert!(after["[other]"] >= before["[other]"] + 268 * 16 + 132 * 40);
    assert_eq!(after.values().sum::<u64>(), 768 * 16 + 256 * 40 + 100 * 900);

    // A reset subtracts the sums from the paths that have them by then.
    diagnose::reset();
    assert_eq!(calls_by_label().values().sum::<u64>(), 0);
    [2_000, 1].into_iter().for_each(request);
    let last: Vec<_> = calls_by_label().into_iter().filter(|(_, calls)| *calls > 0).collect();
    assert_eq!(last, [("user=1".to_owned(), 1), ("user=2000".to_owned(), 1)]);
}

#[diagnose(label = "user={user}")]
async fn deep_request(user: u32) {
    deep(11).await;
    let _ = user;
}

#[diagnose]
async fn deep(levels: u32) {
    if levels > 0 {
        Box::pin(deep(levels - 1)).await;
    }
}

#[test]
fn labels_that_change_leave_room_for_functions_in_a_tree() {
    isolated!();
    let request = |user: u32| Task::new(deep_request(user)).run(0);
    (0..768).for_each(request);
    (768..1_024).flat_map(|user| [user; 40]).for_each(request);
    let nodes = || diagnose::snapshot().threads.iter().map(|thread| thread.nodes).sum::<u64>();
    let before = nodes();
    assert!((12_288..16_000).contains(&before), "{before}");
    (2_000..2_400).flat_map(|user| [user; 100]).for_each(request);
    Task::new(deep(3)).run(0);
    // Replacements of labels add only the path `[other]`; a new path of functions has its nodes.
    assert!(nodes() - before < 40, "{before} {}", nodes());
    let snapshot = diagnose::snapshot();
    let calls = |label: Option<&str>| {
        let roots = snapshot.nodes.iter().filter(|node| node.parent.is_none());
        roots.filter(|node| node.label.as_deref() == label).map(|node| node.calls).sum::<u64>()
    };
    assert_eq!((calls(None), calls(Some("user=2300"))), (1, 0));
    assert!(calls(Some("[other]")) >= 400 * 100);
    assert!(snapshot.dropped.over_nodes > 0);
}

/// The calls of `request` by label, which has one path at most.
fn calls_by_label() -> BTreeMap<String, u64> {
    let snapshot = diagnose::snapshot().without(&[SiteKind::Await]);
    let mut calls = BTreeMap::new();
    let is_request = |node: &&Node| snapshot.sites[node.site].name == "request";
    for node in snapshot.nodes.iter().filter(is_request) {
        let label = node.label.as_ref().map_or("none", |label| label.as_str()).to_owned();
        assert_eq!(calls.insert(label, node.calls), None, "{snapshot:?}");
    }
    calls
}

fn users(phase: u32) -> Range<u32> {
    10_000 * phase..10_000 * phase + 300
}

/// The calls of a user.
const ROUNDS: u64 = 64;
/// The calls of a phase.
const CALLS: u64 = 300 * ROUNDS;

/// Each phase has 300 users of its own, who call often.
fn run_phase(phase: u32) {
    (0..ROUNDS).flat_map(|_| users(phase)).for_each(|user| Task::new(request(user)).run(0));
}

fn count_labeled(users: impl Iterator<Item = u32>, calls: &BTreeMap<String, u64>) -> usize {
    users.filter(|user| calls.contains_key(&format!("user={user}"))).count()
}

#[test]
fn numbers_of_replaced_labels_are_reused_so_later_users_have_labels_too() {
    isolated!();
    let nodes = || diagnose::snapshot().threads.iter().map(|thread| thread.nodes).sum::<u64>();
    let mut nodes_before = 0;
    // The numbers are enough for 14 phases.
    for phase in 1..20 {
        run_phase(phase);
        let calls = calls_by_label();
        // Users of the phases before have called often, too.
        let least = if phase < 6 { 0 } else { 250 };
        assert!(count_labeled(users(phase), &calls) >= least, "{phase}: {calls:?}");
        // No call of an earlier user is in the sums of a later one.
        let own = |user: u32| calls.get(&format!("user={user}")).copied().unwrap_or(0);
        assert!(users(phase).all(|user| own(user) <= ROUNDS), "{phase}: {calls:?}");
        assert_eq!(calls.values().sum::<u64>(), CALLS * u64::from(phase), "{phase}: {calls:?}");
        assert!(calls.len() <= 1_024 + 1);
        if phase == 14 {
            nodes_before = nodes();
        }
    }
    assert!(nodes() <= nodes_before + 700, "{nodes_before} {}", nodes());
}

#[test]
fn a_program_that_takes_no_snapshot_reuses_numbers_too() {
    isolated!();
    diagnose::install();
    // The numbers run out after 14 phases. A thread of the recorder frees them then, later if the
    // machine is busy.
    let (begin, mut phase) = (Instant::now(), 1);
    while phase < 25 || begin.elapsed() < Duration::from_secs(1) {
        run_phase(phase);
        phase += 1;
    }
    let calls = calls_by_label();
    assert!(count_labeled((16..phase).flat_map(users), &calls) >= 256, "{:?}", calls.keys());
    assert_eq!(calls.values().sum::<u64>(), CALLS * u64::from(phase - 1));
}

#[diagnose(label = "user={user}")]
async fn long_request(user: u32) {
    steps([Busy(1), Wait, Busy(1)]).await;
    let _ = user;
}

#[test]
fn a_label_with_a_living_call_keeps_its_number() {
    isolated!();
    // A user whose number others will have, too.
    (1..9).for_each(run_phase);
    let mut living = Task::new(long_request(80_000));
    assert!(living.poll().is_pending());
    assert!(tree().contains("long_request{user=80000}"), "{}", tree());
    for phase in 9..22 {
        run_phase(phase);
        drop(diagnose::snapshot());
    }
    let snapshot = diagnose::snapshot();
    let [task] = &snapshot.tasks[..] else { panic!("{:?}", snapshot.tasks) };
    assert_eq!(task.label.as_deref(), Some("user=80000"));
    // Its calls count in `[other]`: its place was taken.
    assert!(snapshot.nodes.iter().all(|node| node.label.as_deref() != Some("user=80000")));
    let other = |snapshot: &Snapshot| {
        let of_long = |node: &&Node| snapshot.sites[node.site].name == "long_request";
        snapshot
            .nodes
            .iter()
            .filter(of_long)
            .map(|node| (node.label.clone(), node.calls, node.pending))
            .collect::<Vec<_>>()
    };
    assert_eq!(other(&snapshot), [(Some("[other]".to_owned()), 1, 1)]);
    // Once it is over, others may have the number, and its call stays where it was.
    assert!(living.poll().is_ready());
    for phase in 22..26 {
        run_phase(phase);
        drop(diagnose::snapshot());
    }
    assert_eq!(other(&diagnose::snapshot()), [(Some("[other]".to_owned()), 1, 0)]);
}

#[test]
fn a_reset_between_two_texts_of_a_number_subtracts_each_where_it_is() {
    isolated!();
    for phase in 1..6 {
        run_phase(phase);
        drop(diagnose::snapshot());
    }
    diagnose::reset();
    assert_eq!(calls_by_label().values().sum::<u64>(), 0);
    for phase in 6..20 {
        run_phase(phase);
        let calls = calls_by_label();
        assert_eq!(calls.values().sum::<u64>(), CALLS * u64::from(phase - 5));
        assert!(calls.iter().all(|(label, &calls)| calls <= ROUNDS || label == "[other]"), "{calls:?}");
    }
}

#[diagnose(label = "peer={peer}")]
async fn connection(peer: u32) {
    steps([Busy(1), Wait, Busy(1)]).await;
    let _ = peer;
}

#[test]
fn a_task_shows_the_label_of_its_root_however_many_there_are() {
    isolated!();
    let labels = || {
        let snapshot = diagnose::snapshot();
        let labels = snapshot.tasks.iter().map(|task| task.label.as_deref().unwrap_or("none").to_owned());
        let in_trees = snapshot.nodes.iter().filter(|node| node.label.is_some()).count();
        (labels.collect::<Vec<_>>(), in_trees)
    };
    // All are made before the first is polled.
    let mut living: Vec<_> = (0..5_000).map(|peer| Task::new(connection(peer))).collect();
    for task in &mut living {
        assert!(task.poll().is_pending());
    }
    let peers: Vec<String> = (0..5_000).map(|peer| format!("peer={peer}")).collect();
    assert_eq!(labels(), (peers, 768 + 1));
    // Futures that nobody polls give back what was kept for them.
    (0..200_000).for_each(|peer| drop(connection(peer)));
    living.drain(..4_999).for_each(|task| task.run(0));
    let mut late = Task::new(connection(9_999_999));
    assert!(late.poll().is_pending());
    assert_eq!(labels(), (vec!["peer=4999".to_owned(), "peer=9999999".to_owned()], 768 + 1));
    assert!(diagnose::tree().contains("peer=9999999"), "{}", diagnose::tree());
}

#[diagnose(label = "user={user}")]
async fn lost_request(user: u32) {
    steps([Busy(1), Wait, Busy(1), Wait, Busy(1)]).await;
    let _ = user;
}

#[test]
fn a_call_that_is_lost_while_recording_is_off_is_counted_once() {
    isolated!();
    // A user whose number others will have, too.
    (1..9).for_each(run_phase);
    let mut living = Task::new(lost_request(80_000));
    assert!(living.poll().is_pending());
    assert!(tree().contains("lost_request{user=80000}"), "{}", tree());
    diagnose::set_enabled(false);
    assert!(living.poll().is_pending());
    diagnose::set_enabled(true);
    let calls = || {
        let snapshot = diagnose::snapshot();
        let of_lost = |node: &&Node| snapshot.sites[node.site].name == "lost_request";
        snapshot.nodes.iter().filter(of_lost).map(|node| node.calls).collect::<Vec<_>>()
    };
    for phase in 9..22 {
        run_phase(phase);
        assert_eq!(calls(), [1], "{phase}");
    }
    assert!(living.poll().is_ready());
    for phase in 22..26 {
        run_phase(phase);
        assert_eq!(calls(), [1], "{phase}");
    }
}
