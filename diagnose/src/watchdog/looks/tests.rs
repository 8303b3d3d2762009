//! Tests of the findings in hand-written snapshots.

use diagnose_reports::Snapshot;
use diagnose_reports::model::{RunState, Runtime, SiteIndex, Task, TaskId, TaskKind, Worker};

use super::{Finding, Looks};

/// Returns a snapshot of runtime 1 with two workers, on threads 11 and 12.
fn snapshot() -> Snapshot {
    let mut snapshot = Snapshot::default();
    let mut runtime = Runtime::default();
    runtime.number = 1;
    runtime.workers = 2;
    snapshot.runtimes.push(runtime);
    for thread in [11, 12] {
        let mut worker = Worker::default();
        worker.runtime_number = 1;
        worker.thread_id = Some(thread);
        worker.since_ns = 1_000;
        snapshot.workers.push(worker);
    }
    snapshot
}

fn task(id: u64, state: RunState, since_ns: u64) -> Task {
    let mut task = Task::default();
    task.runtime = "tokio".into();
    task.id = TaskId::new(id);
    task.state = state;
    task.since_ns = since_ns;
    task.runtime_number = 1;
    task
}

fn running(id: u64, thread: u64, since_ns: u64) -> Task {
    let mut task = task(id, RunState::Running, since_ns);
    task.thread_id = Some(thread);
    task
}

/// Returns each finding as one word with the numbers of its tasks.
fn found(looks: &mut Looks, snapshot: &Snapshot) -> Vec<String> {
    let ids = |tasks: &[&Task]| tasks.iter().fold(String::new(), |ids, task| format!("{ids} {}", task.id));
    let findings = looks.look(snapshot, 100);
    let words = findings.iter().map(|finding| match finding {
        Finding::LongPoll(task) => format!("long {}", task.id),
        Finding::Blocked { polls, queued, .. } => format!("blocked{}, queued{}", ids(polls), ids(queued)),
        Finding::Uneven { queued, .. } => format!("uneven{}", ids(queued)),
        Finding::Starved(tasks) => format!("starved{}", ids(tasks)),
    });
    words.collect()
}

#[test]
fn each_alarm_is_reported_once() {
    let mut snapshot = snapshot();
    snapshot.tasks = vec![running(1, 11, 99), task(2, RunState::Queued, 99)];
    let mut looks = Looks::default();
    assert_eq!(found(&mut looks, &snapshot), [""; 0], "nothing is late yet");
    snapshot.tasks = vec![running(1, 11, 100), task(2, RunState::Queued, 100)];
    assert_eq!(found(&mut looks, &snapshot), ["long 1", "starved 2"]);
    assert_eq!(found(&mut looks, &snapshot), [""; 0]);
    snapshot.tasks[0].polls = 1;
    assert_eq!(found(&mut looks, &snapshot), ["long 1"], "another poll");
}

#[test]
fn workers_are_reported_once_the_last_of_them_is_blocked() {
    let mut snapshot = snapshot();
    snapshot.tasks = vec![
        running(1, 11, 300),
        running(2, 12, 50),
        task(3, RunState::Unpolled, 10),
        task(4, RunState::Queued, 200),
    ];
    let mut looks = Looks::default();
    assert_eq!(found(&mut looks, &snapshot), ["long 1", "starved 4"]);
    snapshot.tasks[1].since_ns = 100;
    assert_eq!(found(&mut looks, &snapshot), ["long 2", "blocked 1 2, queued 4 3"]);
    assert_eq!(found(&mut looks, &snapshot), [""; 0]);
    snapshot.tasks.push(task(5, RunState::Queued, 150));
    assert_eq!(found(&mut looks, &snapshot), [""; 0], "the reason why it is late has been reported");
    snapshot.tasks[0].polls = 1;
    assert_eq!(found(&mut looks, &snapshot), ["long 1", "blocked 1 2, queued 4 5 3"], "another poll");
}

#[test]
fn a_task_of_no_known_runtime_blocks_the_worker_that_it_is_on() {
    let mut snapshot = snapshot();
    snapshot.tasks = vec![running(1, 11, 300), running(2, 12, 300), running(3, 13, 300)];
    snapshot.tasks[1].runtime_number = 0;
    snapshot.tasks[2].runtime_number = 0;
    let found = found(&mut Looks::default(), &snapshot);
    assert_eq!(found, ["long 1", "long 2", "long 3", "blocked 1 2, queued"]);
}

#[test]
fn a_single_worker_is_blocked_only_if_a_task_waits_for_it() {
    let mut snapshot = snapshot();
    snapshot.runtimes[0].workers = 1;
    snapshot.tasks = vec![running(1, 11, 300)];
    let mut looks = Looks::default();
    assert_eq!(found(&mut looks, &snapshot), ["long 1"]);
    snapshot.tasks.push(task(2, RunState::Unpolled, 1));
    assert_eq!(found(&mut looks, &snapshot), ["blocked 1, queued 2"]);
}

#[test]
fn block_in_place_may_take_long_and_blocks_no_worker() {
    let mut snapshot = snapshot();
    let mut site = diagnose_reports::model::Site::default();
    site.name.push_str("block_in_place");
    site.is_blocking = true;
    snapshot.sites.push(site);
    snapshot.tasks = vec![running(1, 11, 300), running(2, 12, 300)];
    snapshot.tasks[1].running.push(SiteIndex::default());
    assert_eq!(found(&mut Looks::default(), &snapshot), ["long 1"]);
}

#[test]
fn a_queue_beside_a_parked_worker_is_uneven() {
    let mut snapshot = snapshot();
    snapshot.workers[1].parked = true;
    snapshot.tasks =
        vec![running(1, 11, 300), task(2, RunState::Queued, 200), task(3, RunState::Unpolled, 100)];
    let mut looks = Looks::default();
    assert_eq!(found(&mut looks, &snapshot), ["long 1", "uneven 2 3"]);
    assert_eq!(found(&mut looks, &snapshot), [""; 0]);
    // The worker has only just run out of work.
    snapshot.workers[1].since_ns = 99;
    assert_eq!(found(&mut Looks::default(), &snapshot), ["long 1", "starved 2 3"]);
}

#[test]
fn a_task_starves_only_while_a_thread_runs_its_executor() {
    let mut snapshot = snapshot();
    snapshot.tasks = vec![task(2, RunState::Queued, 200), task(3, RunState::Unpolled, 100)];
    assert_eq!(found(&mut Looks::default(), &snapshot), ["starved 2 3"]);
    // Between two `block_on`s of a runtime without threads.
    snapshot.workers.clear();
    assert_eq!(found(&mut Looks::default(), &snapshot), [""; 0]);
    // Its blocking work goes on.
    let mut blocking = running(4, 13, 50);
    blocking.kind = TaskKind::Blocking;
    snapshot.tasks.push(blocking);
    assert_eq!(found(&mut Looks::default(), &snapshot), [""; 0]);
    snapshot.tasks.pop();
    // A `LocalSet` that nothing runs now, and one whose thread is busy.
    for task in &mut snapshot.tasks {
        (task.runtime_number, task.is_local, task.thread_id) = (0, true, Some(11));
    }
    assert_eq!(found(&mut Looks::default(), &snapshot), [""; 0]);
    snapshot.tasks.push(running(1, 11, 150));
    assert_eq!(found(&mut Looks::default(), &snapshot), ["long 1", "starved 2"]);
}

#[test]
fn a_task_of_an_unknown_runtime_is_late_only_beside_a_late_poll() {
    let mut snapshot = snapshot();
    let mut unspawned = task(3, RunState::Queued, 150);
    unspawned.runtime = "".into();
    snapshot.tasks = vec![running(1, 11, 50), unspawned];
    let mut looks = Looks::default();
    assert_eq!(found(&mut looks, &snapshot), [""; 0], "what polls it may have other things to do");
    snapshot.tasks[0].since_ns = 100;
    assert_eq!(found(&mut looks, &snapshot), ["long 1", "starved 3"]);
}
