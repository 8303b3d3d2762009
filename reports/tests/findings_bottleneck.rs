//! The rule `bottleneck` on drawn services: requests that wait for answers of one task.

use crate::findings_locks::{add_mutex, drawn};
use diagnose_reports::Snapshot;
use diagnose_reports::model::{
    Holding, Resource, ResourceId, ResourceKind, Role, RunState, SiteIndex, Span, SpanId, SpanIndex, Task,
    TaskId, Wait, WaitId, WaitMode,
};

const MS: u64 = 1_000_000;

/// Four handlers wait in `get` for an answer, as 1,000 did for 60 ms each before. The task that
/// answers takes 10 ms for each, and hardly ever waits for a message. Ten seconds are recorded.
const HANDLERS: &str =
    "get | calls=1004 completed=1000 pending=4 polls=2000 busy=1_000_000 idle=60_000_000_000
  store.send(Get(id, reply)).await | calls=1004 polls=1004
  answer.await | calls=1004 polls=2000 idle=60_000_000_000 self_idle=60_000_000_000
store | calls=1 pending=1 polls=1000 busy=1_000_000 idle=10_000_000_000
  messages.recv().await | calls=1000 polls=1000 idle=500_000_000 self_idle=500_000_000
  read(id).await | calls=1000 polls=2000 idle=9_500_000_000 self_idle=9_500_000_000
";

/// The drawn service: its channel is resource 9, and the replies are 1 to 4.
fn service() -> Snapshot {
    let mut snapshot = drawn(HANDLERS);
    let site_of = |name: &str| snapshot.sites.iter().position(|site| site.name == name).unwrap();
    let (answer, receive) = (site_of("answer.await"), site_of("messages.recv().await"));
    let (get, store) = (site_of("get"), site_of("store"));
    let task = |id: u64, site: usize| {
        let mut task = Task::default();
        (task.id, task.site, task.age_ns, task.since_ns) =
            (TaskId::new(id), SiteIndex::new(site), 10_000 * MS, MS);
        (task.opaque_wakers, task.is_unspawned) = (Some(1), site == get);
        task
    };
    let mut tasks: Vec<Task> = (1..=4).map(|id| task(id, get)).collect();
    tasks.push(task(5, store));
    for id in 1..=4_u64 {
        let mut reply = Resource::default();
        (reply.id, reply.kind, reply.age_ns) = (ResourceId::new(id), ResourceKind::Oneshot, id * 10 * MS);
        let mut sender = Holding::default();
        (sender.role, sender.task, sender.in_channel) =
            (Role::Sends, Some(TaskId::new(id)), Some(ResourceId::new(9)));
        reply.holdings.push(sender);
        snapshot.resources.push(reply);
        let mut wait = Wait::default();
        (wait.id, wait.task, wait.mode) = (WaitId::new(id), Some(TaskId::new(id)), WaitMode::Receive);
        (wait.resource, wait.since_ns) = (Some(ResourceId::new(id)), id * 10 * MS);
        wait.place = Some(snapshot.sites[answer].place.clone());
        snapshot.waits.push(wait);
    }
    let mut channel = Resource::default();
    (channel.id, channel.kind, channel.capacity) = (ResourceId::new(9), ResourceKind::Mpsc, Some(64));
    (channel.filled, channel.age_ns) = (4, 10_000 * MS);
    channel.created = Some(crate::support::place_at(500, 9));
    channel.usage.acquisitions = 1_004;
    let mut end = Holding::default();
    (end.role, end.task, end.uses) = (Role::Receives, Some(TaskId::new(5)), 1_000);
    end.place = Some(snapshot.sites[receive].place.clone());
    channel.holdings.push(end);
    snapshot.resources.push(channel);
    snapshot.tasks = tasks;
    snapshot
}

fn changed(change: impl Fn(&mut Snapshot)) -> Vec<String> {
    let mut snapshot = service();
    change(&mut snapshot);
    snapshot.findings().iter().map(ToString::to_string).collect()
}

#[test]
fn the_task_that_answers_is_named_with_what_it_does_and_what_waits_for_it() {
    let [finding] = &changed(|_| ())[..] else { panic!("one finding") };
    assert!(
        finding.starts_with(
            "`store` (src/main.rs:4) receives from the mpsc with 64 slots created at src/main.rs:500 and answers one message after \
             the other, 10.0 ms each: `get` waits 100 % of its time for an answer, 59.8 ms on average, and 4 messages wait now; \
             it spends most of its time in `read(id).await` (src/main.rs:6). Next: make that await faster"
        ),
        "{finding}"
    );
    assert!(finding.ends_with("(bottleneck)"), "{finding}");
}

/// The waits are in a function without annotation, as in the handle of an actor.
fn through_a_handle(it: &mut Snapshot) {
    let site_of = |name: &str| it.sites.iter().position(|site| site.name == name).unwrap();
    let (get, answer) = (site_of("get"), site_of("answer.await"));
    it.sites[answer].name = "handle.get(id).await".into();
    for (index, wait) in it.waits.iter_mut().enumerate() {
        let id = SpanId::new(100 + index as u64);
        (wait.span, wait.place) = (Some(id), Some(crate::support::place_at(700, 9)));
        for site in [get, answer] {
            let mut span = Span::default();
            (span.id, span.task, span.state) = (id, wait.task, RunState::Waiting);
            (span.site, span.since_ns, span.age_ns) = (SiteIndex::new(site), wait.since_ns, wait.since_ns);
            span.parent = (site == answer).then(|| SpanIndex::new(it.spans.len() - 1));
            it.spans.push(span);
        }
    }
}

#[test]
fn waits_in_a_function_without_annotation_count_where_it_is_awaited() {
    let at_handle = |pending: u64| {
        changed(|it| {
            through_a_handle(it);
            it.nodes[2].pending = pending;
        })
    };
    let [finding] = &at_handle(5)[..] else { panic!("one finding") };
    assert!(finding.contains("`get` waits 100 % of its time for an answer, 59.8 ms on average"), "{finding}");
    assert_eq!(at_handle(6), [""; 0], "it mostly does something else there");
}

#[test]
fn a_channel_without_a_bound_is_a_queue_too() {
    let findings = changed(|it| it.resources[4].capacity = None);
    assert!(findings[0].contains("from the unbounded mpsc created at src/main.rs:500"), "{findings:?}");
}

#[test]
fn answers_that_come_soon_or_to_few_are_healthy() {
    assert_eq!(changed(|it| it.waits.truncate(3)), [""; 0], "few wait");
    assert_eq!(changed(|it| it.waits[0].since_ns = 30 * MS), [""; 0], "a batch");
    assert_eq!(changed(|it| it.nodes[2].idle_ns = 20_000 * MS), [""; 0], "19.9 ms on average");
    assert_eq!(changed(|it| it.nodes[0].completed = 99), [""; 0], "a start");
    assert_eq!(changed(|it| it.nodes[0].idle_ns = 121_000 * MS), [""; 0], "under half of their time");
    assert_eq!(changed(|it| it.nodes[4].idle_ns = 1_100 * MS), [""; 0], "it works off bursts");
}

#[test]
fn tasks_that_ask_in_a_loop_are_no_requests() {
    assert_eq!(changed(|it| it.tasks.iter_mut().for_each(|task| task.is_unspawned = false)), [""; 0]);
}

#[test]
fn answers_that_are_not_in_the_channel_say_nothing_of_it() {
    let taken_out = |it: &mut Snapshot| {
        it.resources.iter_mut().flat_map(|it| &mut it.holdings).for_each(|end| end.in_channel = None);
    };
    assert_eq!(changed(taken_out), [""; 0]);
}

#[test]
fn a_channel_that_is_full_as_well_is_named_once() {
    let findings = changed(|it| {
        let channel = &mut it.resources[4];
        (channel.capacity, channel.usage.waited, channel.usage.waited_ns) = (Some(4), 1_000, 100_000 * MS);
        let send = it.sites.iter().position(|site| site.name.contains("send(")).unwrap();
        for id in 11..=14_u64 {
            let mut wait = Wait::default();
            (wait.id, wait.task, wait.mode) = (WaitId::new(id), Some(TaskId::new(id - 10)), WaitMode::Send);
            (wait.resource, wait.since_ns) = (Some(ResourceId::new(9)), id * id * MS);
            wait.place = Some(it.sites[send].place.clone());
            it.waits.push(wait);
        }
        it.waits[4].since_ns = 10 * MS;
        it.nodes[1].idle_ns = 100_000 * MS;
        it.nodes[0].idle_ns = 160_000 * MS;
        it.nodes[2].idle_ns = 100_000 * MS;
    });
    let rules: Vec<&str> = findings.iter().filter_map(|it| it.rsplit_once(" (")).map(|it| it.1).collect();
    assert_eq!(rules, ["full_channel)"], "{findings:?}");
}

/// Several workers that share a receiver behind a lock are such a service.
#[test]
fn a_receiver_that_itself_waits_for_a_lock_is_not_the_cause() {
    let findings = changed(|it| add_mutex(it, "read(id).await", 1_000, 9_500, 9_000));
    let [finding] = &findings[..] else { panic!("one finding: {findings:?}") };
    assert!(finding.contains("makes `store` wait: 95 % of its time"), "{finding}");
}
