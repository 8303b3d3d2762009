//! Unpolled futures are listed on request. They are shown below their creator, until their first
//! poll or their drop.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Waker};

use diagnose::model::{RunState, Span};
use diagnose::{Builder, Snapshot, diagnose};

#[diagnose]
async fn work(label: u32) -> u32 {
    label
}

#[diagnose]
async fn never() {
    std::future::pending::<()>().await;
}

/// Returns the spans of that name, with the names of their creators.
fn listed<'a>(snapshot: &'a Snapshot, name: &str) -> Vec<(&'a Span, Option<&'a str>)> {
    let name_of = |span: &Span| snapshot.sites[span.site].name.as_str();
    let parent = |span: &Span| span.parent.map(|parent| name_of(&snapshot.spans[parent]));
    snapshot.spans.iter().filter(|span| name_of(span) == name).map(|span| (span, parent(span))).collect()
}

#[diagnose]
async fn makes() {
    let mut made = vec![work(1), work(2), work(3)];
    std::future::poll_fn({
        let mut is_first = true;
        move |_| {
            if std::mem::take(&mut is_first) { std::task::Poll::Pending } else { std::task::Poll::Ready(()) }
        }
    })
    .await;
    assert_eq!(made.pop().unwrap().await, 3);
    drop(made.pop());
    never().await;
}

// makes   ├ makes three ┤ Pending ├ polls one, drops one ┤ Pending …
// work    [unpolled ×3]            [unpolled ×1]
#[test]
fn futures_are_listed_as_soon_as_they_are_created() {
    diagnose_isolation::isolated!();
    Builder::new().signal(None).unpolled(true).reinstall().unwrap();
    let mut makes = pin!(makes());
    let context = &mut Context::from_waker(Waker::noop());

    let before = diagnose::snapshot();
    assert_eq!(
        listed(&before, "makes").iter().map(|it| it.0.state).collect::<Vec<_>>(),
        [RunState::Unpolled]
    );

    assert!(makes.as_mut().poll(context).is_pending());
    let snapshot = diagnose::snapshot();
    let unpolled = listed(&snapshot, "work");
    assert_eq!(unpolled.len(), 3);
    assert!(unpolled.iter().all(|(span, by)| span.state == RunState::Unpolled && *by == Some("makes")));
    assert!(
        snapshot.tree().contains("work (tests/scenarios/tests/unpolled.rs:12) [not polled yet "),
        "{}",
        snapshot.tree()
    );
    let nodes = snapshot.nodes.iter().filter(|node| snapshot.sites[node.site].name == "work");
    assert_eq!(nodes.count(), 0, "nothing is recorded of them yet");

    assert!(makes.as_mut().poll(context).is_pending());
    let snapshot = diagnose::snapshot();
    let left = listed(&snapshot, "work");
    assert_eq!((left.len(), left[0].0.state), (1, RunState::Unpolled));
    let never = listed(&snapshot, "never");
    assert_eq!((never.len(), never[0].0.state, never[0].0.polls), (1, RunState::Waiting, 1));
    let nodes = snapshot.nodes.iter().filter(|node| snapshot.sites[node.site].name == "work");
    assert_eq!(
        nodes
            .map(|node| (node.calls, node.never_polled))
            .fold((0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1)),
        (1, 1)
    );

    Builder::new().signal(None).reinstall().unwrap();
    let later = work(4);
    assert_eq!(listed(&diagnose::snapshot(), "work").len(), 1);
    drop(later);
}
