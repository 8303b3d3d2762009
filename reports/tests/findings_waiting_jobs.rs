//! The rule `backlog` for tasks that requests spawn, and that wait for permits.

use crate::support::hangs::Program;
use crate::support::{node, place_at, site};
use diagnose_reports::Snapshot;
use diagnose_reports::model::{NodeIndex, Place, SiteIndex, SiteKind, WaitMode};

const SECOND: u64 = 1_000_000_000;

fn at(line: u32) -> Place {
    place_at(line, 5)
}

/// 400 calls of `upload` have each spawned a task of `resize`; 300 of these wait, the oldest for
/// 6 s.
fn uploads() -> Snapshot {
    let mut program = Program::new();
    let permits = program.semaphore(2);
    let mut first = None;
    for number in 1..=300 {
        let task = program.task("resize");
        let site = *first.get_or_insert(program.of(task).site);
        let it = program.of(task);
        (it.site, it.spawned_at, it.age_ns) = (site, Some(at(62)), number * SECOND / 50);
        program.waits(task, permits, WaitMode::Acquire, 30).since_ns = number * SECOND / 50;
    }
    // Two run.
    for _ in 0..2 {
        let task = program.task("running");
        program.holds(task, permits, 30);
        program.has_timer(task);
    }
    let mut snapshot = program.snapshot;
    let upload = snapshot.sites.len();
    snapshot.sites.push(site("upload", "app", "src/main.rs", 60, 1));
    let mut resize = node(first.expect("there are some").get(), None);
    (resize.calls, resize.completed, resize.pending) = (400, 98, 302);
    let mut calls = node(upload, None);
    (calls.calls, calls.completed, calls.is_unspawned) = (400, 400, true);
    snapshot.nodes.extend([resize, calls]);
    snapshot
}

fn backlogs(snapshot: &Snapshot) -> Vec<String> {
    let findings = snapshot.findings();
    findings.iter().filter(|it| it.rule.to_string() == "backlog").map(|it| it.sentence.clone()).collect()
}

#[test]
fn jobs_of_requests_that_wait_for_permits_are_found() {
    let [finding] = &backlogs(&uploads())[..] else { panic!("one finding: {:?}", uploads().findings()) };
    assert!(
        finding.starts_with("tasks of `resize` (spawned at src/main.rs:62) wait for the Semaphore"),
        "{finding}"
    );
    assert!(
        finding.ends_with(": 300 wait, 75 % of all that `upload` has spawned, the oldest for 6.00 s"),
        "{finding}"
    );
    // hyper calls the handler in the task of the connection.
    let mut served = uploads();
    let serve = node(served.sites.len(), None);
    served.sites.push(site("http.serve_connection(io, service).await", "app", "src/main.rs", 20, 1));
    served.sites.last_mut().unwrap().kind = SiteKind::Await;
    served.nodes.push(serve);
    let upload = served.nodes.remove(served.nodes.len() - 2);
    served.nodes.push(upload);
    let last = served.nodes.len() - 1;
    (served.nodes[last].parent, served.nodes[last].is_unspawned) = (Some(NodeIndex::new(last - 1)), false);
    assert_eq!(backlogs(&served).len(), 1);
    let mut later = uploads();
    later.elapsed_ns += SECOND;
    let since = later.findings_since(&uploads());
    assert!(since.iter().all(|it| it.rule.to_string() != "backlog"), "still as many: {since:?}");
}

#[test]
fn jobs_that_wait_by_design_are_healthy() {
    let changed = |change: &dyn Fn(&mut Snapshot)| {
        let mut snapshot = uploads();
        change(&mut snapshot);
        backlogs(&snapshot).len()
    };
    assert_eq!(changed(&|_| ()), 1);
    assert_eq!(changed(&|it| it.waits.truncate(199)), 0, "few");
    let together = |it: &mut Snapshot| it.waits.iter_mut().for_each(|wait| wait.since_ns = 6 * SECOND);
    assert_eq!(changed(&together), 0, "a batch");
    let young = |it: &mut Snapshot| it.waits.iter_mut().for_each(|wait| wait.since_ns -= wait.since_ns / 5);
    assert_eq!(changed(&young), 0, "not for long");
    let done = |it: &mut Snapshot| it.nodes.iter_mut().rev().take(2).for_each(|node| node.calls = 1_001);
    assert_eq!(changed(&done), 0, "most have ended");
    let rare = |it: &mut Snapshot| it.nodes.last_mut().expect("upload").calls = 350;
    assert_eq!(changed(&rare), 0, "not one for each call");
    let crawler = |it: &mut Snapshot| it.nodes.last_mut().expect("upload").is_unspawned = false;
    assert_eq!(changed(&crawler), 0, "tasks spawn them");
    let elsewhere = |it: &mut Snapshot| it.sites.last_mut().expect("upload").place.line = 70;
    assert_eq!(changed(&elsewhere), 0, "another function spawns them");
    let other = |it: &mut Snapshot| it.tasks[9].site = SiteIndex::new(0);
    assert_eq!(changed(&other), 0, "other tasks wait as well");
}
