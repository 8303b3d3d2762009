//! The rule `stopped` at awaits that no call has gone on from: those that never end.

use crate::findings_locks::drawn;
use crate::findings_stopped::{MS, sentences};
use crate::support::latency::durations;
use diagnose_reports::Snapshot;
use diagnose_reports::model::{
    LastEvent, Resource, ResourceId, ResourceKind, RunState, SiteIndex, Span, SpanId, SpanIndex, Task,
    TaskId, Wait, WaitMode,
};

/// A handler that asks an upstream service, which does not answer `hanging` of its calls; the
/// oldest of them has waited for `oldest_ms`. 285 calls have ended within 25 ms.
fn upstream(awaited: &str, hanging: u64, oldest_ms: u64) -> Snapshot {
    let mut snapshot = drawn(&format!(
        "get | calls=300 completed=285 pending={hanging} polls=600 idle=80_000_000_000\n  \
         ask(id).await | calls=300 pending={hanging} polls=600 idle=80_000_000_000\n    \
         ask | calls=300 completed=285 pending={hanging} polls=600 idle=80_000_000_000\n      \
         {awaited} | calls={hanging} pending={hanging} polls={hanging} idle=75_000_000_000 self_idle=75_000_000_000"
    ));
    for node in [0, 2] {
        snapshot.nodes[node].latency.completed = durations(&[9 * MS, 25 * MS]);
    }
    snapshot.nodes[0].is_unspawned = true;
    for id in 0..hanging {
        let mut span = Span::default();
        let first = snapshot.spans.len();
        (span.state, span.since_ns) = (RunState::Waiting, oldest_ms * MS * (id + 1) / hanging);
        span.task = Some(TaskId::new(id + 1));
        for (depth, site) in [0, 1, 2, 3].into_iter().enumerate() {
            span.id = SpanId::new(id * 4 + depth as u64 + 1);
            span.site = SiteIndex::new(site);
            span.parent = depth.checked_sub(1).map(|above| SpanIndex::new(first + above));
            snapshot.spans.push(span.clone());
        }
        let mut task = Task::default();
        (task.id, task.span, task.state) =
            (TaskId::new(id + 1), Some(SpanIndex::new(first)), RunState::Waiting);
        (task.is_unspawned, task.opaque_wakers) = (true, Some(1));
        (task.age_ns, task.since_ns) = (span.since_ns, span.since_ns);
        snapshot.tasks.push(task);
    }
    snapshot
}

#[test]
fn handlers_at_an_await_that_never_ends_are_found_although_none_has_passed_it() {
    for awaited in ["std::future::pending::<()>().await", "sleep(Duration::from_secs(60 * 60)).await"] {
        let [finding] = &sentences(&upstream(awaited, 15, 9_000))[..] else { panic!("one finding") };
        let expected = format!(
            "14 calls of `get` (src/main.rs:1) wait at `{awaited}` (src/main.rs:4), for 9.00 s at the longest; 285 others have \
             ended, each within 25.0 ms"
        );
        assert!(finding.starts_with(&expected), "{finding}");
    }
}

#[test]
fn an_await_that_none_has_passed_may_be_a_long_one() {
    let found = |hanging, oldest_ms| sentences(&upstream("pending().await", hanging, oldest_ms)).len();
    assert_eq!([found(5, 9_000), found(4, 9_000)], [1, 0], "few");
    assert_eq!([found(15, 5_000), found(15, 4_999)], [1, 0], "not for long");
    let changed = |awaited: &str, change: fn(&mut Snapshot)| {
        let mut snapshot = upstream(awaited, 15, 9_000);
        change(&mut snapshot);
        sentences(&snapshot).len()
    };
    let pending = |change: fn(&mut Snapshot)| changed("pending().await", change);
    assert_eq!(pending(|_| ()), 1);
    assert_eq!(pending(|it| it.nodes[3].calls = 16), 0, "a call has gone on");
    assert_eq!(pending(|it| it.tasks.iter_mut().for_each(|task| task.is_unspawned = false)), 0, "no handler");
    assert_eq!(
        pending(|it| it.spans.iter_mut().for_each(|span| span.since_ns = 9_000 * MS)),
        0,
        "all at once"
    );
    let in_a_select = |it: &mut Snapshot| {
        for span in it.spans.iter_mut().filter(|span| span.site == SiteIndex::new(2)) {
            span.site = SiteIndex::new(1);
        }
    };
    assert_eq!(pending(in_a_select), 0, "an arm of a `select!`");
    for awaited in
        ["export(id).await", "news.notified().await", "reply.await", "sleep(Duration::from_secs(599)).await"]
    {
        assert_eq!(changed(awaited, |_| ()), 0, "{awaited} may take that long");
    }
}

/// Handlers that wait for a job which each has started. Every twentieth job ended before the wait
/// began.
fn notified(change: fn(&mut Snapshot)) -> Vec<String> {
    let drawing = "convert | calls=300 completed=285 pending=15 polls=600 idle=80_000_000_000\n  \
                   notify.notified().await | calls=300 completed=285 pending=15 polls=600 idle=79_000_000_000 \
                   self_idle=79_000_000_000";
    let mut snapshot = drawn(drawing);
    snapshot.nodes[0].latency.completed = durations(&[6 * MS, 7 * MS]);
    snapshot.nodes[0].is_unspawned = true;
    for id in 1..=15 {
        let first = snapshot.spans.len();
        let mut span = Span::default();
        (span.id, span.task, span.site) = (SpanId::new(id * 2), Some(TaskId::new(id)), SiteIndex::new(0));
        (span.state, span.since_ns) = (RunState::Waiting, 5_000 * MS);
        let mut own = span.clone();
        (own.id, own.site, own.parent) =
            (SpanId::new(id * 2 + 1), SiteIndex::new(1), Some(SpanIndex::new(first)));
        let mut wait = Wait::default();
        (wait.span, wait.task, wait.mode) = (Some(own.id), own.task, WaitMode::Notified);
        (wait.resource, wait.since_ns) = (Some(ResourceId::new(id)), 5_000 * MS);
        let mut notify = Resource::default();
        (notify.id, notify.kind, notify.created_by) = (ResourceId::new(id), ResourceKind::Notify, own.task);
        let mut last = LastEvent::default();
        (last.ago_ns, last.is_broadcast) = (Some(5_001 * MS), true);
        notify.last_notified = Some(last);
        snapshot.spans.extend([span, own]);
        snapshot.waits.push(wait);
        snapshot.resources.push(notify);
        let mut task = Task::default();
        (task.id, task.span, task.state) = (TaskId::new(id), Some(SpanIndex::new(first)), RunState::Waiting);
        (task.is_unspawned, task.opaque_wakers) = (true, Some(0));
        (task.age_ns, task.since_ns) = (5_000 * MS, 5_000 * MS);
        snapshot.tasks.push(task);
    }
    change(&mut snapshot);
    sentences(&snapshot)
}

#[test]
fn notifications_that_came_before_their_wait_are_found() {
    let [finding] = &notified(|_| ())[..] else { panic!("one finding: {:?}", notified(|_| ())) };
    let expected = "15 calls of `convert` (src/main.rs:1) wait at `notify.notified().await` (src/main.rs:2), for 5.00 s at the \
                    longest; 285 others have ended, each within 7.00 ms. Next: `notify_waiters` was called before the wait began";
    assert!(finding.starts_with(expected) && finding.ends_with("(stopped)"), "{finding}");
}

#[test]
fn notifications_that_are_still_to_come_are_events() {
    assert_eq!(notified(|it| it.resources.iter_mut().for_each(|it| it.last_notified = None)), [""; 0]);
    assert_eq!(
        notified(|it| it
            .resources
            .iter_mut()
            .filter_map(|it| it.last_notified.as_mut())
            .for_each(|it| it.is_broadcast = false)),
        [""; 0],
        "`notify_one` stores a permit"
    );
    assert_eq!(notified(|it| it.resources.iter_mut().for_each(|it| it.created_by = None)), [""; 0], "of all");
    assert_eq!(
        notified(|it| it.resources.iter_mut().for_each(|it| it.usage.waited = 1)),
        [""; 0],
        "one of several"
    );
}
