//! Verdicts in reports: text, JSON, the graph, and what is waited for.

use diagnose_reports::{Format, Snapshot, Verdict, View};

use crate::locks::crossed;
use crate::support::hangs::Program;
use crate::support::page;

#[test]
fn text_begins_with_what_hangs() {
    let text = page(&crossed().snapshot, Format::Text, View::Time);
    let top: String = text.split_inclusive('\n').take_while(|line| !line.starts_with("tasks:")).collect();
    insta::assert_snapshot!(top, @"");
}

#[test]
fn so_does_the_tree_of_tasks() {
    let tree = crossed().snapshot.tree();
    assert!(tree.starts_with("verdict: proven cycle: task 2 `left` waits for Mutex#2"), "{tree}");
}

#[test]
fn a_program_that_waits_has_no_lines_of_verdicts() {
    let mut program = crossed();
    program.has_timer(2);
    assert!(!page(&program.snapshot, Format::Text, View::Time).contains("verdict"));
    assert!(program.snapshot.tree().starts_with("tasks: "));
}

#[test]
fn json_carries_the_verdicts_and_is_read_without_them() {
    let snapshot = crossed().snapshot;
    let text = page(&snapshot, Format::Json, View::Time);
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let verdicts: Vec<Verdict> = serde_json::from_value(value["verdicts"].clone()).unwrap();
    assert_eq!(verdicts, snapshot.verdicts());
    assert_eq!(Snapshot::read_json(text.as_bytes()).unwrap(), snapshot);
    let first = serde_json::to_string_pretty(&value["verdicts"][0]["chain"][0]).unwrap();
    insta::assert_snapshot!(first, @"");
}

#[test]
fn the_graph_shows_tasks_resources_and_what_is_stuck() {
    let mut program = crossed();
    program.at(0).name = Some("a \"quoted\" name".into());
    insta::assert_snapshot!(page(&program.snapshot, Format::Dot, View::Time), @"");
}

#[test]
fn waiters_are_listed_by_their_resources() {
    let mut program = crossed();
    let usage = &mut program.at(0).usage;
    (usage.acquisitions, usage.contended) = (1204, 31);
    usage.wait_ns = [1_200_000, 8_000_000, 1_100_000_000];
    usage.held_ns = [80_000, 200_000, 900_000];
    insta::assert_snapshot!(program.snapshot.waiters(), @"");
}

#[test]
fn nothing_waits_in_an_empty_program() {
    assert_eq!(Program::new().snapshot.waiters(), "");
}

#[test]
fn the_words_of_the_saved_format_are_those_of_the_text() {
    use diagnose_reports::{Confidence, LinkNode, LinkRole, VerdictDetail, VerdictKind};
    for (saved, shown) in [
        (serde_json::to_string(&VerdictKind::SelfWait).unwrap(), VerdictKind::SelfWait.to_string()),
        (serde_json::to_string(&VerdictDetail::ViaQueue).unwrap(), VerdictDetail::ViaQueue.to_string()),
        (serde_json::to_string(&Confidence::Proven).unwrap(), Confidence::Proven.to_string()),
        (serde_json::to_string(&LinkNode::Future).unwrap(), LinkNode::Future.to_string()),
        (serde_json::to_string(&LinkRole::Waits).unwrap(), LinkRole::Waits.to_string()),
    ] {
        assert_eq!(saved, format!("\"{shown}\""));
    }
}
