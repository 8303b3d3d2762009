//! The rule `stopped` where calls wait for their turn: workers that wait for their next job, and
//! locks whose holder does.

use crate::findings_locks::add_mutex;
use crate::findings_stopped::{MS, USERS, add_waits, calls_at, sentences, service_at, waiting_at};
use diagnose_reports::Snapshot;
use diagnose_reports::model::{
    Holding, Resource, ResourceId, ResourceKind, Role, SiteIndex, SpanId, SpanIndex, TaskId, WaitId, WaitMode,
};

/// Four workers that wait beside a signal to stop; 600 jobs have ended.
const WORKERS: &str = "worker | calls=4 pending=4 polls=2000 idle=40_000_000_000
  ready.notified().await | calls=4 completed=4 polls=8 idle=10_000_000
  take(queue).await | calls=604 completed=600 pending=4 polls=1204 idle=20_000_000_000
    take | calls=604 completed=600 pending=4 polls=1204 idle=20_000_000_000
      queue.xread_options(key).await | calls=604 pending=4 polls=1204 idle=20_000_000_000 self_idle=20_000_000_000
  stop.changed().await | calls=604 cancelled=600 pending=4 polls=1204 idle=20_000_000_000 self_idle=20_000_000_000
  process(job).await | calls=600 completed=600 polls=1200 idle=3_000_000_000
    process | calls=600 completed=600 polls=1200 idle=3_000_000_000
      database.insert(job).await | calls=600 polls=1200 idle=3_000_000_000 self_idle=3_000_000_000
";

#[test]
fn workers_that_can_be_stopped_wait_for_their_next_job() {
    // The arms of the `select!` that are polled now.
    let waiting = |drawing: &str, names: [&str; 3], arms: [&str; 2]| {
        let mut snapshot = calls_at(drawing, names);
        let site = |name: &str| snapshot.sites.iter().position(|site| site.name == name).map(SiteIndex::new);
        let [call, beside] = arms.map(site);
        for worker in [0, 3, 6, 9] {
            snapshot.spans[worker + 1].at = call;
            let mut arm = snapshot.spans[worker + 2].clone();
            (arm.id, arm.parent) = (snapshot.spans[worker].id, Some(SpanIndex::new(worker)));
            arm.site = beside.unwrap_or(arm.site);
            snapshot.spans.extend(beside.map(|_| arm));
        }
        sentences(&snapshot)
    };
    for awaited in ["queue.xread_options(key).await", "queue.lease().await", "jobs.pull().await"] {
        let drawing = WORKERS.replace("queue.xread_options(key).await", awaited);
        let idle =
            waiting(&drawing, ["worker", "take", awaited], ["take(queue).await", "stop.changed().await"]);
        assert_eq!(idle, [""; 0], "{awaited}");
    }
    let stopped = |drawing: &str| {
        let drawing = drawing.replace("600 polls=1200", "600 pending=4 polls=1200");
        let names = ["worker", "process", "database.insert(job).await"];
        waiting(&drawing, names, ["process(job).await", ""])
    };
    let [finding] = &stopped(WORKERS)[..] else { panic!("one finding") };
    assert!(finding.starts_with("4 calls of `process` (src/main.rs:8) wait at"), "{finding}");
    let unstoppable = WORKERS.replace("stop.changed()", "log(job)");
    assert_eq!(stopped(&unstoppable), [""; 0], "a signal to begin comes once");
    assert_eq!(stopped(&unstoppable.replace("calls=4 completed=4", "calls=5 completed=5")).len(), 1);
}

/// Another task holds the lock, and waits at `holder`.
fn holds_while_it_waits_at(snapshot: &mut Snapshot, holder: &str) {
    let mut site = snapshot.sites.last().unwrap().clone();
    (site.name, site.place.line, site.end_line) = (holder.into(), 80, 80);
    snapshot.sites.push(site);
    let mut span = snapshot.spans[2].clone();
    (span.id, span.task, span.parent) = (SpanId::new(90), Some(TaskId::new(9)), None);
    span.site = SiteIndex::new(snapshot.sites.len() - 1);
    let mut node = snapshot.nodes.last().unwrap().clone();
    (node.site, node.parent) = (span.site, None);
    snapshot.nodes.push(node);
    let mut task = snapshot.tasks[0].clone();
    (task.id, task.span) = (TaskId::new(9), Some(SpanIndex::new(snapshot.spans.len())));
    snapshot.spans.push(span);
    snapshot.tasks.push(task);
    let mut holding = Holding::default();
    (holding.role, holding.task, holding.since_ns) = (Role::Holds, Some(TaskId::new(9)), 6_000 * MS);
    snapshot.resources[0].holdings.push(holding);
}

#[test]
fn calls_behind_one_that_waits_for_the_next_job_take_turns() {
    let held_at = |holder: &str| {
        let mut snapshot = waiting_at("jobs.lock().await");
        add_waits(&mut snapshot, ResourceKind::Mutex, WaitMode::Lock, true);
        holds_while_it_waits_at(&mut snapshot, holder);
        sentences(&snapshot).len()
    };
    assert_eq!([held_at("jobs.lock().await.recv().await"), held_at("database.insert(job).await")], [0, 1]);
}

/// Requests take connections from a channel and send them back. All are lost.
#[test]
fn requests_behind_one_that_waits_for_an_item_of_a_pool_are_found() {
    let sent_by = |sender: &str| {
        let mut drawing = USERS.replace("database.read_exact(row).await", "free.lock().await");
        drawing += "    put.send(conn).await | calls=1000 completed=1000 polls=1000\n";
        drawing += "  socket.write_all(answer).await | calls=1000 completed=1000 polls=1000\n";
        drawing += "sweep | calls=1 pending=1 polls=10\n  put.send(fresh).await | calls=10 completed=10\n";
        let mut snapshot = service_at(&drawing, "free.lock().await");
        add_mutex(&mut snapshot, "free.lock().await", 100, 100, 100);
        add_waits(&mut snapshot, ResourceKind::Mutex, WaitMode::Lock, true);
        holds_while_it_waits_at(&mut snapshot, "free.lock().await.recv().await");
        let place =
            |name: &str| snapshot.sites.iter().find(|site| site.name == name).map(|it| it.place.clone());
        let (sent_at, received_at) = (place(sender), place("free.lock().await.recv().await"));
        let mut channel = Resource::default();
        (channel.id, channel.kind, channel.capacity) = (ResourceId::new(2), ResourceKind::Mpsc, Some(4));
        let mut end = Holding::default();
        (end.role, end.uses, end.place) = (Role::Sends, 1_000, sent_at);
        channel.holdings.push(end);
        snapshot.resources.push(channel);
        let mut wait = snapshot.waits[0].clone();
        (wait.id, wait.task, wait.span) = (WaitId::new(9), Some(TaskId::new(9)), Some(SpanId::new(90)));
        (wait.mode, wait.resource, wait.place) = (WaitMode::Receive, Some(ResourceId::new(2)), received_at);
        snapshot.waits.push(wait);
        sentences(&snapshot).iter().filter(|finding| finding.ends_with("(stopped)")).count()
    };
    assert_eq!([sent_by("put.send(conn).await"), sent_by("put.send(fresh).await")], [1, 0]);
}
