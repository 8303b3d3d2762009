//! The rule `stopped` for calls that take a second connection of a pool and never get it.

use crate::support::latency::durations;
use crate::support::tree;
use diagnose_reports::Snapshot;
use diagnose_reports::model::{RunState, SiteKind, Span, SpanId, SpanIndex, Task, TaskId, Worker};

const SECOND: u64 = 1_000_000_000;

/// Three calls of `invoice` have a connection, and wait for a second one in `lines`.
const INVOICES: &str = "invoice | calls=3 pending=3 polls=6 busy=1_000_000 idle=18_000_000_000
  pool.get().await | calls=3 completed=3 polls=3
  lines(id).await | calls=3 pending=3 polls=6 idle=18_000_000_000
    lines | calls=3 pending=3 polls=6 idle=18_000_000_000
      self.pool.get().await | calls=3 pending=3 polls=3 idle=18_000_000_000 self_idle=18_000_000_000
";

fn stopped(drawing: &str, change: impl Fn(&mut Snapshot)) -> Vec<String> {
    let mut snapshot = tree(drawing);
    for site in snapshot.sites.iter_mut().filter(|site| site.name.contains(".await")) {
        site.kind = SiteKind::Await;
    }
    snapshot.elapsed_ns = 10 * SECOND;
    for id in 1..=3_u64 {
        let mut task = Task::default();
        (task.id, task.state, task.since_ns) = (TaskId::new(id), RunState::Waiting, (3 + id) * SECOND);
        (task.is_unspawned, task.opaque_wakers) = (true, Some(1));
        snapshot.tasks.push(task);
        for (depth, node) in [0, 2, 3, 4].into_iter().enumerate() {
            let mut span = Span::default();
            (span.id, span.task) = (SpanId::new(id * 2 + depth as u64 / 2), Some(TaskId::new(id)));
            (span.site, span.state) = (snapshot.nodes[node].site, RunState::Waiting);
            (span.since_ns, span.age_ns) = ((3 + id) * SECOND, (3 + id) * SECOND);
            span.parent = (depth > 0).then(|| SpanIndex::new(snapshot.spans.len() - 1));
            snapshot.spans.push(span);
        }
    }
    change(&mut snapshot);
    let findings = snapshot.findings();
    findings.iter().filter(|it| it.rule.to_string() == "stopped").map(ToString::to_string).collect()
}

#[test]
fn callers_that_have_all_connections_and_want_one_more_are_found() {
    let expected = "3 calls wait at `self.pool.get().await` (src/main.rs:5), for 6.00 s at the longest, and none has ever gone on \
                    from there: their callers have taken one at src/main.rs:2. Next: pass on what the caller has taken there, \
                    instead of taking a second one: once all are with such callers, none of them goes on. (stopped)";
    assert_eq!(stopped(INVOICES, |_| ()), [expected]);
    let permits = INVOICES
        .replace("self.pool.get()", "sem.acquire()")
        .replace("pool.get()", "sem.clone().acquire_owned()");
    assert_eq!(stopped(&permits, |_| ()).len(), 1);
}

/// Forty other calls of `invoice` have got both connections, and have ended.
#[test]
fn callers_that_got_one_before_are_named_too() {
    let some = INVOICES.replace("calls=3 pending=3", "calls=43 completed=40 pending=3");
    let some = some.replace("calls=3 completed=3", "calls=43 completed=43");
    let sentences = stopped(&some, |it| {
        for node in [0, 3] {
            it.nodes[node].latency.completed = durations(&[SECOND / 1_000; 40]);
        }
    });
    let [finding] = &sentences[..] else { panic!("one finding: {sentences:?}") };
    assert!(finding.contains("40 others have ended"), "{finding}");
    assert!(
        finding.contains("Next: pass on what the caller has taken at src/main.rs:2, instead of"),
        "{finding}"
    );
}

/// Where all calls hang, workers hardly work, and wait for a CPU at each of their few wakes.
#[test]
fn waits_for_a_cpu_make_other_waits_longer_by_themselves_at_most() {
    let with_worker = |cpu_ms: u64, delayed_ms: u64| {
        let findings = stopped(INVOICES, |it| {
            let mut worker = Worker::default();
            (worker.cpu_ns, worker.delayed_ns) =
                (Some(cpu_ms * SECOND / 1_000), Some(delayed_ms * SECOND / 1_000));
            it.workers.push(worker);
        });
        findings.len()
    };
    assert_eq!(with_worker(1, 5), 1, "six times as long, and by 5 ms at most");
    assert_eq!(with_worker(1, 999), 1, "5.999 s");
    assert_eq!(with_worker(1, 1_001), 0, "6.001 s");
    assert_eq!(with_worker(100_000, 10_000), 1, "a tenth longer");
}

#[test]
fn calls_that_wait_for_their_only_connection_are_not() {
    let silent = |drawing: &str| stopped(drawing, |_| ());
    let passed = INVOICES.replace("calls=3 pending=3 polls=3", "calls=4 completed=1 pending=3 polls=4");
    assert_eq!(silent(&passed), [""; 0], "one got it before");
    assert_eq!(silent(&INVOICES.replace("  pool.get()", "  query(id)")), [""; 0], "they have none yet");
    assert_eq!(silent(&INVOICES.replace("  pool.get()", "  reads_pool.get()")), [""; 0], "of another pool");
    let first = INVOICES.replace("calls=3 completed=3 polls=3", "calls=3 pending=3 polls=3");
    assert_eq!(silent(&first), [""; 0], "no caller has got one");
    assert_eq!(stopped(INVOICES, |it| it.spans.truncate(8)), [""; 0], "two wait");
    let soon = |it: &mut Snapshot| it.spans.iter_mut().for_each(|span| span.since_ns = 4 * SECOND);
    assert_eq!(stopped(INVOICES, soon), [""; 0], "not for long");
    let elsewhere = |it: &mut Snapshot| {
        it.nodes[1].parent = None;
    };
    assert_eq!(stopped(INVOICES, elsewhere), [""; 0], "another function takes it");
}
