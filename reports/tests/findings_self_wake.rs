//! The rule `self_wake` on connections that wait for their clients between requests that spin.

use diagnose_reports::Snapshot;
use diagnose_reports::model::{SiteIndex, SiteKind, Task, TaskId, TaskKind, Worker};

use crate::support::{place_at, tree};

const MS: u64 = 1_000_000;

/// Four connections of ten seconds. Each asks 1,000,000 times for the end of a job, and is runnable
/// for 4 s, of which it is polled 400 ms.
const CONNECTIONS: &str = "connection | calls=4 pending=4 polls=4_000_000 busy=1_600_000_000 queued=14_400_000_000 idle=38_400_000_000
  stream.read_line(&mut line).await | calls=204 polls=400 idle=24_000_000_000 self_idle=24_000_000_000
  wait_for_job(id).await | calls=200 completed=200 polls=3_999_600 busy=1_600_000_000 idle=14_400_000_000
    wait_for_job | calls=200 completed=200 polls=3_999_600 busy=1_600_000_000 idle=14_400_000_000
      yield_now().await | calls=3_999_000 polls=7_998_000 idle=14_400_000_000 self_idle=14_400_000_000
  stream.write_all(answer).await | calls=200 completed=200 polls=200 busy=1_000_000
";

/// The service on one worker that has used a CPU for `cpu_ms`, and waited for one for 400 ms.
fn service(cpu_ms: u64) -> Snapshot {
    let mut snapshot = tree(CONNECTIONS);
    snapshot.elapsed_ns = 10_000 * MS;
    for site in snapshot.sites.iter_mut().filter(|site| site.name.contains(".await")) {
        site.kind = SiteKind::Await;
    }
    let mut worker = Worker::default();
    (worker.cpu_ns, worker.delayed_ns) = (Some(cpu_ms * MS), Some(400 * MS));
    snapshot.workers.push(worker);
    for id in 1..=4_u64 {
        let mut task = Task::default();
        (task.id, task.site, task.kind) = (TaskId::new(id), SiteIndex::new(0), TaskKind::Future);
        task.spawned_at = Some(place_at(70, 9));
        (task.age_ns, task.polls) = (10_000 * MS, 1_000_000);
        (task.wakes, task.self_wakes) = (1_000_000, 999_900);
        (task.busy_ns, task.queued_ns) = (400 * MS, 3_600 * MS);
        snapshot.tasks.push(task);
    }
    snapshot
}

fn sentences(snapshot: &Snapshot) -> Vec<String> {
    snapshot.findings().iter().map(|finding| format!("{}: {}", finding.rule, finding.sentence)).collect()
}

#[test]
fn requests_that_ask_again_and_again_are_found_between_waits_for_clients() {
    let expected = "self_wake: 4 tasks `connection` (src/main.rs:1), spawned at src/main.rs:70: 100 % of 4,000,000 wakes came \
                    from the task itself, and a poll takes 400 ns on average; most polls are in `wait_for_job` (src/main.rs:4)";
    assert_eq!(sentences(&service(2_000)), [expected]);
}

#[test]
fn they_are_healthy_if_they_hardly_use_the_workers_or_wait_for_others() {
    assert_eq!(sentences(&service(6_000)).len(), 1, "a quarter");
    assert_eq!(sentences(&service(6_100)), [""; 0], "under a quarter");
    let changed = |change: fn(&mut Task)| {
        let mut snapshot = service(2_000);
        snapshot.tasks.iter_mut().for_each(change);
        sentences(&snapshot).len()
    };
    assert_eq!(changed(|_| ()), 1);
    assert_eq!(changed(|task| task.self_wakes = 899_000), 0, "others wake them, too");
    assert_eq!(changed(|task| task.polls = 9_000), 0, "under 1,000 polls a second");
}
