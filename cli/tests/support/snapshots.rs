//! Saved snapshots to read.

use diagnose_reports::model::VERSION;

const HANDLE_LATENCY: &str = r#"{"completed": {"longest_ns": 24000000, "buckets": [
    {"from_ns": 15728640, "to_ns": 16777216, "count": 1}, {"from_ns": 19922944, "to_ns": 20971520, "count": 1},
    {"from_ns": 23068672, "to_ns": 24117248, "count": 1}]}}"#;

/// Two functions, one below the other: `handle` has 4 ms of self busy time, `read` 3 ms. The three
/// calls of `handle` took 16, 20 and 24 ms; its task was queued for 1 ms.
pub(crate) fn server() -> String {
    let nodes = [
        node("0", "null", "3", "7000000", "54000000", "4000000"),
        node("1", "0", "300", "3000000", "50000000", "50000000"),
    ];
    format!(
        r#"{{"version": {VERSION}, "producer": "diagnose 0.1.0", "process": {{"name": "server", "pid": 4711}},
        "elapsed_ns": 2000000000, "enabled": true, "clock": {{"name": "tsc"}},
        "dropped": {{"over_nodes": 0, "over_depth": 0, "over_labels": 0, "unreadable": 0}},
        "threads": [{{"name": "main", "alive": true, "nodes": 2}}],
        "sites": [
            {{"place": {{"file": "src/main.rs", "line": 12, "column": 1}}, "name": "handle", "module": "server", "kind": "fn"}},
            {{"place": {{"file": "src/main.rs", "line": 30, "column": 1}}, "name": "read", "module": "server", "kind": "fn"}}
        ],
        "nodes": [{}]}}"#,
        nodes.join(",")
    )
}

fn node(site: &str, parent: &str, calls: &str, busy: &str, idle: &str, self_idle: &str) -> String {
    let (queued, latency) = if site == "0" { ("1000000", HANDLE_LATENCY) } else { ("0", "{}") };
    format!(
        r#"{{"site": {site}, "parent": {parent}, "calls": {calls}, "polls": 9, "completed": {calls}, "cancelled": 0,
        "panicked": 0, "never_polled": 0, "pending": 0, "running": 0, "busy_ns": {busy}, "nested_ns": 0,
        "idle_ns": {idle}, "self_idle_ns": {self_idle}, "wall_ns": 0, "unpolled_ns": 0, "longest_poll_ns": 2500000,
        "queued_ns": {queued}, "latency": {latency}, "first_seen_ns": 0, "last_seen_ns": 70000000,
        "polls_histogram": [{{"from_ns": 524288, "to_ns": 1048576, "count": 9}}]}}"#
    )
}
