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

/// Ten seconds of 1,000 requests that ask 2,000 times each for a flag, on two workers.
const REQUESTS: &str = "item | calls=1000 completed=998 pending=2 polls=2_000_000 busy=200_000_000 queued=7_000_000_000 idle=8_000_000_000
  wait_flag(at).await | calls=1000 completed=998 polls=2_000_000 busy=150_000_000 idle=8_000_000_000
    wait_flag | calls=1000 completed=998 polls=2_000_000 busy=150_000_000 idle=8_000_000_000 self_idle=8_000_000_000
";

fn requests(drawing: &str, parked_ms: u64) -> Snapshot {
    let mut snapshot = tree(drawing);
    snapshot.elapsed_ns = 10_000 * MS;
    for site in snapshot.sites.iter_mut().filter(|site| site.name.contains(".await")) {
        site.kind = SiteKind::Await;
    }
    for id in 1..=2_u64 {
        let mut worker = Worker::default();
        (worker.listed_ns, worker.parked_ns) = (10_000 * MS, parked_ms * MS);
        snapshot.workers.push(worker);
        let mut task = Task::default();
        (task.id, task.site, task.kind) = (TaskId::new(id), SiteIndex::new(0), TaskKind::Future);
        (task.age_ns, task.polls, task.wakes, task.self_wakes) = (4 * MS, 1_000, 1_000, 999);
        snapshot.tasks.push(task);
    }
    snapshot
}

#[test]
fn requests_that_ask_again_and_again_and_end_are_found() {
    let expected = "self_wake: 1,000 calls of `item` (src/main.rs:1) were polled 2,000,000 times, for 100 ns on average, and \
                    100 % of the wakes of live tasks came from the task itself; most polls are in `wait_flag` (src/main.rs:3)";
    assert_eq!(sentences(&requests(REQUESTS, 7_400)), [expected]);
    assert_eq!(sentences(&requests(REQUESTS, 7_500)), [""; 0], "the workers have time");
}

#[test]
fn requests_that_are_polled_often_for_other_reasons_are_healthy() {
    let drawn = |from: &str, to: &str| sentences(&requests(&REQUESTS.replace(from, to), 5_000)).len();
    assert_eq!(drawn("", ""), 1);
    assert_eq!(drawn("polls=2_000_000", "polls=999_000"), 0, "under 100,000 a second");
    assert_eq!(
        drawn("calls=1000 completed=998", "calls=2001 completed=2000"),
        0,
        "under 1,000 for each call"
    );
    assert_eq!(drawn("completed=998 pending=2", "completed=400 pending=600"), 0, "most do not end");
    assert_eq!(drawn("busy=200_000_000", "busy=12_000_000_000"), 0, "they work");
    assert_eq!(drawn("queued=7_000_000_000", "queued=3_800_000_000"), 0, "they wait for others");
    let changed = |change: fn(&mut Task)| {
        let mut snapshot = requests(REQUESTS, 5_000);
        snapshot.tasks.iter_mut().for_each(change);
        sentences(&snapshot).len()
    };
    assert_eq!(changed(|task| task.self_wakes = 899), 0, "others wake them");
    assert_eq!(changed(|task| task.wakes = 0), 0, "too few wakes are known");
}

/// Ten seconds of 20 sessions, in a loop around a `select!`: `changed` completes at once, a million
/// times in all.
const SESSIONS: &str = "session | calls=20 pending=20 polls=20_000 busy=6_000_000_000 idle=100_000_000_000
  config.changed() | calls=1_000_000 completed=1_000_000 polls=1_000_900 busy=4_000_000_000 idle=30_000_000_000
  lines.next_line() | calls=1_000_000 completed=20_000 cancelled=980_000 polls=1_000_000 idle=60_000_000_000";

fn sessions(drawing: &str, elapsed_ms: u64) -> Vec<String> {
    let mut snapshot = tree(drawing);
    snapshot.elapsed_ns = elapsed_ms * MS;
    snapshot.sites[1].kind = SiteKind::Await;
    snapshot.sites[2].kind = SiteKind::Await;
    snapshot.findings().iter().map(ToString::to_string).collect()
}

#[test]
fn a_select_that_spins_on_a_closed_channel_is_found() {
    assert_eq!(
        sessions(SESSIONS, 10_000),
        [
            "`config.changed()` (src/main.rs:2) was ready at once 1,000,000 times, 100,000 times a second: a loop of `session` that \
          waits for nothing. Next: end the loop, or drop that branch, once the await says that there is nothing more: if all \
          senders are gone, or a token is cancelled, it is ready for ever. (self_wake)"
        ]
    );
    assert_eq!(sessions(SESSIONS, 50_001), [""; 0], "19,999 times a second");
    assert_eq!(sessions(SESSIONS, 999), [""; 0], "a start");
    let waits = SESSIONS.replace("polls=1_000_900", "polls=1_010_001");
    assert_eq!(sessions(&waits, 10_000), [""; 0], "it waits now and then: there are changes");
    let messages = SESSIONS.replace("config.changed()", "messages.recv()");
    assert_eq!(sessions(&messages, 10_000), [""; 0], "each completion is a message");
}
