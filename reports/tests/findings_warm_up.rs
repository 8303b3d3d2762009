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
