//! The rule `stopped` at awaits that no call has gone on from: those that never end.

use crate::findings_locks::drawn;
use crate::findings_stopped::{MS, sentences};
use crate::support::latency::durations;
use diagnose_reports::Snapshot;
use diagnose_reports::model::{RunState, SiteIndex, Span, SpanId, SpanIndex, Task, TaskId};

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
