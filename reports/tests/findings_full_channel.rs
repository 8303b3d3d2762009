//! The rule `full_channel` on drawn services: requests that wait, and stages that are meant to.

use crate::support::tree;
use diagnose_reports::Snapshot;
use diagnose_reports::model::{
    Holding, Resource, ResourceId, ResourceKind, Role, SiteIndex, SiteKind, Task, TaskId, Wait, WaitId,
    WaitMode,
};

const MS: u64 = 1_000_000;

/// Four of eight connections wait in `submit` for a slot of a channel, as 1,000 requests did for
/// 60 ms each before. Its receiver stores for 7 ms, and never waits. Ten seconds are recorded.
const CONNECTIONS: &str = "connection | calls=8 pending=8 polls=3000 busy=1_000_000 idle=80_000_000_000
  socket.read_line(&mut line).await | calls=1004 polls=2000 idle=20_000_000_000 self_idle=20_000_000_000
  submit | calls=1004 completed=1000 pending=4 polls=2000 busy=1_000_000 idle=60_000_000_000
    jobs.send(id).await | calls=1004 polls=2000 idle=60_000_000_000 self_idle=60_000_000_000
  socket.write_all(answer).await | calls=1000 polls=1000 busy=1_000_000
writer | calls=1 pending=1 polls=1000 busy=1_000_000 idle=9_000_000_000
  received.recv().await | calls=1000 polls=1000 idle=500_000_000 self_idle=500_000_000
  store(job).await | calls=1000 polls=2000 idle=8_500_000_000 self_idle=8_500_000_000
";

/// The drawn service, and its channel. `root` is the function of the waiting tasks.
fn service(drawing: &str, root: &str) -> Snapshot {
    let mut snapshot = tree(drawing);
    snapshot.elapsed_ns = 10_000 * MS;
    for site in snapshot.sites.iter_mut().filter(|site| site.name.contains(".await")) {
        site.kind = SiteKind::Await;
        site.end_line = site.place.line;
        site.end_column = 40;
    }
    let site_of = |name: &str| snapshot.sites.iter().position(|site| site.name.contains(name)).unwrap();
    let (send, receive) = (site_of(".send("), site_of("received.recv("));
    let (root, writer) = (site_of(root), site_of("writer"));
    let task = |id: u64, site: usize| {
        let mut task = Task::default();
        (task.id, task.site, task.age_ns, task.since_ns) =
            (TaskId::new(id), SiteIndex::new(site), 10_000 * MS, MS);
        (task.spawned_by, task.opaque_wakers) = (Some(TaskId::new(9)), Some(1));
        task
    };
    let mut tasks: Vec<Task> = (1..=4).map(|id| task(id, root)).collect();
    tasks.push(task(5, writer));
    let mut channel = Resource::default();
    (channel.id, channel.kind, channel.capacity) = (ResourceId::new(1), ResourceKind::Mpsc, Some(4));
    (channel.filled, channel.age_ns, channel.is_fair) = (4, 10_000 * MS, true);
    channel.created = Some(crate::support::place_at(500, 9));
    let usage = &mut channel.usage;
    (usage.acquisitions, usage.contended, usage.waited) = (1_000, 1_004, 1_000);
    (usage.waited_ns, usage.wait.p99_ns) = (59_900 * MS, 70 * MS);
    let mut end = Holding::default();
    (end.role, end.task, end.uses) = (Role::Receives, Some(TaskId::new(5)), 996);
    end.place = Some(snapshot.sites[receive].place.clone());
    channel.holdings.push(end);
    snapshot.resources.push(channel);
    for id in 1..=4_u64 {
        let mut wait = Wait::default();
        (wait.id, wait.task, wait.mode) = (WaitId::new(id), Some(TaskId::new(id)), WaitMode::Send);
        (wait.resource, wait.since_ns) = (Some(ResourceId::new(1)), id * 10 * MS);
        let mut place = snapshot.sites[send].place.clone();
        place.column += 5;
        wait.place = Some(place);
        snapshot.waits.push(wait);
    }
    snapshot.tasks = tasks;
    snapshot
}

fn sentences(snapshot: &Snapshot) -> Vec<String> {
    snapshot.findings().iter().map(ToString::to_string).collect()
}

#[test]
fn requests_that_wait_for_a_slot_are_found_with_what_the_receiver_does() {
    let [finding] = &sentences(&service(CONNECTIONS, "connection"))[..] else { panic!("one finding") };
    assert!(
        finding.starts_with(
            "the mpsc with 4 slots created at src/main.rs:500 is full and makes `submit` wait: 100 % of its time, p99 70.0 ms, \
             and 4 calls wait now; it is emptied by `writer` at src/main.rs:7, which spends most of its time in \
             `store(job).await` (src/main.rs:8). Next: make the receiver faster"
        ),
        "{finding}"
    );
    assert!(finding.ends_with("(full_channel)"), "{finding}");
}

#[test]
fn connections_that_send_themselves_are_requests_by_the_answers_that_they_write() {
    let by = |completed: u64, write: &str| {
        let drawing = CONNECTIONS.replace(
            "  submit | calls=1004 completed=1000 pending=4 polls=2000 busy=1_000_000 idle=60_000_000_000\n",
            "",
        );
        let drawing = drawing.replace(
            "    jobs.send(id).await | calls=1004",
            &format!("  jobs.send(id).await | calls=1004 completed={completed}"),
        );
        sentences(&service(&drawing.replace("socket.write_all(answer).await", write), "connection"))
    };
    let [finding] = &by(1_000, "socket.write_all(answer).await")[..] else { panic!("one finding") };
    assert!(finding.contains("is full and makes `connection` wait: 75 % of its time"), "{finding}");
    assert_eq!(by(99, "socket.write_all(answer).await"), [""; 0], "a start");
    assert_eq!(by(1_000, "yield_now().await"), [""; 0], "nothing is answered");
}

/// Each thread has a range of ids of its own.
#[test]
fn ids_of_tasks_that_are_not_in_the_order_of_creation_are_found() {
    let mut snapshot = service(CONNECTIONS, "connection");
    snapshot.tasks.reverse();
    let ids: Vec<u64> = snapshot.tasks.iter().map(|task| task.id.get()).collect();
    assert_eq!(ids, [5, 4, 3, 2, 1]);
    assert!((1..=5).all(|id| snapshot.task(TaskId::new(id)).unwrap().id.get() == id));
    assert_eq!(snapshot.task(TaskId::new(6)), None);
    assert!(sentences(&snapshot)[0].contains("it is emptied by `writer` at src/main.rs:7"));
}

#[test]
fn handlers_of_a_framework_are_requests() {
    let handlers =
        "submit | calls=1004 completed=1000 pending=4 polls=2000 busy=1_000_000 idle=60_000_000_000
  jobs.send(id).await | calls=1004 polls=2000 idle=60_000_000_000 self_idle=60_000_000_000
writer | calls=1 pending=1 polls=1000 busy=1_000_000 idle=9_000_000_000
  received.recv().await | calls=1000 polls=1000 idle=500_000_000 self_idle=500_000_000
";
    let mut snapshot = service(handlers, "submit");
    assert_eq!(sentences(&snapshot), [""; 0], "spawned by the program: items of a batch");
    snapshot.tasks.iter_mut().for_each(|task| task.is_unspawned = true);
    let [finding] = &sentences(&snapshot)[..] else { panic!("one finding") };
    assert!(finding.contains("it is emptied by `writer` at src/main.rs:4. Next"), "{finding}");
}

/// Also if the stages wait in functions that end for each item, and read from a socket.
#[test]
fn a_pipeline_with_back_pressure_is_healthy() {
    let source = |read: &str, write: &str| {
        let drawing = CONNECTIONS.replace("socket.read_line(&mut line).await", read);
        sentences(&service(&drawing.replace("socket.write_all(answer).await", write), "connection")).len()
    };
    assert_eq!(source("socket.read_line(&mut line).await", "socket.write_all(answer).await"), 1);
    assert_eq!(source("socket.read_line(&mut line).await", "yield_now().await"), 0, "nothing is answered");
    assert_eq!(source("raw.recv().await", "socket.write_all(answer).await"), 0, "a stage");
    assert_eq!(source("socket.read_line(&mut line).await", "stored.send(row).await"), 0, "a stage");
    assert_eq!(source("stream.next().await", "sink.send(row).await"), 0, "a stage");
    assert_eq!(source("fetch(id).await", "socket.write_all(answer).await"), 0, "a crawler");
    assert_eq!(source("ws.next().await", "ws.send(answer).await"), 1, "a socket of messages");
}

#[test]
fn bursts_batches_and_short_waits_are_healthy() {
    let changed = |change: fn(&mut Snapshot)| {
        let mut snapshot = service(CONNECTIONS, "connection");
        change(&mut snapshot);
        sentences(&snapshot)
    };
    assert_eq!(changed(|_| ()).len(), 1);
    assert_eq!(changed(|it| it.waits.truncate(3)), [""; 0], "few senders");
    assert_eq!(changed(|it| it.waits[0].since_ns = 30 * MS), [""; 0], "a batch");
    assert_eq!(changed(|it| it.resources[0].usage.acquisitions = 2_100), [""; 0], "most need not wait");
    assert_eq!(changed(|it| it.resources[0].usage.waited_ns = 19_000 * MS), [""; 0], "19 ms on average");
    assert_eq!(changed(|it| it.resources[0].usage.waited = 99), [""; 0], "a start");
    assert_eq!(changed(|it| it.resources[0].capacity = None), [""; 0], "no bound");
    assert_eq!(changed(|it| it.nodes[2].completed = 99), [""; 0], "its calls do not end");
    assert_eq!(changed(|it| it.nodes[2].idle_ns = 121_000 * MS), [""; 0], "under half of its time");
    assert_eq!(changed(|it| it.nodes[6].idle_ns = 5_000 * MS), [""; 0], "its receiver waits for messages");
}

#[test]
fn waits_are_scaled_by_the_delay_of_the_workers() {
    let delayed_by = |ms: u64| {
        let mut snapshot = service(CONNECTIONS, "connection");
        let mut worker = diagnose_reports::model::Worker::default();
        (worker.cpu_ns, worker.delayed_ns) = (Some(10_000 * MS), Some(ms * MS));
        snapshot.workers.push(worker);
        sentences(&snapshot).len()
    };
    assert_eq!(delayed_by(0), 1);
    assert_eq!(delayed_by(90_000), 0, "ten times");
}

/// Of 200 handlers in 10 s, 50 have ended: the receiver needs 200 ms for each.
#[test]
fn a_few_handlers_that_wait_long_are_found() {
    let handlers = "submit | calls=200 completed=50 pending=150 polls=400 busy=1_000_000 idle=400_000_000_000
  jobs.send(id).await | calls=200 polls=400 idle=400_000_000_000 self_idle=400_000_000_000
writer | calls=1 pending=1 polls=100 busy=1_000_000 idle=9_900_000_000
  received.recv().await | calls=50 polls=50 idle=100_000_000 self_idle=100_000_000
";
    let changed = |change: fn(&mut Snapshot)| {
        let mut snapshot = service(handlers, "submit");
        snapshot.tasks.iter_mut().for_each(|task| task.is_unspawned = true);
        let usage = &mut snapshot.resources[0].usage;
        (usage.acquisitions, usage.waited, usage.waited_ns) = (54, 50, 150_000 * MS);
        (usage.wait.p50_ns, usage.wait.p99_ns) = (3_000 * MS, 6_000 * MS);
        snapshot.waits.iter_mut().for_each(|wait| wait.since_ns *= 100);
        for _ in 0..20 {
            let wait = snapshot.waits[3].clone();
            snapshot.waits.push(wait);
        }
        change(&mut snapshot);
        sentences(&snapshot)
    };
    let [finding] = &changed(|_| ())[..] else { panic!("one finding: {:?}", changed(|_| ())) };
    assert!(finding.contains("is full and makes `submit` wait"), "{finding}");
    assert_eq!(changed(|it| it.resources[0].usage.wait.p50_ns = 199 * MS), [""; 0], "most waits are short");
    assert_eq!(changed(|it| it.resources[0].usage.waited = 19), [""; 0], "a start");
    assert_eq!(changed(|it| it.elapsed_ns = 4_999 * MS), [""; 0], "a start");
    assert_eq!(changed(|it| it.nodes[0].completed = 19), [""; 0], "under a tenth has ended");
    assert_eq!(changed(|it| it.nodes[1].calls = 401), [""; 0], "a stage that sends again and again");
}
