//! The graph of waits in its two languages.

use crate::support::hangs::Program;
use crate::support::{empty, page};
use diagnose_reports::model::WaitMode;
use diagnose_reports::{Format, View};

/// Two tasks that cross their locks, and a third behind them.
fn crossed() -> diagnose_reports::Snapshot {
    let mut program = Program::new();
    let (left, right, third) = (program.task("left"), program.task("right"), program.task("third"));
    let (first, second) = (program.mutex(), program.mutex());
    program.holds(left, first, 5);
    program.holds(right, second, 9);
    program.waits(left, second, WaitMode::Lock, 6);
    program.waits(right, first, WaitMode::Lock, 10);
    program.waits(third, first, WaitMode::Lock, 20);
    program.snapshot
}

#[test]
fn dot_and_mermaid_have_the_same_nodes_and_edges() {
    let snapshot = crossed();
    let [dot, mermaid] = [Format::Dot, Format::Mermaid].map(|format| page(&snapshot, format, View::Wall));
    assert!(mermaid.starts_with("flowchart LR\n"), "{mermaid}");
    let edges = |page: &str, arrow: &str| page.lines().filter(|line| line.contains(arrow)).count();
    assert_eq!((edges(&dot, " -> "), edges(&mermaid, " --> ")), (5, 5), "{mermaid}");
    for task in ["left", "right", "third"] {
        assert!(dot.contains(task) && mermaid.contains(task), "{task}: {mermaid}");
    }
    assert!(mermaid.contains("linkStyle 0,1,2,3,4 stroke"), "{mermaid}");
}

#[test]
fn the_threads_of_a_verdict_are_marked_with_their_edges() {
    let mut program = Program::new();
    program.has_timer(1);
    let (first, second) = (program.unfair_mutex(), program.unfair_mutex());
    for (thread, held, wanted) in [(70, first, second), (71, second, first)] {
        let holding = program.holds(1, held, 5);
        (holding.task, holding.thread_id) = (None, Some(thread));
        let wait = program.waits(1, wanted, WaitMode::Lock, 6);
        (wait.task, wait.thread_id) = (None, Some(thread));
    }
    let mermaid = page(&program.snapshot, Format::Mermaid, View::Wall);
    assert!(mermaid.contains("class thread70,thread71,resource1,resource2 stuck"), "{mermaid}");
    assert!(mermaid.contains("linkStyle 0,1,2,3 stroke"), "{mermaid}");
}

#[test]
fn a_long_path_keeps_its_file_and_line() {
    let mut snapshot = crossed();
    let place = snapshot.waits[0].place.as_mut().unwrap();
    place.file = "crates/services/order-processing/src/handlers/payment_callback.rs".into();
    let mermaid = page(&snapshot, Format::Mermaid, View::Wall);
    assert!(mermaid.contains("waits payment_callback.rs:6"), "{mermaid}");
}

#[test]
fn a_large_graph_is_cut_and_says_so() {
    let mut program = Program::new();
    let lock = program.mutex();
    let holder = program.task("holder");
    program.holds(holder, lock, 5);
    for _ in 0..3_000 {
        let task = program.task("waiter");
        program.waits(task, lock, WaitMode::Lock, 6);
    }
    let snapshot = program.snapshot;
    let mermaid = page(&snapshot, Format::Mermaid, View::Wall);
    assert!(mermaid.len() < 50_000, "Mermaid refuses more: {}", mermaid.len());
    assert_eq!(mermaid.lines().filter(|line| line.contains("-->")).count(), 150);
    assert!(mermaid.contains("more[\"2,851 edges more, in the JSON report\"]"), "{mermaid}");
    let dot = page(&snapshot, Format::Dot, View::Wall);
    assert!(dot.contains("// diagnose: 2,001 edges more;"));
}

#[test]
fn a_graph_without_waits_says_so() {
    assert!(page(&empty(), Format::Mermaid, View::Wall).contains("nothing waits"));
}
