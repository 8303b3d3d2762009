//! `--since`: two snapshots of one process, some minutes apart.

use crate::support::{Scratch, run, server};

/// A snapshot of the server after `seconds`, with this number of tasks that wait, spawned evenly.
fn after(seconds: u64, tasks: u64) -> String {
    let task = |id: u64| {
        let age_ns = (tasks + 1 - id) * seconds * 1_000_000_000 / (tasks + 1);
        format!(
            r#"{{"id": {id}, "site": 0, "kind": "future", "runtime": "tokio", "state": "waiting",
            "since_ns": {age_ns}, "age_ns": {age_ns}, "polls": 1, "busy_ns": 0, "queued_ns": 0, "wakes": 0,
            "self_wakes": 0, "wakers": 1, "opaque_wakers": 1, "thread": "worker"}}"#
        )
    };
    let tasks: Vec<String> = (1..=tasks).map(task).collect();
    let captured = 1_795_000_000_000 + seconds * 1_000;
    let head = format!(
        "\"captured_unix_ms\": {captured}, \"elapsed_ns\": {seconds}000000000, \"tasks\": [{}]",
        tasks.join(",")
    );
    server().replace("\"elapsed_ns\": 2000000000", &head)
}

/// A thread that sleeps in a poll may be meant to: that alone is no finding.
#[test]
fn suspicions_about_hangs_are_counted_if_there_is_no_finding() {
    let scratch = Scratch::new();
    let asleep = after(4, 1).replace("\"state\": \"waiting\"", "\"state\": \"running\", \"is_asleep\": true");
    let found = run(&["findings", &scratch.file("asleep.json", asleep)]).ok();
    assert_eq!(found, "no findings; 1 suspicion about hangs: `diagnose verdicts`\n");
}

#[test]
fn findings_since_an_earlier_snapshot_count_what_has_grown() {
    let scratch = Scratch::new();
    let [old, new] = [("old", 1_200, 40), ("new", 2_400, 80)]
        .map(|(name, seconds, tasks)| scratch.file(&format!("{name}.json"), after(seconds, tasks)));
    let found = run(&["findings", &new, "--since", &old]);
    assert_eq!((found.status, &found.err[..]), (Some(1), ""), "{found:?}");
    assert!(found.out.contains("tasks of `handle`") && found.out.contains("40 more"), "{found:?}");
    let json = run(&["findings", &new, "--since", &old, "--json"]).out;
    assert!(json.contains("\"growing\""), "{json}");
    let report = run(&["show", &new, "--since", &old]).ok();
    assert!(report.contains("\nFINDINGS 1, over 20 min 0 s, most urgent first"), "{report}");
    let stable = scratch.file("stable.json", after(1_200, 80));
    assert_eq!(run(&["findings", &new, "--since", &stable]).ok(), "no findings\n");
}

#[test]
fn growth_is_not_counted_from_another_process_or_a_later_moment() {
    let scratch = Scratch::new();
    let new = scratch.file("new.json", after(600, 1));
    let refused = |name: &str, text: String, reason: &str| {
        let old = scratch.file(name, text);
        for command in ["show", "findings"] {
            let message = run(&[command, &new, "--since", &old]).refusal();
            assert_eq!(message, format!("diagnose: `{old}` {reason} `{new}`"));
        }
    };
    refused("other.json", after(300, 1).replace("4711", "4712"), "is of another process than");
    refused("later.json", after(900, 1), "is not older than");
    refused("equal.json", after(600, 1), "is not older than");
    let yesterday = after(300, 1).replace("1795000300000", "1794900000000");
    refused("yesterday.json", yesterday, "was taken before the start of the recording in");
    assert_eq!(run(&["show", &new, "--since", &new, "--json"]).status, Some(2));
}
