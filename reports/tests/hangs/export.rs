//! Verdicts and waiters in reports: text, JSON, and the wait graph.

use diagnose_reports::model::{Attribution, LastEvent, ResourceKind, TaskId, UsagePlace, WaitMode};
use diagnose_reports::{Format, Snapshot, Verdict, View};

use crate::hangs::locks::crossed;
use crate::support::hangs::{Program, granted, place};
use crate::support::page;

#[test]
fn text_begins_with_what_hangs() {
    let text = page(&crossed().snapshot, Format::Text, View::Time);
    let top: String = text.split_inclusive('\n').take_while(|line| *line != "TASKS\n").collect();
    insta::assert_snapshot!(top, @r"
    server (pid 4711), recorded 2.00 s
    0 calls, 0 polls, 0 ns busy on 1 thread

    FINDINGS 1, most urgent first (diagnose explain ID says more)
     1 stuck  proven cycle: task 2 `left` is waiting for `Mutex#2` at src/main.rs:6 (1.00 s); task 3 `right` has held it
              for 1.00 s (acquired at src/main.rs:9) and is waiting for `Mutex#1` at src/main.rs:10 (1.00 s); task 2 `left`
              has held it for 1.00 s (acquired at src/main.rs:5): none of them can continue; 1 task waits behind. Next:
              acquire locks in the same order everywhere, or release one before waiting for the other. (stuck.cycle)

    VERDICTS 1
    verdict: proven cycle: see finding 1
      task 2 left waits at src/main.rs:6 for 1.00 s
      resource 2 Mutex created at src/main.rs:12, on record for 2.00 s
      task 3 right holds at src/main.rs:9 for 1.00 s
      task 3 right waits at src/main.rs:10 for 1.00 s
      resource 1 Mutex created at src/main.rs:11, on record for 2.00 s
      task 2 left holds at src/main.rs:5 for 1.00 s
      1 task waits behind it: 1
      fix: acquire locks in the same order everywhere, or release one before waiting for the other (docs/verdicts.md, cycle)

    ALARMS none

    RESOURCES by place of creation, longest waits for locks, permits and free slots first
      count  waiting  longest  uses  waited  total wait  p99 wait  max wait  max held  resource
          1        1   1.00 s     0       -           -         -         -         -  Mutex (tokio), src/main.rs:11
          1        1   1.00 s     0       -           -         -         -         -  Mutex (tokio), src/main.rs:12

    Mutex#1 (tokio), created at src/main.rs:11: locked, 1 waiter
      holder: task 2 `left` for 1.00 s, acquired at src/main.rs:5
      1. task 3 `right` is waiting at src/main.rs:10 (1.00 s)

    Mutex#2 (tokio), created at src/main.rs:12: locked, 1 waiter
      holder: task 3 `right` for 1.00 s, acquired at src/main.rs:9
      1. task 2 `left` is waiting at src/main.rs:6 (1.00 s)
    ");
}

#[test]
fn a_resource_without_a_place_has_no_words_for_its_creation() {
    let mut snapshot = crossed().snapshot;
    snapshot.resources.iter_mut().for_each(|resource| resource.created = None);
    let text = snapshot.verdicts()[0].to_string();
    assert!(text.contains("\n  resource 2 Mutex, on record for 2.00 s\n"), "{text}");
}

#[test]
fn the_task_tree_begins_with_what_hangs() {
    let tree = crossed().snapshot.tree();
    assert!(tree.starts_with("verdict: proven cycle: task 2 `left` is waiting for `Mutex#2`"), "{tree}");
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
    insta::assert_snapshot!(first, @r#"
    {
      "file": "src/main.rs",
      "id": 2,
      "line": 6,
      "name": "left",
      "node": "task",
      "role": "waits",
      "since_ns": 1000000000
    }
    "#);
}

#[test]
fn the_graph_shows_tasks_resources_and_what_is_stuck() {
    let mut program = crossed();
    program.at(0).name = Some("a \"quoted\" name".into());
    insta::assert_snapshot!(page(&program.snapshot, Format::Dot, View::Time), @r#"
    digraph waits {
      rankdir=LR;
      node [fontname="monospace"];
      task1 [label="task 1 main", shape=box, color=red, fontcolor=red];
      task2 [label="task 2 left", shape=box, color=red, fontcolor=red];
      task3 [label="task 3 right", shape=box, color=red, fontcolor=red];
      resource1 [label="Mutex#1 `a \"quoted\" name`\nsrc/main.rs:11", shape=ellipse, color=red, fontcolor=red];
      resource2 [label="Mutex#2\nsrc/main.rs:12", shape=ellipse, color=red, fontcolor=red];
      task1 -> task2 [label="waits src/main.rs:20\n1.00 s", color=red];
      task2 -> resource2 [label="waits src/main.rs:6\n1.00 s", color=red];
      task3 -> resource1 [label="waits src/main.rs:10\n1.00 s", color=red];
      resource1 -> task2 [label="held src/main.rs:5", color=red];
      resource2 -> task3 [label="held src/main.rs:9", color=red];
    }
    // diagnose: server (pid 4711): 2.00 s recorded on 1 thread; 0 calls, 0 polls, 0 ns busy
    // diagnose: nothing dropped
    // diagnose: clock manual; cost of recording ≈ 60.0 µs (0 % of busy): 1,500 polls 60.0 µs
    // diagnose: diagnose 0.1.0, recording on
    "#);
}

#[test]
fn waits_that_were_given_up_are_part_of_the_total() {
    let mut program = crossed();
    let usage = &mut program.at(0).usage;
    (usage.acquisitions, usage.contended, usage.waited, usage.waited_ns) = (1204, 2_669, 28, 900_000_000);
    let mut row = UsagePlace::default();
    (row.count, row.total_ns) = (2_667, 132_000_000_000);
    usage.waiters.push(row);
    let table = |format| {
        let page = page(&program.snapshot, format, View::Time);
        let table = page.split("\n\n").find(|part| part.starts_with("RESOURCES"));
        table.unwrap().lines().skip(1).collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(table(Format::Text), @r"
      count  waiting  longest   uses  waited  total wait  p99 wait  max wait  max held  resource
          1        1   1.00 s  1,204  2.33 %       132 s         -         -         -  Mutex (tokio), src/main.rs:11
          1        1   1.00 s      0       -           -         -         -         -  Mutex (tokio), src/main.rs:12
    ");
    insta::assert_snapshot!(table(Format::FullText), @r"
      count  waiting  longest   uses  waited  given up  total wait  p99 wait  max wait  max held  resource
          1        1   1.00 s  1,204  2.33 %     2,640       132 s         -         -         -  Mutex (tokio), src/main.rs:11
          1        1   1.00 s      0       -         0           -         -         -         -  Mutex (tokio), src/main.rs:12
    ");
}

#[test]
fn waiters_are_listed_by_their_resources() {
    let mut program = crossed();
    let usage = &mut program.at(0).usage;
    (usage.acquisitions, usage.contended, usage.waited) = (1204, 31, 28);
    (usage.wait.p50_ns, usage.wait.p99_ns, usage.wait.max_ns) = (1_200_000, 8_000_000, 1_100_000_000);
    (usage.held.p50_ns, usage.held.p99_ns, usage.held.max_ns) = (80_000, 200_000, 900_000);
    insta::assert_snapshot!(program.snapshot.waiters(), @r"
    Mutex#1 (tokio), created at src/main.rs:11: locked, 1 waiter
      holder: task 2 `left` for 1.00 s, acquired at src/main.rs:5
      1. task 3 `right` is waiting at src/main.rs:10 (1.00 s)
      acquired 1,204 times, 28 after a wait (2.33 %): p50 1.20 ms, p99 8.00 ms, max 1.10 s; 2 waits given up; held p50 80.0 µs, p99 200 µs, max 900 µs

    Mutex#2 (tokio), created at src/main.rs:12: locked, 1 waiter
      holder: task 3 `right` for 1.00 s, acquired at src/main.rs:9
      1. task 2 `left` is waiting at src/main.rs:6 (1.00 s)
    ");
}

#[test]
fn a_lock_that_was_granted_and_not_taken_is_not_called_locked() {
    let mut program = Program::new();
    let (task, lock) = (program.task("slow"), program.mutex());
    granted(program.waits(task, lock, WaitMode::Lock, 6));
    insta::assert_snapshot!(program.snapshot.waiters(), @r"
    Mutex#1 (tokio), created at src/main.rs:11: granted to a waiter, 1 waiter
      1. task 2 `slow` is waiting at src/main.rs:6 (1.00 s), granted 1.00 s ago
    ");
    program.holds(task, lock, 5);
    assert!(program.snapshot.waiters().contains(": locked, 1 waiter"));
}

#[test]
fn free_resources_are_listed_with_their_last_acquirer_or_notifier() {
    let mut program = crossed();
    let mut taken = LastEvent::default();
    (taken.ago_ns, taken.task, taken.place) = (Some(1_500_000_000), Some(TaskId::new(3)), Some(place(9)));
    let mut told = LastEvent::default();
    (told.ago_ns, told.place, told.waiters) = (Some(20_000_000), Some(place(14)), 2);
    program.at(0).last_acquired = Some(taken.clone());
    let free = program.at(1);
    (free.free, free.last_acquired, free.last_notified) = (1, Some(taken), Some(told));
    free.holdings.clear();
    insta::assert_snapshot!(program.snapshot.waiters(), @r"
    Mutex#1 (tokio), created at src/main.rs:11: locked, 1 waiter
      holder: task 2 `left` for 1.00 s, acquired at src/main.rs:5
      1. task 3 `right` is waiting at src/main.rs:10 (1.00 s)

    Mutex#2 (tokio), created at src/main.rs:12: unlocked, 1 waiter
      last acquired by task 3 `right` at src/main.rs:9, 1.50 s ago
      last notified at src/main.rs:14, 20.0 ms ago, which reached 1 of 2 waiters
      1. task 2 `left` is waiting at src/main.rs:6 (1.00 s)
    ");
}

#[test]
fn the_units_of_a_resource_have_their_own_words() {
    let mut program = Program::new();
    let (main, writer) = (1, program.task("writer"));
    let all = 536_870_911;
    let lock = program.rwlock();
    program.at(lock).capacity = Some(all);
    (program.at(lock).free, program.at(lock).usage.acquisitions) = (all - 1, 2_682);
    (program.at(lock).usage.contended, program.at(lock).usage.waited) = (2_689, 2_650);
    program.holds(main, lock, 3);
    program.waits(writer, lock, WaitMode::Write, 4).units = all;
    let oneshot = program.other(ResourceKind::Oneshot);
    (program.at(oneshot).capacity, program.at(oneshot).free) = (Some(1), 1);
    program.sends(writer, oneshot, 5).attribution = Attribution::Unknown;
    program.waits(main, oneshot, WaitMode::Receive, 6).since_ns = 900_000_000;
    let channel = program.channel(8);
    program.fill(channel, 8);
    let usage = &mut program.at(channel).usage;
    (usage.acquisitions, usage.contended) = (8, 3);
    program.receives(main, channel, 7).attribution = Attribution::Likely;
    program.sends(main, channel, 9).place = None;
    program.waits(writer, channel, WaitMode::Send, 8).since_ns = 800_000_000;
    insta::assert_snapshot!(program.snapshot.waiters(), @r"
    RwLock#1 (tokio), created at src/main.rs:11: locked to read, 1 waiter
      reader: task 1 `main` for 1.00 s, acquired at src/main.rs:3
      1. task 2 `writer` is waiting to write at src/main.rs:4 (1.00 s)
      acquired 2,682 times, 2,650 after a wait (98.8 %); 38 waits given up

    oneshot#2 (tokio), created at src/main.rs:12: 1 waiter
      sender: owner unknown, last used at src/main.rs:5, 1.00 s ago
      1. task 1 `main` is waiting at src/main.rs:6 (900 ms)

    mpsc#3 (tokio), created at src/main.rs:13: 0 of 8 slots free, 8 messages, 1 waiter
      receiver: task 1 `main` (last seen), last used at src/main.rs:7, 1.00 s ago
      sender: task 1 `main` (last seen), last used 1.00 s ago
      1. task 2 `writer` is waiting at src/main.rs:8 (800 ms)
      8 messages sent, 3 waits
    ");
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
