//! The difference of two snapshots of one process.

use std::collections::BTreeMap;

use diagnose_reports::Snapshot;
use diagnose_reports::model::{Alarm, Bucket};
use proptest::prelude::*;

use crate::support::{empty, node, site, tree};

/// Per path of function numbers: calls and busy ns.
type Work = BTreeMap<Vec<u8>, (u64, u64)>;

/// A snapshot of this work. Sites are numbered in the order of the paths, so they differ between
/// snapshots.
fn snapshot(work: &Work) -> Snapshot {
    let mut snapshot = empty();
    let mut all = work.clone();
    for path in work.keys() {
        for length in 1..path.len() {
            all.entry(path[..length].to_vec()).or_default();
        }
    }
    let mut numbers = BTreeMap::new();
    for (path, (calls, busy_ns)) in &all {
        let Some((function, parent)) = path.split_last() else { continue };
        let name = format!("f{function}");
        let known = snapshot.sites.iter().position(|site| site.name == name);
        let at = known.unwrap_or_else(|| {
            snapshot.sites.push(site(&name, "server", "src/main.rs", u32::from(*function) + 1, 1));
            snapshot.sites.len() - 1
        });
        let mut node = node(at, numbers.get(parent).copied());
        (node.calls, node.completed, node.polls, node.busy_ns) = (*calls, *calls, *calls, *busy_ns);
        node.polls_histogram = buckets(*calls, 1_024);
        node.longest_poll_ns = if *calls == 0 { 0 } else { 1_500 };
        numbers.insert(path.clone(), snapshot.nodes.len());
        snapshot.nodes.push(node);
    }
    snapshot
}

fn buckets(count: u64, from_ns: u64) -> Vec<Bucket> {
    let mut bucket = Bucket::default();
    (bucket.from_ns, bucket.to_ns, bucket.count) = (from_ns, from_ns * 2, count);
    if count == 0 { Vec::new() } else { vec![bucket] }
}

/// The work of a snapshot, without paths that have neither calls nor busy time.
fn work(snapshot: &Snapshot) -> Work {
    let mut paths: Vec<Vec<u8>> = Vec::new();
    let mut work = Work::new();
    for node in &snapshot.nodes {
        let function = snapshot.sites[node.site].name[1..].parse().expect("a number");
        let mut path = node.parent.map(|parent| paths[parent.get()].clone()).unwrap_or_default();
        path.push(function);
        assert_eq!((node.completed, node.polls, node.unsettled), (node.calls, node.calls, 0));
        let counted: u64 = node.polls_histogram.iter().map(|bucket| bucket.count).sum();
        assert_eq!(counted, node.calls, "one poll per call");
        assert_eq!(node.longest_poll_ns == 0, node.calls == 0);
        if (node.calls, node.busy_ns) != (0, 0) {
            work.insert(path.clone(), (node.calls, node.busy_ns));
        }
        paths.push(path);
    }
    work
}

fn any_work() -> impl Strategy<Value = Work> {
    let path = proptest::collection::vec(0_u8..4, 1..5);
    proptest::collection::btree_map(path, (1_u64..1_000, 0_u64..1_000_000), 0..20)
}

proptest! {
    #[test]
    fn the_difference_is_the_work_in_between(before in any_work(), between in any_work()) {
        let mut after = before.clone();
        for (path, (calls, busy_ns)) in &between {
            let sum = after.entry(path.clone()).or_default();
            *sum = (sum.0 + calls, sum.1 + busy_ns);
        }
        let (earlier, later) = (snapshot(&before), snapshot(&after));
        prop_assert_eq!(work(&later.since(&earlier)), between);
        prop_assert_eq!(work(&later.since(&later)), Work::new());
        prop_assert_eq!(work(&later.since(&snapshot(&Work::new()))), after);
    }
}

#[test]
fn labels_and_positions_tell_paths_apart() {
    let earlier = tree("a | calls=1 label=x\na | calls=2 label=y\nb | calls=3");
    let later =
        tree("a | calls=5 label=w\na | calls=1 label=x\na | calls=4 label=y\nb | calls=3\n  a | calls=7");
    let between = later.since(&earlier);
    let calls: Vec<u64> = between.nodes.iter().map(|node| node.calls).collect();
    assert_eq!(calls, [5, 0, 2, 0, 7]);
}

#[test]
fn the_sums_of_a_replaced_label_are_subtracted_from_other() {
    let path = |label: &str, calls: u64| {
        let mut node = node(0, None);
        (node.label, node.calls, node.completed) = (Some(label.into()), calls, calls);
        node
    };
    let mut earlier = empty();
    earlier.sites.push(site("handle", "server", "src/main.rs", 1, 1));
    let mut later = earlier.clone();
    earlier.nodes = vec![path("user=1", 5), path("user=2", 30), path("[other]", 100)];
    later.nodes = vec![path("user=1", 7), path("user=3", 40), path("[other]", 131)];
    let calls: Vec<u64> = later.since(&earlier).nodes.iter().map(|node| node.calls).collect();
    assert_eq!(calls, [2, 40, 1]);

    // It lost its place, and has one again.
    earlier.nodes = vec![path("user=1", 1_000), path("[other]", 100)];
    later.nodes = vec![path("user=1", 50), path("[other]", 1_103)];
    let calls: Vec<u64> = later.since(&earlier).nodes.iter().map(|node| node.calls).collect();
    assert_eq!(calls, [50, 3]);
}

#[test]
fn another_process_or_a_reset_leaves_the_later_snapshot_as_it_is() {
    let (mut earlier, later) = (tree("a | calls=5"), tree("a | calls=7"));
    earlier.process.pid += 1;
    assert_eq!(later.since(&earlier), later);
    earlier.process.pid -= 1;
    earlier.elapsed_ns += 1;
    assert_eq!(later.since(&earlier), later);
}

/// A recording of one second that was captured at this time.
fn second_until(unix_ms: u64, calls: u64) -> Snapshot {
    let mut snapshot = tree(&format!("a | calls={calls}"));
    (snapshot.captured_unix_ms, snapshot.elapsed_ns) = (unix_ms, 1_000_000_000);
    snapshot
}

#[test]
fn a_reset_is_noticed_although_the_later_recording_is_longer() {
    let mut later = second_until(1_795_000_010_000, 7);
    later.elapsed_ns *= 8;
    let earlier = second_until(1_795_000_000_000, 5);
    assert!(later.began_after(&earlier), "eight seconds are recorded of ten");
    assert_eq!(later.since(&earlier), later);
    // A clock that goes slower than the other, or is set a little.
    later.elapsed_ns = 9_990_000_000;
    assert!(!later.began_after(&earlier));
    assert_eq!(later.since(&earlier).nodes[0].calls, 2);
    let unknown = second_until(0, 5);
    assert!(!later.began_after(&unknown), "it does not say when it was captured");
    assert!(!earlier.began_after(&later), "it is the earlier one");
}

#[test]
fn calls_that_were_open_are_unsettled_and_counters_never_go_below_zero() {
    let earlier = tree("a | calls=3 completed=1 pending=2 busy=100");
    let later = tree("a | calls=3 completed=3 busy=90");
    let between = later.since(&earlier);
    let node = &between.nodes[0];
    assert_eq!((node.calls, node.completed, node.unsettled, node.busy_ns), (0, 2, -2, 0));
}

#[test]
fn buckets_match_although_the_scale_of_the_clock_moved() {
    let (mut earlier, mut later) = (tree("a | polls=2"), tree("a | polls=5"));
    earlier.nodes[0].polls_histogram = buckets(2, 65_536);
    later.nodes[0].polls_histogram = buckets(5, 65_530);
    (earlier.nodes[0].longest_poll_ns, later.nodes[0].longest_poll_ns) = (100_000, 100_000);
    let between = later.since(&earlier);
    assert_eq!(between.nodes[0].polls_histogram, buckets(3, 65_530));
    assert_eq!(between.nodes[0].longest_poll_ns, 100_000, "an upper bound");
}

#[test]
fn alarms_are_those_that_are_new() {
    let (mut earlier, mut later) = (empty(), empty());
    let alarm = |text: &str| Alarm::from(text.to_owned());
    earlier.alarms.push(alarm("old"));
    later.alarms.extend([alarm("old"), alarm("new")]);
    assert_eq!(later.since(&earlier).alarms, [alarm("new")]);
}

#[test]
fn an_alarm_that_was_resolved_in_between_is_not_new() {
    let (mut earlier, mut later) = (empty(), empty());
    let mut alarm = Alarm::from("a poll does not return".to_owned());
    alarm.at_unix_ms = 1_763_900_000_123;
    earlier.alarms.push(alarm.clone());
    alarm.resolved_at_unix_ms = Some(1_763_900_001_000);
    later.alarms.push(alarm.clone());
    // Another alarm with the same text.
    alarm.at_unix_ms = 1_763_900_002_000;
    later.alarms.push(alarm.clone());
    assert_eq!(later.since(&earlier).alarms, [alarm]);
}

#[test]
fn a_running_poll_is_at_most_as_long_as_the_time_in_between() {
    let since = |busy: [u64; 2], longest: [u64; 2], buckets: Vec<Bucket>| {
        let [mut earlier, mut later] = [1_000_000_000, 2_000_000_000].map(|elapsed_ns| {
            let mut snapshot = tree("handle | calls=1 polls=1 running=1");
            snapshot.elapsed_ns = elapsed_ns;
            snapshot
        });
        (earlier.nodes[0].busy_ns, later.nodes[0].busy_ns) = (busy[0], busy[1]);
        (earlier.nodes[0].longest_poll_ns, later.nodes[0].longest_poll_ns) = (longest[0], longest[1]);
        later.nodes[0].polls += buckets.iter().map(|bucket| bucket.count).sum::<u64>();
        later.nodes[0].polls_histogram = buckets;
        later.since(&earlier).nodes[0].longest_poll_ns
    };
    // It ran in both captures.
    assert_eq!(since([5_000, 15_000], [5_000, 15_000], Vec::new()), 15_000);
    // An older one was longer.
    assert_eq!(since([90_000, 91_000], [90_000, 90_000], Vec::new()), 1_000);
    // Shorter ones have ended in between, which took at least 2 × 64 ns.
    assert_eq!(since([90_000, 95_200], [90_000, 90_000], buckets(2, 64)), 5_072);
    // Under load, nearly all of the time is that of polls that have ended.
    assert_eq!(since([90_000, 90_000 + 64 * 1_000 + 5], [90_000, 90_000], buckets(1_000, 64)), 127);
}
