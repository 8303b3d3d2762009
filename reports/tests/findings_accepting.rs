//! The rule `stopped` for a loop that accepts connections and awaits a call that does not end.

use crate::findings_locks::drawn;
use crate::findings_stopped::sentences;
use crate::support::latency::durations;
use diagnose_reports::Snapshot;
use diagnose_reports::model::{
    ResourceId, RunState, SiteIndex, Span, SpanId, SpanIndex, Task, TaskId, Wait, WaitId, WaitMode,
};

const MS: u64 = 1_000_000;

/// A loop whose sixtieth handshake has waited for 6 s. The connections before had a task each.
fn server(awaited: &str) -> Snapshot {
    let mut snapshot = drawn(&format!(
        "accept_loop | calls=1 pending=1 polls=200 idle=8_000_000_000
  listener.accept().await | calls=60 completed=60 polls=100 idle=1_900_000_000 self_idle=1_900_000_000
  handshake(&socket).await | calls=60 completed=59 pending=1 polls=120 idle=6_100_000_000
    handshake | calls=60 completed=59 pending=1 polls=120 idle=6_100_000_000
      {awaited} | calls=60 completed=59 pending=1 polls=120 idle=6_100_000_000 self_idle=6_100_000_000
connection | calls=59 completed=59 polls=200 idle=8_000_000_000
"
    ));
    snapshot.elapsed_ns = 10_000 * MS;
    let sites = [0, 2, 3, 4].map(|node: usize| snapshot.nodes[node].site);
    snapshot.nodes[3].latency.completed = durations(&[2 * MS, 9 * MS]);
    for (number, site) in sites.into_iter().enumerate() {
        let mut span = Span::default();
        (span.id, span.site, span.task) = (SpanId::new(number as u64 + 1), site, Some(TaskId::new(1)));
        (span.state, span.since_ns, span.age_ns) = (RunState::Waiting, 6_000 * MS, 6_000 * MS);
        span.parent = number.checked_sub(1).map(SpanIndex::new);
        snapshot.spans.push(span);
    }
    let mut task = Task::default();
    (task.id, task.site, task.state) = (TaskId::new(1), snapshot.nodes[0].site, RunState::Waiting);
    (task.age_ns, task.since_ns, task.opaque_wakers) = (9_000 * MS, 6_000 * MS, Some(1));
    task.span = Some(SpanIndex::new(0));
    snapshot.tasks.push(task);
    snapshot
}

const READ: &str = "socket.read_exact(&mut hello).await";

#[test]
fn an_accept_loop_that_waits_in_a_call_is_found() {
    let expected = "`accept_loop` (src/main.rs:1) has accepted no connection for 6.00 s: it waits in `handshake` (src/main.rs:4) at \
                    `socket.read_exact(&mut hello).await` (src/main.rs:5); 59 calls of that have ended, each within 9.00 ms. Next: \
                    move that call into the task of the connection, or give it a time limit. (stopped)";
    assert_eq!(sentences(&server(READ)), [expected]);
    assert_eq!(sentences(&server("ready.notified().await")).len(), 1);
}

#[test]
fn accept_loops_that_wait_by_design_are_healthy() {
    let changed = |change: fn(&mut Snapshot)| {
        let mut snapshot = server(READ);
        change(&mut snapshot);
        sentences(&snapshot).len()
    };
    assert_eq!(changed(|_| ()), 1);
    assert_eq!(changed(|it| it.nodes[5].calls = 29), 0, "it serves one client after the other");
    assert_eq!(changed(|it| it.spans[3].since_ns = 4_900 * MS), 0, "not for long");
    assert_eq!(changed(|it| it.nodes[3].latency.completed = durations(&[400 * MS])), 0, "they take long");
    assert_eq!(changed(|it| it.nodes[3].completed = 19), 0, "few have ended");
    assert_eq!(changed(|it| it.nodes[1].completed = 19), 0, "few were accepted");
    assert_eq!(changed(|it| it.spans.truncate(2)), 0, "it waits in a future without annotation");
    let accepts_beside = |it: &mut Snapshot| {
        let mut span = it.spans[1].clone();
        (span.id, span.site) = (SpanId::new(9), SiteIndex::new(1));
        it.spans.push(span);
    };
    assert_eq!(changed(accepts_beside), 0, "it accepts in another arm meanwhile");
    let another = |it: &mut Snapshot| {
        let mut span = it.spans[0].clone();
        span.id = SpanId::new(9);
        it.spans.push(span);
    };
    assert_eq!(changed(another), 0, "another loop accepts");
    let limit = |it: &mut Snapshot| {
        let mut wait = Wait::default();
        (wait.id, wait.mode, wait.resource) = (WaitId::new(1), WaitMode::Acquire, Some(ResourceId::new(1)));
        (wait.task, wait.span) = (Some(TaskId::new(1)), Some(SpanId::new(4)));
        it.waits.push(wait);
    };
    assert_eq!(changed(limit), 0, "it bounds the number of connections");
    assert_eq!(sentences(&server("sleep(PAUSE).await")), [""; 0], "a pause");
}
