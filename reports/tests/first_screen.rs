//! The text report of a large program: its first screen, its folded rows, and the full report.

use crate::support::hangs::Program;
use crate::support::{node, page, site};
use diagnose_reports::model::{Alarm, AlarmKind, Attribution, ResourceKind, RunState, Runtime, WaitMode};
use diagnose_reports::{Format, Snapshot, View};

fn text(snapshot: &Snapshot) -> String {
    page(snapshot, Format::Text, View::Time)
}

fn full(snapshot: &Snapshot) -> String {
    page(snapshot, Format::FullText, View::Time)
}

/// A service of 400 tasks: two that hang, 198 that wait for a reply, 200 in two shapes.
fn service() -> Program {
    let mut program = Program::new();
    let (left, right) = (program.task("left"), program.task("right"));
    let (first, second) = (program.mutex(), program.mutex());
    program.holds(left, first, 5);
    program.holds(right, second, 9);
    program.waits(left, second, WaitMode::Lock, 6);
    program.waits(right, first, WaitMode::Lock, 10);
    let asks = program.task("asks");
    for number in 0..198 {
        let task = if number == 0 { asks } else { program.task("asks") };
        let reply = program.other(ResourceKind::Oneshot);
        program.at(reply).capacity = Some(1);
        // Two places on one line: they share a row, which has no column.
        program.at(reply).created = Some(crate::support::place_at(49, 9 + 20 * (number % 2)));
        program.sends(1, reply, 49).attribution = Attribution::Unknown;
        program.waits(task, reply, WaitMode::Receive, 50);
        program.has_timer(task);
        same_place(&mut program, asks, task);
    }
    let serves = program.task("serves");
    for number in 1..200 {
        let task = program.task("serves");
        same_place(&mut program, serves, task);
        if number % 2 == 0 {
            program.of(task).state = RunState::Queued;
        }
    }
    program.has_timer(1);
    program
}

/// Gives the task `to` the site and the place of spawn of the task `from`.
fn same_place(program: &mut Program, from: u64, to: u64) {
    let (site, spawned_at) = (program.of(from).site, program.of(from).spawned_at.clone());
    let task = program.of(to);
    (task.site, task.spawned_at) = (site, spawned_at);
}

fn alarm(at_ms: u64, resolved_ms: Option<u64>, kind: AlarmKind, text: &str) -> Alarm {
    let mut alarm = Alarm::from(text.to_owned());
    (alarm.at_unix_ms, alarm.resolved_at_unix_ms, alarm.kind) = (at_ms, resolved_ms, kind);
    alarm
}

/// 2026-11-22 08:14:03 UTC.
const NOW_MS: u64 = 1_795_335_243_000;

#[test]
fn the_header_says_which_program_where_and_when() {
    let mut snapshot = crate::support::empty();
    snapshot.process.host = "web-3".into();
    snapshot.process.build = "1.4.2".into();
    snapshot.captured_unix_ms = NOW_MS;
    snapshot.elapsed_ns = 312_000_000_000;
    let mut runtime = Runtime::default();
    (runtime.number, runtime.workers) = (1, 2);
    snapshot.runtimes.push(runtime);
    assert!(text(&snapshot).starts_with(
        "server (pid 4711) on host web-3, 2026-11-22 08:14:03 UTC, build 1.4.2, recorded 5 min 12 s, 2 workers\n"
    ));
    snapshot.process.cpus = Some(2);
    assert!(text(&snapshot).contains(", recorded 5 min 12 s, 2 workers on 2 CPUs\n"));
    snapshot.enabled = false;
    snapshot.process.build = "x\nFINDINGS none".into();
    let page = text(&snapshot);
    assert!(page.contains("recording is off\n"), "{page}");
    assert_eq!(page.lines().filter(|line| line.starts_with("FINDINGS")).count(), 1, "{page}");
}

#[test]
fn what_hangs_is_on_the_first_screen_and_its_tasks_come_first() {
    let page = text(&service().snapshot);
    let screen: Vec<&str> = page.lines().take(25).collect();
    let screen = screen.join("\n");
    for place in ["src/main.rs:5", "src/main.rs:6", "src/main.rs:9", "src/main.rs:10"] {
        assert!(screen.contains(place), "{place}: {screen}");
    }
    let tasks = page.split("\nTASKS").nth(1).unwrap();
    let heads: Vec<&str> = tasks.lines().filter(|line| line.starts_with("task")).collect();
    assert!(heads[1].starts_with("task 2 left ") && heads[2].starts_with("task 3 right "), "{tasks}");
}

/// A pool of three permits, which three tasks took at one line and never released.
#[test]
fn verdicts_that_differ_only_in_ids_and_times_are_one_with_a_count() {
    let mut program = Program::new();
    let pool = program.semaphore(3);
    for done in [77, 78, 79] {
        program.holds(done, pool, 3);
    }
    program.waits(1, pool, WaitMode::Acquire, 8);
    let page = text(&program.snapshot);
    let verdicts = page.split("\nVERDICTS").nth(1).unwrap().split("\n\n").next().unwrap();
    insta::assert_snapshot!(verdicts, @r"
     3
    verdict: likely leak: see finding 1
      task 1 main waits at src/main.rs:8 for 1.00 s
      resource 1 Semaphore created at src/main.rs:11, on record for 2.00 s
      task 77 holds at src/main.rs:3 for 1.00 s
      fix: drop the guard or sender on every path, and do not keep a spare sender in scope (docs/verdicts.md, leak)
      2 more like it: tasks 78, 79
    ");
    let full = full(&program.snapshot);
    assert_eq!(full.matches("verdict: ").count(), 3, "{page}");
    // A verdict without a finding of its own has its sentence.
    assert_eq!(full.matches("verdict: likely leak: see finding 1\n").count(), 1, "{full}");
    assert_eq!(full.matches("verdict: likely leak: task 1 `main` is waiting").count(), 2, "{full}");
    let findings = program.snapshot.findings();
    let [finding] = &findings[..] else { panic!("one finding: {findings:?}") };
    assert!(finding.sentence.ends_with(": it was never released; 2 more like it"), "{finding}");
    assert_eq!(finding.evidence.tasks.len(), 4, "{finding:?}");
}

#[test]
fn resources_of_one_place_are_one_row_and_tasks_of_one_place_one_entry() {
    let program = service();
    let page = text(&program.snapshot);
    let resources = page.split("\nRESOURCES").nth(1).unwrap().split("\n\nTASKS").next().unwrap();
    let oneshots: Vec<&str> = resources.lines().filter(|line| line.contains("oneshot")).collect();
    assert_eq!(oneshots.len(), 1, "{resources}");
    assert!(oneshots[0].trim_start().starts_with("198      198   1.00 s"), "{resources}");
    assert!(oneshots[0].ends_with("  oneshot (tokio), src/main.rs:49"), "{resources}");
    let tasks = page.split("\nTASKS").nth(1).unwrap();
    assert!(tasks.contains("\n198 × task asks ["), "{tasks}");
    assert!(tasks.contains("\n200 tasks serves, spawned at src/main.rs:"), "{tasks}");
    assert!(tasks.contains("\n  101 × task serves [") && tasks.contains("\n  99 × task serves ["), "{tasks}");
    assert!(page.lines().count() < 100, "{page}");

    let full = full(&program.snapshot);
    assert_eq!(full.lines().filter(|line| line.starts_with("oneshot#")).count(), 198, "{full}");
}

#[test]
fn no_line_has_more_than_120_columns() {
    let mut program = service();
    let long = "a_function_with_a_name_of_many_words_".repeat(8);
    program.snapshot.sites.push(site(&long, "m", "src/a/long/path/to/a/file/of/the/program.rs", 88, 1));
    let site = program.snapshot.sites.len() - 1;
    for depth in 0..80_usize {
        program.snapshot.nodes.push(node(site, depth.checked_sub(1)));
        program.snapshot.nodes[depth].busy_ns = 1_000;
        program.snapshot.nodes[depth].label = Some("user ".repeat(60));
    }
    program.snapshot.alarms.push(alarm(NOW_MS, None, AlarmKind::LongPoll, &"too long ".repeat(99)));
    let page = text(&program.snapshot);
    for line in page.lines() {
        assert!(line.chars().count() <= 120, "{line}");
    }
    assert!(page.contains("program.rs:88)"), "the place of a long name stays: {page}");
    assert!(full(&program.snapshot).contains(&long), "the full report has whole names");
}

#[test]
fn alarms_show_their_times_and_whether_they_are_over() {
    let mut snapshot = crate::support::empty();
    snapshot.captured_unix_ms = NOW_MS;
    let poll = "task 7 `conn` has been in one poll for 312 ms\n  conn (src/main.rs:12:1)";
    snapshot.alarms = vec![
        alarm(NOW_MS - 90_000_000, Some(NOW_MS - 89_000_000), AlarmKind::StarvedTask, "task 1 waits\n  over"),
        alarm(NOW_MS - 82_000, Some(NOW_MS - 79_000), AlarmKind::LongPoll, poll),
        alarm(NOW_MS - 2_000, None, AlarmKind::LongPoll, poll),
        alarm(0, None, AlarmKind::Other, "nothing is recorded here"),
    ];
    let page = text(&snapshot);
    let alarms = page.split("\nALARMS").nth(1).unwrap().split("\n\n").next().unwrap();
    insta::assert_snapshot!(alarms, @r"
     4, 2 resolved
    ALARM 08:14:01: task 7 `conn` has been in one poll for 312 ms
      conn (src/main.rs:12:1)
    ALARM: nothing is recorded here
    ALARM 08:12:41, resolved 08:12:44: task 7 `conn` has been in one poll for 312 ms
    ALARM 2026-11-21 07:14:03 UTC, resolved 2026-11-21 07:30:43 UTC: task 1 waits
    ");
    let full = full(&snapshot);
    assert!(full.contains("task 1 waits\n  over\n"), "{full}");
}

#[test]
fn alarms_that_differ_only_in_numbers_are_shown_once_in_full() {
    let mut snapshot = crate::support::empty();
    snapshot.captured_unix_ms = NOW_MS;
    let poll = |task: u64| {
        let text =
            format!("task {task} `req` has been in one poll for {task} ms on thread worker, blocked\n  req");
        alarm(NOW_MS - task, None, AlarmKind::LongPoll, &text)
    };
    snapshot.alarms = vec![poll(112), poll(113), poll(114)];
    let page = text(&snapshot);
    let alarms = page.split("\nALARMS").nth(1).unwrap().split("\n\n").next().unwrap();
    insta::assert_snapshot!(alarms, @r"
     3
    ALARM 08:14:02: task 112 `req` has been in one poll for 112 ms on thread worker, blocked
      req
    ALARM 08:14:02: task 113 `req` has been in one poll for 113 ms, blocked
    ALARM 08:14:02: task 114 `req` has been in one poll for 114 ms, blocked
    ");
    assert_eq!(full(&snapshot).matches("\n  req\n").count(), 3, "{page}");
}

#[test]
fn a_function_has_its_share_of_its_callers_time() {
    let snapshot = crate::support::tree(
        "
handle | busy=10_000_000 idle=90_000_000 calls=1
  read | busy=5_000_000 idle=20_000_000 calls=1
other | busy=100_000_000 calls=1
  read | busy=25_000_000 calls=1
",
    );
    let page = text(&snapshot);
    let row = |name: &str| page.lines().find(|line| line.contains(name)).unwrap().to_owned();
    assert!(row(" read (").contains("  25.0 %  "), "50 of the 200 ms of both: {page}");
    assert!(row(" handle (").contains("        -  "), "it has no caller: {page}");
}
