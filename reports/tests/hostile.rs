//! Hostile snapshots: no report passes harmful text on to its reader, and no number makes one
//! panic.

use crate::support::hangs::{Program, place};
use crate::support::{bytes, page};
use diagnose_reports::model::{
    LockOrder, LockPair, LockedResource, ResourceId, Role, SiteIndex, TaskId, WaitMode,
};
use diagnose_reports::{Format, Snapshot, View};
use serde_json::Value;

/// Text that reports must escape: a terminal's control sequence, C1 controls, zero-width
/// characters, changes of text direction, tags, and a line break that forges a line.
const HOSTILE: &str = "a\u{1B}[2J\u{7F}\u{85}\u{9B}31m\u{AD}\u{61C}\u{200B}\u{200D}\u{200F}\u{202E}\u{2066}\u{2029}\u{FEFF}\u{FFFF}\u{E0041}\r\nFORGED\n\tb";

fn is_harmful(c: char) -> bool {
    c.is_control() && c != '\n' && c != '\t' || HOSTILE.chars().any(|it| it == c && !it.is_ascii())
}

/// A snapshot with texts of each kind: a cycle, a channel, labels, a runtime, an alarm, and a lock
/// order.
fn program() -> Snapshot {
    let mut program = Program::new();
    let (left, right) = (program.task("left"), program.task("right"));
    let (first, second, channel) = (program.mutex(), program.mutex(), program.channel(1));
    program.holds(left, first, 5);
    program.holds(right, second, 9);
    program.waits(left, second, WaitMode::Lock, 6);
    program.waits(right, first, WaitMode::Lock, 10);
    program.holding(left, channel, Role::Sends, 20);
    program.of(left).label = Some("label".into());
    program.of(left).spawned_at = Some(crate::support::place_at(1, 1));
    program.at(first).name = Some("sessions".into());
    program.set_aside(right, "aside", 30);
    let mut snapshot = program.snapshot;
    snapshot.alarms.push("a poll\n  and its stack".to_owned().into());
    snapshot.nodes = crate::support::tree("main | busy=5\n  read | busy=2 label=x").nodes;
    for node in &mut snapshot.nodes {
        node.site = SiteIndex::new(0);
        node.label = Some("label".to_owned());
    }
    for span in &mut snapshot.spans {
        span.at = Some(SiteIndex::new(0));
    }
    let mut order = LockOrder::default();
    order.pairs = vec![LockPair::default(); 2];
    order.resources = vec![LockedResource::default(); 2];
    let second = ResourceId::new(1);
    (order.pairs[0].acquired, order.pairs[1].held, order.resources[1].id) = (second, second, second);
    order.resources[0].name = Some("lock".to_owned());
    for pair in &mut order.pairs {
        pair.count = 1;
        pair.held_at = Some(place(5));
    }
    (order.pairs[0].task, order.pairs[0].task_name) = (Some(TaskId::new(2)), "left".to_owned());
    "thread".clone_into(&mut order.pairs[1].thread);
    snapshot.lock_order = Some(order);
    snapshot
}

/// Collects the paths of all values that `is_it` accepts, except in verdicts and inversions.
fn find(is_it: fn(&Value) -> bool, value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        _ if is_it(value) => found.push(path.to_owned()),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                find(is_it, item, &format!("{path}/{index}"), found);
            }
        }
        Value::Object(fields) => {
            for (name, item) in
                fields.iter().filter(|(name, _)| *name != "verdicts" && *name != "lock_inversions")
            {
                find(is_it, item, &format!("{path}/{name}"), found);
            }
        }
        _ => {}
    }
}

/// Replaces each free text of the snapshot by `HOSTILE`. Returns it with the number of
/// replacements.
fn poisoned(snapshot: &Snapshot) -> (Snapshot, usize) {
    let read = |value: &Value| Snapshot::read_json(value.to_string().as_bytes());
    let mut value: Value = serde_json::from_str(&page(snapshot, Format::Json, View::Wall)).unwrap();
    let mut paths = Vec::new();
    find(Value::is_string, &value, "", &mut paths);
    let mut replaced = 0;
    for path in paths {
        let before = value.pointer(&path).unwrap().clone();
        *value.pointer_mut(&path).unwrap() = Value::String(HOSTILE.to_owned());
        // A word of the format, such as the kind of a site, stays: the reader accepts no other
        // text.
        match read(&value) {
            Ok(_) => replaced += 1,
            Err(_) => *value.pointer_mut(&path).unwrap() = before,
        }
    }
    (read(&value).unwrap(), replaced)
}

fn check(format: &str, text: &str) {
    // The lines of a table for spreadsheets end in CR LF.
    let text = &text.replace("\r\n", "\n");
    let harmful: Vec<char> = text.chars().filter(|&c| is_harmful(c)).collect();
    assert!(harmful.is_empty(), "{format}: {harmful:?}\n{text}");
    let forged = text.lines().any(|line| line.starts_with("FORGED"));
    assert!(!forged, "{format}:\n{text}");
}

#[test]
fn no_text_of_a_snapshot_can_harm_a_reader() {
    let (snapshot, replaced) = poisoned(&program());
    assert!(replaced > 20, "{replaced} texts");
    for format in Format::all().filter(|format| format.is_text()) {
        for view in [View::Wall, View::Time, View::Busy, View::Idle] {
            check(&format!("{format:?} {view:?}"), &page(&snapshot, format, view));
        }
    }
    check("tree", &snapshot.tree());
    check("waiters", &snapshot.waiters());
    check("lock order", &snapshot.lock_order_text());
    let verdicts = snapshot.verdicts();
    assert!(!verdicts.is_empty());
    for verdict in verdicts {
        check("verdict", &verdict.to_string());
        check("sentence", &verdict.sentence);
    }
}

#[test]
fn a_saved_snapshot_keeps_hostile_names() {
    let (snapshot, _) = poisoned(&program());
    let saved = page(&snapshot, Format::Json, View::Wall);
    assert_eq!(Snapshot::read_json(saved.as_bytes()).unwrap(), snapshot);
    assert_eq!(snapshot.sites[0].name, HOSTILE);
}

#[test]
fn no_number_in_a_snapshot_makes_a_report_panic() {
    let saved = page(&program(), Format::Json, View::Wall);
    let value: Value = serde_json::from_str(&saved).unwrap();
    let mut paths = Vec::new();
    find(Value::is_number, &value, "", &mut paths);
    let mut read = 0;
    for (path, number) in paths.iter().flat_map(|path| [(path, u64::MAX), (path, u64::MAX / 2), (path, 0)]) {
        let mut value = value.clone();
        *value.pointer_mut(path).unwrap() = number.into();
        let Ok(snapshot) = Snapshot::read_json(value.to_string().as_bytes()) else { continue };
        read += 1;
        for format in Format::all() {
            assert!(!bytes(&snapshot, format, View::Wall).is_empty(), "{path} {number}");
        }
    }
    assert!(read > 300, "{read} snapshots");
}

#[test]
fn an_error_quotes_no_harmful_text() {
    let mut other: Value = serde_json::from_slice(&bytes(&program(), Format::Json, View::Wall)).unwrap();
    (other["version"], other["producer"]) = (99.into(), HOSTILE.into());
    let error = Snapshot::read_json(other.to_string().as_bytes()).unwrap_err().to_string();
    assert!(error.contains("version 99") && error.contains("FORGED"), "{error}");
    assert!(!error.contains(is_harmful) && !error.contains('\n'), "{error:?}");
    let error = diagnose_reports::Report::try_from(HOSTILE).unwrap_err().to_string();
    assert!(error.contains("unknown format") && !error.contains(is_harmful), "{error:?}");
}
