//! Comparisons: flagged changes, noise, and warnings.

use crate::support::latency::durations;
use crate::support::tree;
use diagnose_reports::model::Snapshot;
use diagnose_reports::{Basis, Change, Diff, DiffOptions, FunctionDiff, Measure, Presence, diff};
use proptest::prelude::*;

/// A run of a program: `work` is called 1,000 times and is busy for `busy_ns` per call.
fn run(pid: u32, busy_ns: u64) -> Snapshot {
    let total = busy_ns * 1_000;
    let mut run = tree(&format!(
        "
handle | busy={} calls=1000 polls=1000 completed=1000 idle=500000 self_idle=500000
  work | busy={total} calls=1000 polls=1000 completed=1000
",
        total + 30_000_000
    ));
    run.process.pid = pid;
    // No two runs see a function at the same moment.
    run.nodes.iter_mut().for_each(|node| node.first_seen_ns = 1_000_000 * u64::from(pid));
    run
}

/// Runs with these busy times of `work`, in µs.
fn runs(first_pid: u32, busy_us: &[u64]) -> Vec<Snapshot> {
    busy_us.iter().zip(first_pid..).map(|(us, pid)| run(pid, us * 1_000)).collect()
}

fn compare(old: &[u64], new: &[u64]) -> Diff {
    diff(&runs(100, old), &runs(200, new), DiffOptions::default())
}

fn function<'a>(diff: &'a Diff, name: &str) -> &'a FunctionDiff {
    diff.functions.iter().find(|function| function.name == name).expect("it is compared")
}

#[test]
fn a_slower_function_is_found_and_comes_first() {
    let old = [100, 101, 99, 102, 98, 100, 99, 101, 100, 101];
    let diff = compare(&old, &old.map(|us| us + 10));
    let work = &diff.functions[0];
    assert_eq!((&work.name[..], work.change, work.basis), ("work", Change::Slower, Basis::Call));
    let busy = &work.measures[0];
    assert_eq!((busy.measure, busy.relative), (Measure::Busy, Some(0.1)));
    let old = busy.old.as_ref().unwrap();
    assert_eq!((old.median, old.mad, old.values.len()), (100_000.0, 1_000.0, 10));
    assert_eq!(function(&diff, "handle").change, Change::Same);
    assert_eq!(diff.slower_than(0.05).count(), 1);
    assert_eq!(diff.slower_than(0.15).count(), 0);
    assert_eq!(diff.warnings, [""; 0]);
}

/// The bounds of buckets are measured anew with each snapshot.
#[test]
fn latencies_of_one_process_are_taken_apart_where_bounds_have_moved() {
    let mut old = run(100, 100_000);
    old.elapsed_ns = 1_000_000_000;
    old.nodes[1].latency.completed = durations(&[50_000_000; 1_000]);
    let mut new = run(100, 100_000);
    new.elapsed_ns = 2_000_000_000;
    new.nodes[1].latency.completed = durations(&[[50_000_000; 1_000], [100_000_000; 1_000]].concat());
    for bucket in &mut new.nodes[1].latency.completed.buckets {
        (bucket.from_ns, bucket.to_ns) = (bucket.from_ns + 5, bucket.to_ns + 5);
    }
    for node in &mut new.nodes {
        (node.calls, node.completed, node.busy_ns) = (2 * node.calls, 2 * node.completed, 2 * node.busy_ns);
    }
    let diff = diff(&[old.clone()], &[old, new], DiffOptions::default());
    let work = function(&diff, "work");
    let median = work.measures.iter().find(|it| it.measure == Measure::P50).expect("a latency");
    let [first, last] = median.new.as_ref().expect("values").values[..] else { panic!("two values") };
    assert!((49e6..52e6).contains(&first) && (98e6..103e6).contains(&last), "{median:?}");
}

#[test]
fn a_rise_from_zero_is_over_every_bound() {
    let diff = compare(&[0; 10], &[50; 10]);
    let work = function(&diff, "work");
    assert_eq!((work.change, work.measures[0].relative), (Change::Slower, None));
    assert_eq!(diff.slower_than(1_000.0).map(|it| &it.name[..]).collect::<Vec<_>>(), ["work"]);
}

#[test]
fn a_faster_function_is_found_and_is_no_failure() {
    let diff = compare(&[120, 121, 119, 120, 120], &[100, 101, 100, 100, 99]);
    assert_eq!(diff.functions[0].change, Change::Faster);
    assert_eq!(diff.slower_than(0.0).count(), 0);
}

#[test]
fn a_change_within_the_noise_is_unsure() {
    let diff = compare(&[80, 120, 95, 130, 100], &[125, 90, 140, 110, 105]);
    assert_eq!(function(&diff, "work").change, Change::Unsure);
    assert_eq!(diff.slower_than(0.0).count(), 0);
    let warning = diff.warnings.iter().find(|warning| warning.starts_with("noise hides"));
    assert!(warning.is_some_and(|warning| warning.contains("`work`")), "{:?}", diff.warnings);
}

#[test]
fn one_outlier_changes_nothing() {
    let diff = compare(&[100, 101, 99, 100, 102, 98], &[100, 101, 500, 100, 99, 98]);
    assert_eq!(function(&diff, "work").change, Change::Same);
}

#[test]
fn the_threshold_bounds_what_is_flagged() {
    let (old, new) = (runs(100, &[100; 5]), runs(200, &[108; 5]));
    let change = |threshold: f64| {
        let diff = diff(&old, &new, DiffOptions::default().threshold(threshold));
        function(&diff, "work").change
    };
    assert_eq!(change(0.05), Change::Slower);
    assert_eq!(change(0.10), Change::Same);
}

#[test]
fn differences_within_a_clock_reading_are_no_change() {
    let tiny = |pid, busy_ns| run(pid, busy_ns);
    let old: Vec<Snapshot> = (1..7).map(|pid| tiny(pid, 60)).collect();
    let new: Vec<Snapshot> = (11..17).map(|pid| tiny(pid, 100)).collect();
    assert_eq!(function(&diff(&old, &new, DiffOptions::default()), "work").change, Change::Same);
}

#[test]
fn with_one_recording_a_side_only_a_large_change_counts() {
    let diff = compare(&[100], &[130]);
    assert_eq!(function(&diff, "work").change, Change::Unsure);
    assert!(diff.warnings[0].starts_with("the old side has 1 recording"), "{:?}", diff.warnings);
    assert_eq!(function(&compare(&[100], &[300]), "work").change, Change::Slower);
    // Nothing says how much a time that was zero once may differ.
    assert_eq!(function(&compare(&[0], &[1]), "work").change, Change::Unsure);
}

#[test]
fn snapshots_of_one_process_are_taken_apart() {
    // One process: 100 µs per call at first, then 200 µs per call, then 300.
    let snapshot = |seconds: u64, calls: u64, busy_us: u64| {
        let mut snapshot = tree(&format!("work | busy={busy_us}000 calls={calls} completed={calls}"));
        snapshot.elapsed_ns = seconds * 1_000_000_000;
        snapshot.nodes[0].first_seen_ns = 12_345_678;
        snapshot
    };
    let cumulative = [snapshot(10, 30, 6_000), snapshot(2, 10, 1_000), snapshot(5, 20, 3_000)];
    let doubled = [cumulative.clone(), cumulative].concat();
    let diff = diff(&doubled, &[], DiffOptions::default());
    assert_eq!((diff.old.snapshots, diff.old.recordings), (6, 3));
    let work = function(&diff, "work");
    assert_eq!(work.presence, Presence::Removed);
    let values = |measure| {
        let measure = work.measures.iter().find(|it| it.measure == measure).unwrap();
        let mut values = measure.old.as_ref().unwrap().values.clone();
        values.sort_by(f64::total_cmp);
        values
    };
    assert_eq!(values(Measure::Busy), [100_000.0, 200_000.0, 300_000.0]);
    assert_eq!(values(Measure::Calls), [2.0, 10.0 / 3.0, 5.0]);
}

#[test]
fn a_snapshot_counts_from_one_of_its_process_on_the_other_side() {
    let snapshot = |seconds: u64, calls: u64, busy_us: u64| {
        let mut snapshot = tree(&format!("work | busy={busy_us}000 calls={calls} completed={calls}"));
        snapshot.elapsed_ns = seconds * 1_000_000_000;
        snapshot.nodes[0].first_seen_ns = 12_345_678;
        snapshot
    };
    // 1 ms a call up to the first snapshot, and 3 ms between the two.
    let (old, new) = ([snapshot(10, 100, 100_000)], [snapshot(20, 200, 400_000)]);
    let busy = |diff: &Diff| {
        let work = function(diff, "work").measures.iter().find(|it| it.measure == Measure::Busy);
        let work = work.expect("it is measured");
        [&work.old, &work.new].map(|side| side.as_ref().expect("it is on both sides").values.clone())
    };
    let compared = diff(&old, &new, DiffOptions::default());
    assert_eq!(busy(&compared), [[1_000_000.0], [3_000_000.0]]);
    assert_eq!((compared.old.elapsed_ns, compared.new.elapsed_ns), (10_000_000_000, 10_000_000_000));
    // A snapshot that is on both sides is no part of itself.
    let equal = diff(&old, &old, DiffOptions::default());
    assert_eq!(busy(&equal), [[1_000_000.0], [1_000_000.0]]);
}

#[test]
fn a_rate_of_few_calls_does_not_change_with_the_length_of_the_recording() {
    let change = |[old, new]: [(u64, u64); 2]| {
        let side = |pid, (seconds, calls): (u64, u64)| {
            let mut snapshot = tree(&format!("work | busy={calls}000000 calls={calls} completed={calls}"));
            snapshot.elapsed_ns = seconds * 1_000_000_000;
            snapshot.process.pid = pid;
            [snapshot]
        };
        function(&diff(&side(1, old), &side(2, new), DiffOptions::default()), "work").change
    };
    assert_eq!(change([(12, 1), (34, 1)]), Change::Same, "`main`");
    assert_eq!(change([(12, 4), (34, 3)]), Change::Same);
    assert_eq!(change([(12, 900), (34, 900)]), Change::FewerCalls);
    assert_eq!(change([(34, 900), (12, 900)]), Change::MoreCalls);
}

#[test]
fn a_function_that_moved_is_the_same_function() {
    let old = runs(100, &[100; 5]);
    let mut new = runs(200, &[150; 5]);
    for snapshot in &mut new {
        snapshot.sites.iter_mut().for_each(|site| site.place.line += 40);
    }
    let diff = diff(&old, &new, DiffOptions::default());
    assert_eq!(diff.functions.len(), 2);
    let work = &diff.functions[0];
    assert_eq!((work.presence, work.change, work.place.line), (Presence::Both, Change::Slower, 42));
}

#[test]
fn functions_of_one_side_are_added_or_removed() {
    let old = [tree("before | busy=9 calls=1 completed=1")];
    let new = [tree("after | busy=9 calls=1 completed=1")];
    let diff = diff(&old, &new, DiffOptions::default());
    assert_eq!(function(&diff, "before").presence, Presence::Removed);
    assert_eq!(function(&diff, "after").presence, Presence::Added);
}

#[test]
fn a_task_that_never_ends_is_measured_per_second() {
    let task = |pid: u32, busy_ms: u64| {
        let mut snapshot = tree(&format!("serve | busy={busy_ms}000000 calls=4 pending=4"));
        snapshot.process.pid = pid;
        snapshot.nodes[0].first_seen_ns = u64::from(pid) * 1_000_000;
        snapshot
    };
    let old: Vec<Snapshot> = (1..7).map(|pid| task(pid, 100)).collect();
    let new: Vec<Snapshot> = (11..17).map(|pid| task(pid, 150)).collect();
    let diff = diff(&old, &new, DiffOptions::default());
    let serve = function(&diff, "serve");
    assert_eq!((serve.basis, serve.change), (Basis::Second, Change::Slower));
    let busy = serve.measures[0].old.as_ref().unwrap();
    assert_eq!((busy.median, busy.mad), (50_000_000.0, 0.0), "100 ms in 2 s");
}

#[test]
fn the_median_latency_is_compared_between_buckets() {
    let run = |pid: u32, ns: u64| {
        let mut snapshot = tree("call | busy=1000 calls=100 completed=100");
        let lengths: Vec<u64> = (0..100).map(|number| ns + number * ns / 1_000).collect();
        snapshot.nodes[0].latency.completed = durations(&lengths);
        snapshot.nodes[0].first_seen_ns = u64::from(pid) * 1_000_000;
        snapshot.process.pid = pid;
        snapshot
    };
    let side =
        |first: u32, ns: u64| -> Vec<Snapshot> { (first..first + 6).map(|pid| run(pid, ns)).collect() };
    let change = |ns| {
        let diff = diff(&side(1, 1_000_000), &side(11, ns), DiffOptions::default());
        let p50 = function(&diff, "call").measures.iter().find(|it| it.measure == Measure::P50).cloned();
        p50.expect("100 calls have a median")
    };
    assert_eq!(change(1_000_000).change, Change::Same);
    assert_eq!(change(1_020_000).change, Change::Same);
    let slower = change(1_120_000);
    assert_eq!(slower.change, Change::Slower);
    assert!((slower.relative.unwrap() - 0.12).abs() < 0.04, "{slower:?}");
}

#[test]
fn a_quantile_that_few_recordings_have_is_left_out() {
    let side = |first: u32, calls: [u64; 3]| -> Vec<Snapshot> {
        let run = |(pid, calls): (u32, u64)| {
            let mut snapshot = tree(&format!("call | busy=1000000 calls={calls} completed={calls}"));
            snapshot.nodes[0].latency.completed =
                durations(&vec![1_000_000; usize::try_from(calls).unwrap()]);
            snapshot.nodes[0].first_seen_ns = u64::from(pid) * 1_000_000;
            snapshot.process.pid = pid;
            snapshot
        };
        (first..).zip(calls).map(run).collect()
    };
    let has_p99 = |calls| {
        let diff = diff(&side(1, calls), &side(11, calls), DiffOptions::default());
        function(&diff, "call").measures.iter().any(|measure| measure.measure == Measure::P99)
    };
    assert!(has_p99([1_000, 1_000, 999]));
    assert!(!has_p99([1_000, 999, 999]));
}

#[test]
fn doubtful_sides_cause_warnings() {
    let warnings = |old: &[Snapshot], new: &[Snapshot]| diff(old, new, DiffOptions::default()).warnings;
    assert_eq!(warnings(&[], &[])[0], "the old side has recorded nothing");
    let (old, mut new) = (runs(100, &[100; 5]), runs(200, &[100; 5]));
    assert_eq!(warnings(&old, &new), [""; 0]);
    for snapshot in &mut new {
        snapshot.elapsed_ns = 300_000_000;
        snapshot.process.name = "other\n".into();
        snapshot.dropped.over_nodes = 1;
    }
    assert_eq!(
        warnings(&old, &new),
        [
            "a recording of the new side is only 300 ms long; record 2 s or more",
            "5 recordings of the new side dropped calls, so some functions are incomplete",
            "the sides are of different programs, `server` and `other`",
            "the recordings of one side are more than twice as long as those of the other",
        ]
    );
    assert!(warnings(&old[..2], &old[..2])[0].contains("only 2 recordings"));
}

#[test]
fn sides_that_were_not_recorded_in_turns_are_warned_of() {
    let captured = |first: u32, step: u64| {
        let mut side = runs(first, &[100; 5]);
        for (number, snapshot) in (0..).zip(&mut side) {
            snapshot.captured_unix_ms = u64::from(first) + number * step;
        }
        side
    };
    let warnings = |old: &[Snapshot], new: &[Snapshot]| diff(old, new, DiffOptions::default()).warnings;
    // old 100 300 500 700 900, new 200 400 600 800 1000
    assert_eq!(warnings(&captured(100, 200), &captured(200, 200)), [""; 0]);
    // old 100 … 140, new 200 … 240
    let expected = "one side was recorded after the other, so a change of the machine counts as one of the program; \
        record the sides in turns";
    assert_eq!(warnings(&captured(100, 10), &captured(200, 10)), [expected]);
    assert_eq!(warnings(&captured(200, 10), &captured(100, 10)), [expected]);
}

#[test]
fn a_function_that_few_recordings_of_a_side_have_is_called_at_a_lower_rate() {
    let side = |first_pid: u32, with: usize| -> Vec<Snapshot> {
        let mut runs = runs(first_pid, &[100; 10]);
        for run in &mut runs[with..] {
            // It is reached, and not called.
            run.nodes[1].busy_ns = 0;
            (run.nodes[1].calls, run.nodes[1].polls, run.nodes[1].completed) = (0, 0, 0);
        }
        runs
    };
    let calls = |old: usize, new: usize| {
        let diff = diff(&side(100, old), &side(200, new), DiffOptions::default());
        let work = function(&diff, "work");
        let calls = work.measures.iter().find(|it| it.measure == Measure::Calls).expect("it is compared");
        (work.change, calls.old.as_ref().map(|it| it.median), calls.new.as_ref().map(|it| it.median))
    };
    assert_eq!(calls(1, 10), (Change::MoreCalls, Some(0.0), Some(500.0)));
    assert_eq!(calls(10, 1), (Change::FewerCalls, Some(500.0), Some(0.0)));
    assert_eq!(calls(10, 10).0, Change::Same);
}

proptest! {
    #[test]
    fn any_numbers_are_compared_without_a_panic(
        old in prop::collection::vec((any::<u64>(), any::<u64>(), any::<u64>(), any::<u64>()), 0..4),
        new in prop::collection::vec((any::<u64>(), any::<u64>(), any::<u64>(), any::<u64>()), 0..4),
        threshold in any::<f64>(),
    ) {
        let side = |numbers: Vec<(u64, u64, u64, u64)>| -> Vec<Snapshot> {
            let snapshot = |(calls, busy, idle, elapsed)| {
                let mut snapshot = tree("work |");
                let node = &mut snapshot.nodes[0];
                (node.calls, node.completed, node.busy_ns, node.self_idle_ns) = (calls, calls, busy, idle);
                snapshot.elapsed_ns = elapsed;
                snapshot
            };
            numbers.into_iter().map(snapshot).collect()
        };
        let options = DiffOptions::default().threshold(threshold);
        let diff = diff(&side(old), &side(new), options);
        prop_assert!(serde_json::to_string(&diff).is_ok());
    }
}
