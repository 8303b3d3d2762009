//! Saved snapshots are read back unchanged, and other files are refused with a reason.

use crate::support::{empty, page, random, tree};
use diagnose_reports::model::{Holding, NodeIndex, Resource, ResourceId, Role, SiteIndex, TaskId};
use diagnose_reports::{Format, Snapshot, View};
use proptest::prelude::*;

fn refusal(bytes: &[u8]) -> String {
    Snapshot::read_json(bytes).unwrap_err().to_string()
}

#[test]
#[expect(clippy::too_many_lines, reason = "the whole page is written out")]
fn the_json_has_the_shape_of_the_model() {
    let mut snapshot = tree("main | busy=5 polls=2 label=user:7 polls@2..4=2");
    snapshot.dropped.over_nodes = 3;
    insta::assert_snapshot!(page(&snapshot, Format::Json, View::Time), @r#"
    {
      "version": 6,
      "producer": "diagnose 0.1.0",
      "process": {
        "name": "server",
        "pid": 4711
      },
      "captured_unix_ms": 0,
      "elapsed_ns": 2000000000,
      "enabled": true,
      "clock": {
        "name": "manual",
        "jumps": 0
      },
      "costs": [
        {
          "activity": "polls",
          "count": 1500,
          "ns": 60000
        }
      ],
      "dropped": {
        "over_nodes": 3,
        "over_depth": 0,
        "over_labels": 0,
        "over_spans": 0,
        "over_holdings": 0,
        "unreadable": 0
      },
      "threads": [
        {
          "name": "main",
          "alive": true,
          "nodes": 0
        }
      ],
      "sites": [
        {
          "place": {
            "file": "src/main.rs",
            "line": 1,
            "column": 1
          },
          "end_line": 0,
          "end_column": 0,
          "name": "main",
          "module": "server",
          "kind": "fn"
        }
      ],
      "nodes": [
        {
          "site": 0,
          "parent": null,
          "label": "user:7",
          "calls": 0,
          "polls": 2,
          "completed": 0,
          "cancelled": 0,
          "panicked": 0,
          "never_polled": 0,
          "pending": 0,
          "running": 0,
          "busy_ns": 5,
          "nested_ns": 0,
          "idle_ns": 0,
          "self_idle_ns": 0,
          "queued_ns": 0,
          "wall_ns": 0,
          "unpolled_ns": 0,
          "longest_poll_ns": 0,
          "first_seen_ns": 0,
          "last_seen_ns": 0,
          "polls_histogram": [
            {
              "from_ns": 2,
              "to_ns": 4,
              "count": 2
            }
          ]
        }
      ],
      "long_poll_ns": 0,
      "alarms": [],
      "runtimes": [],
      "workers": [],
      "tasks": [],
      "spans": [],
      "resources": [],
      "waits": [],
      "foreign_threads": 0,
      "are_threads_unknown": false,
      "unrecorded_tasks": 0,
      "is_all_recorded": false,
      "verdicts": [],
      "findings": [
        {
          "rule": "lost_data",
          "severity": "note",
          "sentence": "3 calls are counted in `[other]`, because a thread had the maximum number of paths",
          "explains_ns": 0,
          "next": "use fewer distinct labels (`task_attr` for values that differ with each request) or annotate fewer functions: a recorded call path stays until the program ends; the footer has all losses",
          "page": "docs/findings.md#lost_data",
          "evidence": {}
        }
      ]
    }
    "#);
}

#[test]
fn garbage_is_refused() {
    for (garbage, reason) in [
        (&b"flame graph"[..], "expected ident"),
        (b"", "EOF while parsing a value"),
        (b"[]", "expected an object with the fields of a snapshot"),
        (b"{\"a\": 1}", "missing field `version`"),
        (b"{\"version\": 6}", "missing field `producer`"),
        (b"{\"version\": \"1\"}", "expected u32"),
    ] {
        let error = refusal(garbage);
        assert!(error.starts_with("not a saved snapshot: ") && error.contains(reason), "{error}");
    }
}

#[test]
fn another_version_is_refused_before_its_content_is_looked_at() {
    let older = br#"{"version": 1, "producer": "diagnose 9.0.0", "nodes": "something else"}"#;
    assert_eq!(
        refusal(older),
        "the snapshot has version 1, but this reader knows version 6 only (it was written by `diagnose 9.0.0`)"
    );
}

#[test]
fn a_truncated_file_is_refused() {
    let page = page(&tree("main | busy=5"), Format::Json, View::Time);
    let error = refusal(&page.as_bytes()[..page.len() / 2]);
    assert!(error.starts_with("not a saved snapshot: EOF while parsing "), "{error}");
}

#[test]
fn indexes_that_lead_nowhere_are_refused() {
    let mut snapshot = tree("main | busy=5\n  read | busy=3");
    snapshot.nodes[1].site = SiteIndex::new(2);
    let error = refusal(page(&snapshot, Format::Json, View::Time).as_bytes());
    assert_eq!(error, "the snapshot contradicts itself: node 1 refers to site 2, which is not there");
    snapshot.nodes[1].site = SiteIndex::new(1);
    snapshot.nodes[0].parent = Some(NodeIndex::new(1));
    let error = refusal(page(&snapshot, Format::Json, View::Time).as_bytes());
    assert_eq!(
        error,
        "the snapshot contradicts itself: the parent of node 0 is 1, which does not stand before it"
    );
}

#[test]
fn the_json_is_the_same_for_every_view() {
    let snapshot = tree("main | busy=5 self_idle=3");
    assert_eq!(page(&snapshot, Format::Json, View::Busy), page(&snapshot, Format::Json, View::Time));
}

#[test]
fn an_empty_snapshot_reads_back() {
    let mut file = Vec::new();
    diagnose_reports::write(&Snapshot::default(), Format::Json.into(), &mut file).expect("a vector");
    assert_eq!(Snapshot::read_json(&file[..]).expect("it was just written"), Snapshot::default());
}

#[test]
fn a_resource_is_found_in_a_file_that_lists_it_in_another_order() {
    let mut snapshot = empty();
    for id in [3, 1, 2] {
        let mut resource = Resource::default();
        resource.id = ResourceId::new(id);
        snapshot.resources.push(resource);
    }
    let read =
        Snapshot::read_json(page(&snapshot, Format::Json, View::Time).as_bytes()).expect("it was written");
    let found = [1, 2, 3].map(|id| read.resource(ResourceId::new(id)).map(|resource| resource.id.get()));
    assert_eq!(found, [Some(1), Some(2), Some(3)]);
}

#[test]
fn a_word_that_this_reader_does_not_know_is_refused_with_the_version() {
    let saved = page(&tree("main | busy=5"), Format::Json, View::Time);
    let newer = saved.replace("\"kind\": \"fn\"", "\"kind\": \"generator\"");
    assert_ne!(newer, saved);
    let words = refusal(newer.as_bytes());
    assert!(words.contains("unknown variant `generator`"), "{words}");
    assert!(words.ends_with("(it has version 6, and was written by `diagnose 0.1.0`)"), "{words}");
}

#[test]
fn nothing_recorded_reads_back() {
    let page = page(&empty(), Format::Json, View::Time);
    assert_eq!(Snapshot::read_json(page.as_bytes()).unwrap(), empty());
}

#[test]
fn a_hundred_thousand_receivers_of_a_channel_take_a_few_lines() {
    let mut snapshot = empty();
    let mut resource = Resource::default();
    resource.id = ResourceId::new(1);
    for id in 1..=100_000 {
        let mut holding = Holding::default();
        (holding.role, holding.task, holding.since_ns) = (Role::Receives, Some(TaskId::new(id)), id * 7);
        resource.holdings.push(holding);
    }
    snapshot.resources.push(resource);
    let page = page(&snapshot, Format::Json, View::Time);
    assert!(page.len() < 10_000, "{} bytes", page.len());
    let read = Snapshot::read_json(page.as_bytes()).unwrap();
    assert_eq!(read, snapshot);
    let alone = serde_json::to_string(&read.resources[0]).unwrap();
    assert_eq!(alone.matches("\"role\"").count(), 100_000, "a resource by itself is not folded");
}

/// As in a file that another program has made.
#[test]
fn a_longest_duration_without_a_histogram_is_kept() {
    let mut snapshot = tree("main | busy=5 polls=2");
    snapshot.nodes[0].latency.completed.longest_ns = 7;
    let page = page(&snapshot, Format::Json, View::Time);
    assert_eq!(Snapshot::read_json(page.as_bytes()).unwrap(), snapshot);
}

proptest! {
    #[test]
    fn snapshots_are_read_back(snapshot in random::snapshot(40), elapsed_ns in any::<u64>(), enabled in any::<bool>()) {
        let mut snapshot = snapshot;
        snapshot.elapsed_ns = elapsed_ns;
        snapshot.enabled = enabled;
        let page = page(&snapshot, Format::Json, View::Time);
        let mut file: serde_json::Value = serde_json::from_str(&page).unwrap();
        for computed in ["verdicts", "findings", "lock_inversions"] {
            file.as_object_mut().unwrap().remove(computed);
        }
        prop_assert_eq!(file, serde_json::to_value(&snapshot).unwrap(), "serde writes the same");
        prop_assert_eq!(Snapshot::read_json(page.as_bytes()).unwrap(), snapshot);
    }
}
