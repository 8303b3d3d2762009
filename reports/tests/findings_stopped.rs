//! The rule `stopped` on drawn services: calls that have stopped ending, and waits that are meant.

use crate::findings_locks::drawn;
use crate::support::latency::durations;
use diagnose_reports::Snapshot;
use diagnose_reports::model::{
    Holding, Resource, ResourceId, ResourceKind, Role, RunState, SiteIndex, Span, SpanId, SpanIndex, Task,
    TaskId, Wait, WaitId, WaitMode,
};

pub(crate) const MS: u64 = 1_000_000;

/// Four connections, each of which waits in `get_user` for an answer of the database. A thousand
/// requests ended within 9 ms before.
pub(crate) const USERS: &str =
    "connection | calls=4 pending=4 polls=2000 busy=1_000_000 idle=40_000_000_000
  socket.read_line().await | calls=1004 polls=1004 idle=12_000_000_000 self_idle=12_000_000_000
  get_user | calls=1004 completed=1000 pending=4 polls=2004 idle=28_000_000_000
    database.write_all(query).await | calls=1004 polls=1004
    database.read_exact(row).await | calls=1004 pending=4 polls=2004 idle=28_000_000_000 self_idle=28_000_000_000
";

/// The drawn service: the calls of `get_user` have waited for 5 s at an await.
pub(crate) fn service_at(drawing: &str, awaited: &str) -> Snapshot {
    calls_at(drawing, ["connection", "get_user", awaited])
}

/// The drawn service: four tasks, each with a call that has waited for 5 s at an await.
pub(crate) fn calls_at(drawing: &str, [root, call, awaited]: [&str; 3]) -> Snapshot {
    let mut snapshot = drawn(drawing);
    snapshot.elapsed_ns = 10_000 * MS;
    let site = |name: &str| SiteIndex::new(snapshot.sites.iter().position(|site| site.name == name).unwrap());
    let (connection, get_user, read) = (site(root), site(call), site(awaited));
    let ended = snapshot.nodes.iter_mut().filter(|node| node.site == get_user && node.completed > 0);
    ended.for_each(|node| node.latency.completed = durations(&[3 * MS, 9 * MS]));
    for id in 1..=4_u64 {
        let root = snapshot.spans.len();
        let mut span = Span::default();
        (span.id, span.task, span.site) = (SpanId::new(id * 2), Some(TaskId::new(id)), connection);
        (span.state, span.since_ns, span.age_ns) = (RunState::Waiting, 5_000 * MS, 5_000 * MS);
        let mut call = span.clone();
        (call.id, call.site) = (SpanId::new(id * 2 + 1), get_user);
        call.parent = Some(SpanIndex::new(root));
        let mut own = call.clone();
        (own.site, own.parent) = (read, Some(SpanIndex::new(root + 1)));
        snapshot.spans.extend([span, call, own]);
        let mut task = Task::default();
        (task.id, task.span, task.state) = (TaskId::new(id), Some(SpanIndex::new(root)), RunState::Waiting);
        (task.site, task.age_ns, task.since_ns, task.opaque_wakers) =
            (connection, 9_000 * MS, 5_000 * MS, Some(1));
        snapshot.tasks.push(task);
    }
    snapshot
}

fn service() -> Snapshot {
    service_at(USERS, "database.read_exact(row).await")
}

/// The service with another await in place of the read, before which nothing was written.
fn unasked(awaited: &str) -> Snapshot {
    let unasked = USERS.replace("database.write_all(query)", "log").replace("read_exact(row)", "x");
    service_at(&unasked.replace("database.x.await", awaited), awaited)
}

/// The service with another await in place of the read.
pub(crate) fn waiting_at(awaited: &str) -> Snapshot {
    service_at(&USERS.replace("database.read_exact(row).await", awaited), awaited)
}

pub(crate) fn sentences(snapshot: &Snapshot) -> Vec<String> {
    snapshot.findings().iter().map(ToString::to_string).collect()
}

fn changed(change: impl Fn(&mut Snapshot)) -> usize {
    let mut snapshot = service();
    change(&mut snapshot);
    let findings = snapshot.findings();
    findings.iter().filter(|finding| finding.rule.to_string() == "stopped").count()
}

/// Each call waits at a resource of this kind: one for all, or one for each.
pub(crate) fn add_waits(snapshot: &mut Snapshot, kind: ResourceKind, mode: WaitMode, is_shared: bool) {
    let place = snapshot.sites.last().unwrap().place.clone();
    for id in 1..=4_u64 {
        let resource = ResourceId::new(if is_shared { 1 } else { id });
        if snapshot.resource(resource).is_none() {
            let mut it = Resource::default();
            (it.id, it.kind, it.age_ns) = (resource, kind, 9_000 * MS);
            it.created = Some(crate::support::place_at(500, 9));
            snapshot.resources.push(it);
        }
        let mut wait = Wait::default();
        (wait.id, wait.mode, wait.resource) = (WaitId::new(id), mode, Some(resource));
        (wait.task, wait.span) = (Some(TaskId::new(id)), Some(SpanId::new(id * 2 + 1)));
        (wait.since_ns, wait.place) = (5_000 * MS, Some(place.clone()));
        snapshot.waits.push(wait);
    }
}

#[test]
fn calls_that_wait_far_longer_than_those_that_ended_are_found_by_their_await() {
    assert_eq!(
        sentences(&service()),
        [
            "4 calls of `get_user` (src/main.rs:3) wait at `database.read_exact(row).await` (src/main.rs:5), for 5.00 s at the \
          longest; 1,000 others have ended, each within 9.00 ms. Next: find out why `database.read_exact(row).await` does not \
          end, and give it a time limit. (stopped)"
        ]
    );
}

#[test]
fn replies_that_are_lost_are_found() {
    let mut snapshot = waiting_at("reply.await");
    add_waits(&mut snapshot, ResourceKind::Oneshot, WaitMode::Receive, false);
    let [finding] = &sentences(&snapshot)[..] else { panic!("one finding") };
    assert!(finding.contains("wait at `reply.await` (src/main.rs:5), for 5.00 s"), "{finding}");
}

#[test]
fn permits_that_are_gone_are_found_with_their_semaphore() {
    let mut snapshot = waiting_at("permits.acquire().await");
    add_waits(&mut snapshot, ResourceKind::Semaphore, WaitMode::Acquire, true);
    let [finding] = &sentences(&snapshot)[..] else { panic!("one finding") };
    let words =
        "wait for the Semaphore created at src/main.rs:500 at `permits.acquire().await` (src/main.rs:5)";
    assert!(finding.contains(words), "{finding}");
}

#[test]
fn a_lock_whose_holder_is_known_is_reported_once() {
    let mut snapshot = waiting_at("ledger.lock().await");
    add_waits(&mut snapshot, ResourceKind::Mutex, WaitMode::Lock, true);
    let [finding] = &sentences(&snapshot)[..] else { panic!("one finding") };
    assert!(finding.ends_with("(stopped)"), "{finding}");
    snapshot.waits.pop();
    let mut holding = Holding::default();
    (holding.role, holding.task, holding.since_ns) = (Role::Holds, Some(TaskId::new(4)), 6_000 * MS);
    snapshot.resources[0].holdings.push(holding);
    let [finding] = &sentences(&snapshot)[..] else { panic!("one finding") };
    assert!(finding.ends_with("(held)"), "{finding}");
}

/// Each call is in one of this function.
fn add_caller(snapshot: &mut Snapshot, caller: SiteIndex) {
    let mut spans = Vec::new();
    for calls in snapshot.spans.chunks(3) {
        let root = spans.len();
        let (mut outer, mut call, mut own) = (calls[1].clone(), calls[1].clone(), calls[2].clone());
        (outer.id, outer.site, outer.at) = (SpanId::new(100 + outer.id.get()), caller, None);
        for (span, above) in [(&mut outer, 0), (&mut call, 1), (&mut own, 2)] {
            span.parent = Some(SpanIndex::new(root + above));
        }
        spans.extend([calls[0].clone(), outer, call, own]);
    }
    for (number, task) in snapshot.tasks.iter_mut().enumerate() {
        task.span = Some(SpanIndex::new(number * 4));
    }
    snapshot.spans = spans;
}

/// The handler is in each call, and its callee too.
#[test]
fn the_outermost_function_whose_calls_end_is_named_once() {
    let (above, below) = USERS.split_once("  get_user").unwrap();
    let nested = format!("{above}  get_user{}", below.replace("\n    d", "\n      d"));
    let handle =
        "  handle | calls=1004 completed=1000 pending=4 polls=2004 idle=28_000_000_000\n    get_user";
    let mut snapshot = service_at(&nested.replace("  get_user", handle), "database.read_exact(row).await");
    let handle = snapshot.sites.iter().position(|site| site.name == "handle").unwrap();
    let node = snapshot.nodes.iter().position(|node| node.site.get() == handle).unwrap();
    snapshot.nodes[node].latency.completed = durations(&[9 * MS]);
    add_caller(&mut snapshot, SiteIndex::new(handle));
    let [finding] = &sentences(&snapshot)[..] else { panic!("one finding") };
    assert!(finding.starts_with("4 calls of `handle` (src/main.rs:3) wait at"), "{finding}");
    snapshot.nodes[node].completed = 11;
    let [finding] = &sentences(&snapshot)[..] else { panic!("one finding") };
    assert!(finding.starts_with("4 calls of `get_user` (src/main.rs:4) wait at"), "{finding}");
}

#[test]
fn waits_for_the_next_event_a_moment_or_a_client_are_meant() {
    for awaited in [
        "news.notified().await",
        "socket.read_line(line).await",
        "jobs.recv().await",
        "socket.try_next().await?",
        "requests.message().await",
        "upload.next_field().await",
        "queue.blpop(key, 0).await",
        "wait_for_news(room).await",
        "sleep(POLL).await",
        "socket.write_all(chunk).await",
        "http1::Builder::new().serve_connection(io, service).await",
        "tokio::io::copy(&mut reader, &mut writer).await",
        "reader.forward(sink).await",
    ] {
        assert_eq!(sentences(&unasked(awaited)), [""; 0], "{awaited}");
    }
    assert_eq!(sentences(&unasked("rows.try_next().await?")).len(), 1, "an answer of a database");
    let mut download = waiting_at("response.chunk().await?");
    download.sites[3].name = "client.get(url).send().await".into();
    download.nodes[3].calls = 10;
    assert_eq!(sentences(&download).len(), 1, "the body of a response");
    download.sites[3].name = "client.send(hello).await".into();
    assert_eq!(sentences(&download), [""; 0], "after a greeting");
    let mut snapshot = waiting_at("poll_again(order).await");
    assert_eq!(sentences(&snapshot).len(), 1, "it has asked for something");
    snapshot.sites[4].name = "backoff(order).await".into();
    snapshot.nodes[4].calls = 2_000;
    assert_eq!(sentences(&snapshot).len(), 1);
    add_waits(&mut snapshot, ResourceKind::Mutex, WaitMode::Timer, false);
    snapshot.waits.iter_mut().for_each(|wait| wait.resource = None);
    snapshot.tasks.iter_mut().for_each(|task| task.opaque_wakers = Some(0));
    assert_eq!(sentences(&snapshot), [""; 0], "only a timer");
}

#[test]
fn a_handler_that_is_named_for_an_event_waits_for_one() {
    let handled_by = |root: &str| {
        let names = [root, "get_user", "database.read_exact(row).await"];
        sentences(&calls_at(&USERS.replace("connection", root), names)).len()
    };
    assert_eq!(["serve", "next_to::serve", "waiter"].map(handled_by), [1, 1, 1]);
    assert_eq!(["next_job", "Jobs::wait", "poll_events"].map(handled_by), [0, 0, 0]);
}

#[test]
fn a_loop_that_waits_for_nothing_else_waits_there_for_its_event() {
    assert_eq!(changed(|it| it.sites[1].name = "log.await".into()), 0);
    assert_eq!(changed(|it| it.sites[1].name = "next_request(socket).await".into()), 1);
}

#[test]
fn few_calls_short_waits_and_calls_as_long_as_earlier_ones_are_healthy() {
    let wait = |ms: u64| changed(|it| it.spans.iter_mut().for_each(|span| span.since_ns = ms * MS));
    assert_eq!((wait(999), wait(1_000)), (0, 1));
    let longest = |ms: u64| changed(|it| it.nodes[2].latency.completed = durations(&[ms * MS]));
    assert_eq!((longest(251), longest(250)), (0, 1));
    let ended = |calls: u64| changed(|it| it.nodes[2].completed = calls);
    assert_eq!((ended(19), ended(20)), (0, 1));
    assert_eq!(changed(|it| it.spans.truncate(9)), 1, "three calls");
    assert_eq!(changed(|it| it.spans.truncate(6)), 0, "two calls");
    assert_eq!(changed(|it| it.spans[2].since_ns = 9 * MS), 1, "one goes on, three do not");
}

#[test]
fn a_kind_of_call_that_has_just_begun_may_be_slow() {
    assert_eq!(changed(|it| it.nodes[4].calls = 23), 0, "the await is a new one");
    let by_a_new_await = |it: &mut Snapshot| {
        it.spans.iter_mut().for_each(|span| span.at = None);
        it.sites.push(it.sites[4].clone());
        it.spans
            .iter_mut()
            .filter(|span| span.site.get() == 4)
            .for_each(|span| span.at = Some(SiteIndex::new(5)));
    };
    assert_eq!(changed(by_a_new_await), 0, "reached by a new one");
}

/// `export` asks for far more than other callers of the same helper, for the first time.
#[test]
fn a_new_caller_of_a_busy_helper_may_be_slow() {
    let exports = |passed: u64| {
        let drawing = format!(
            "handle | calls=5004 completed=5000 pending=4 polls=10_000 idle=220_000_000_000
  fetch(sql).await | calls=5000 completed=5000 polls=10_000 idle=200_000_000_000
    fetch | calls=5000 completed=5000 polls=10_000 idle=200_000_000_000
      pool.acquire_row(sql).await | calls=5000 polls=10_000 idle=200_000_000_000 self_idle=200_000_000_000
  export | calls={calls} completed={passed} pending=4 polls=8 idle=20_000_000_000
    fetch(BIG).await | calls={calls} completed={passed} pending=4 polls=8 idle=20_000_000_000
      fetch | calls={calls} completed={passed} pending=4 polls=8 idle=20_000_000_000
        pool.acquire_row(sql).await | calls={calls} pending=4 polls=8 idle=20_000_000_000 self_idle=20_000_000_000",
            calls = passed + 4
        );
        let mut snapshot = calls_at(&drawing, ["handle", "fetch", "pool.acquire_row(sql).await"]);
        let site = |name: &str| snapshot.sites.iter().position(|site| site.name == name).map(SiteIndex::new);
        let (export, at) = (site("export").unwrap(), site("fetch(BIG).await"));
        snapshot.spans.iter_mut().skip(1).step_by(3).for_each(|call| call.at = at);
        add_caller(&mut snapshot, export);
        sentences(&snapshot)
    };
    assert_eq!(exports(19), [""; 0]);
    let [finding] = &exports(20)[..] else { panic!("one finding") };
    assert!(finding.starts_with("4 calls of `fetch` (src/main.rs:3) wait at"), "{finding}");
}

#[test]
fn calls_that_go_on_or_wait_for_a_running_job_are_healthy() {
    assert_eq!(changed(|it| it.tasks.iter_mut().for_each(|task| task.state = RunState::Queued)), 0);
    let joins = |state: RunState| {
        changed(|it| {
            let mut job = Task::default();
            (job.id, job.state, job.since_ns) = (TaskId::new(9), state, 5_000 * MS);
            it.tasks.push(job);
            add_waits(it, ResourceKind::Mutex, WaitMode::Join, false);
            for wait in &mut it.waits {
                (wait.resource, wait.tasks) = (None, vec![TaskId::new(9)]);
            }
        })
    };
    assert_eq!((joins(RunState::Running), joins(RunState::Waiting)), (0, 1));
}

/// A connection whose handler is polled in its await.
#[test]
fn an_await_that_serves_many_calls_waits_for_the_next_one() {
    let with_calls = |calls: u64| {
        let below = format!("      handle | calls={calls} completed={calls} polls={calls}\n");
        let awaited = "connection_of(socket).await";
        let drawing = USERS.replace("database.read_exact(row).await", awaited).replace("write_all", "log");
        sentences(&service_at(&(drawing + &below), awaited)).len()
    };
    assert_eq!([with_calls(2_008), with_calls(2_009)], [1, 0]);
}

/// A connection that waits for its reader, which waits for the client.
#[test]
fn a_task_that_waits_for_a_reader_waits_for_its_client() {
    let reader_at = |awaited: &str| {
        changed(|it| {
            let mut site = it.sites[4].clone();
            (site.name, site.place.line) = (awaited.into(), 80);
            it.sites.push(site);
            let (index, root) = (SiteIndex::new(it.sites.len() - 1), it.spans.len());
            let mut span = it.spans[2].clone();
            (span.site, span.parent, span.task) = (index, None, Some(TaskId::new(9)));
            it.spans.push(span);
            let mut node = it.nodes[4].clone();
            (node.site, node.parent) = (index, None);
            it.nodes.push(node);
            let mut reader = it.tasks[0].clone();
            (reader.id, reader.span) = (TaskId::new(9), Some(SpanIndex::new(root)));
            it.tasks.push(reader);
            add_waits(it, ResourceKind::Mutex, WaitMode::Join, false);
            for wait in &mut it.waits {
                (wait.resource, wait.tasks) = (None, vec![TaskId::new(9)]);
            }
        })
    };
    assert_eq!([reader_at("socket.read_line(line).await"), reader_at("answer(order).await")], [0, 1]);
}
