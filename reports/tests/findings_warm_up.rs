//! The rule `hog` for code that runs at the start, until a cache is filled.

use crate::findings_polls::{on_one_worker, rules};
use diagnose_reports::Snapshot;

const SECOND: u64 = 1_000_000_000;

/// Forty templates are compiled in the first 3 s, 40 ms each, for pages that are asked for all the
/// time. 10 s are recorded.
fn pages(last_compiled_ms: u64) -> Snapshot {
    let drawing = "page | calls=8000 completed=8000 polls=16000 busy=2_000_000_000 queued=1_000_000_000 idle=9_000_000_000\n  \
                   compile | calls=40 completed=40 polls=80 busy=1_600_000_000 polls@33554432..67108864=40";
    let mut snapshot = on_one_worker(drawing, 2 * SECOND);
    (snapshot.nodes[0].last_seen_ns, snapshot.nodes[1].last_seen_ns) =
        (99 * SECOND / 10, last_compiled_ms * 1_000_000);
    snapshot
}

#[test]
fn a_cache_that_was_filled_at_the_start_is_healthy() {
    assert_eq!(rules(&pages(3_000)), [""; 0], "6.9 s went on without it");
    assert_eq!(rules(&pages(5_000)), ["hog"], "4.9 s");
    assert_eq!(rules(&pages(9_000)), ["hog"], "it goes on");
}

#[test]
fn a_hog_that_ran_when_its_callers_did_is_found() {
    let changed = |change: fn(&mut Snapshot)| {
        let mut snapshot = pages(3_000);
        change(&mut snapshot);
        rules(&snapshot)
    };
    assert_eq!(changed(|it| it.nodes[0].last_seen_ns = 3 * SECOND), ["hog"], "the load ended");
    assert_eq!(changed(|it| it.nodes[0].first_seen_ns = 2 * SECOND), [""; 0], "the load began late");
    assert_eq!(changed(|it| it.nodes[1].calls = 801), ["hog"], "one call in ten");
    assert_eq!(changed(|it| it.nodes[1].parent = None), ["hog"], "no caller is known");
}

/// A task that was spawned at the start compiles them, from 100 ms on, and ends.
#[test]
fn a_task_that_ran_once_and_is_over_for_longer_than_it_ran_is_healthy() {
    let found = |ended_ms: u64, change: fn(&mut Snapshot)| {
        let mut snapshot = on_one_worker(
            "warm_up | calls=1 completed=1 polls=80 busy=1_600_000_000\n  \
             compile | calls=40 completed=40 polls=80 busy=1_600_000_000 polls@33554432..67108864=40\n\
             page | calls=8000 completed=8000 polls=16000 busy=2_000_000_000 queued=1_000_000_000 idle=9_000_000_000",
            3 * SECOND,
        );
        for node in 0..2 {
            snapshot.nodes[node].first_seen_ns = SECOND / 10;
            snapshot.nodes[node].last_seen_ns = ended_ms * 1_000_000;
        }
        change(&mut snapshot);
        rules(&snapshot)
    };
    assert_eq!(found(3_000, |_| ()), [""; 0]);
    assert_eq!(found(5_000, |_| ()), [""; 0], "5 s are more than 4.9 s");
    assert_eq!(found(5_100, |_| ()), ["hog"], "4.9 s");
    let again = |it: &mut Snapshot| (it.nodes[0].calls, it.nodes[0].completed) = (2, 2);
    assert_eq!(found(3_000, again), ["hog"], "it may come again");
    let goes_on = |it: &mut Snapshot| (it.nodes[0].completed, it.nodes[0].pending) = (0, 1);
    assert_eq!(found(3_000, goes_on), ["hog"], "it waits");
}
