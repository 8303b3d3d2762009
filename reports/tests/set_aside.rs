//! The tree says of a future that its task stopped polling it only if it had to be polled.

use crate::support::{empty, site};
use diagnose_reports::Snapshot;
use diagnose_reports::model::{
    RunState, SiteIndex, SiteKind, Span, SpanId, SpanIndex, Task, TaskId, Wait, WaitMode,
};

/// A task in `main`, which awaits at line 2. Two futures are polled there, each of which waits at
/// line 4. The second has not been polled in the last poll of the task. `at`: the futures are
/// awaited by their body itself.
fn program(at: bool) -> Snapshot {
    let mut snapshot = empty();
    let names = ["main", "parts.next().await", "fetch", "line.recv().await", "&mut first"];
    for (line, name) in (1..).zip(names) {
        let mut site = site(name, "app", "src/main.rs", line, 9);
        if name.contains(".await") {
            site.kind = SiteKind::Await;
        }
        snapshot.sites.push(site);
    }
    let mut task = Task::default();
    (task.id, task.state, task.span) = (TaskId::new(1), RunState::Waiting, Some(SpanIndex::new(0)));
    snapshot.tasks.push(task);
    // Id, site, parent, and whether it is set aside. An await has the id of its body.
    let spans = [
        (1, 0, None, false),
        (1, 1, Some(0), false),
        (2, 2, Some(1), false),
        (2, 3, Some(2), false),
        (3, 2, Some(1), true),
        (3, 3, Some(4), true),
    ];
    for (id, site, parent, is_set_aside) in spans {
        let mut span = Span::default();
        (span.id, span.site, span.task) = (SpanId::new(id), SiteIndex::new(site), Some(TaskId::new(1)));
        (span.parent, span.is_set_aside) = (parent.map(SpanIndex::new), is_set_aside);
        span.at = (site == 2 && at).then_some(SiteIndex::new(4));
        snapshot.spans.push(span);
    }
    snapshot
}

/// The lines of the tree that say so.
fn aside(snapshot: &Snapshot) -> Vec<String> {
    let tree = snapshot.tree();
    let lines = tree.lines().filter(|line| line.contains("[its task stopped polling it]"));
    lines.map(|line| line.trim_start_matches(['│', '├', '└', '─', ' ']).to_owned()).collect()
}

fn wait(span: u64) -> Wait {
    let mut wait = Wait::default();
    (wait.task, wait.span, wait.mode) = (Some(TaskId::new(1)), Some(SpanId::new(span)), WaitMode::Receive);
    wait
}

#[test]
fn a_future_in_a_collection_that_nothing_has_woken_is_left_alone() {
    let mut snapshot = program(false);
    assert_eq!(aside(&snapshot), [""; 0], "it waits for something unrecorded");
    snapshot.waits = vec![wait(2), wait(3)];
    assert_eq!(aside(&snapshot), [""; 0], "it was not woken");
    snapshot.waits[0].woken_ns = Some(1);
    assert_eq!(aside(&snapshot), [""; 0], "the other one was woken");
    for future in [2, 4] {
        snapshot.spans[future].parent = Some(SpanIndex::new(0));
    }
    assert_eq!(aside(&snapshot), [""; 0], "they may be listed beside the await");
}

#[test]
fn a_future_in_a_collection_that_was_woken_is_set_aside() {
    let both = [
        "fetch (src/main.rs:3) [its task stopped polling it]",
        "line.recv().await (src/main.rs:4:9) [waiting 0 ns] [its task stopped polling it]",
    ];
    let mut snapshot = program(false);
    snapshot.waits = vec![wait(3)];
    snapshot.waits[0].woken_ns = Some(1_000);
    assert_eq!(aside(&snapshot), both);
    (snapshot.waits[0].woken_ns, snapshot.waits[0].is_granted) = (None, true);
    assert_eq!(aside(&snapshot), both, "it has the lock");
}

#[test]
fn a_future_that_its_body_awaited_before_is_set_aside() {
    let lines = aside(&program(true));
    assert_eq!(lines.len(), 2, "with all below it: {lines:?}");
    assert!(lines[0].starts_with("fetch at &mut first (src/main.rs:5"), "{lines:?}");
}
