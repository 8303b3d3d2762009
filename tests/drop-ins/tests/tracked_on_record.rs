//! Tracked tasks are units of their tracker, and the wait for all of them is recorded.

use std::future::pending;
use std::pin::pin;

use diagnose::{tokio, tokio_util};
use diagnose_channels_tests::{here, look};
use diagnose_drop_ins_tests::{now, poll_once};
use diagnose_reports::model::{Attribution, ResourceKind, Role, Task, WaitMode};
use tokio::runtime::Builder;
use tokio::task::yield_now;
use tokio_util::task::{AbortOnDropHandle, TaskTracker};

#[test]
fn tokens_and_tracked_futures_have_a_unit_until_their_drop() {
    diagnose_isolation::isolated!();
    let (made, tracker) = (here(), TaskTracker::new());
    let (token, tracked) = (tracker.token(), tracker.track_future(async { 1 }));
    let again = token.clone();
    let seen = look();
    assert_eq!(seen.resource(made).kind, ResourceKind::TaskTracker);
    assert_eq!(seen.resource(made).library, "tokio-util");
    assert!(!seen.resource(made).is_closed);
    let held = seen.holdings(made, Role::Holds);
    assert_eq!((held.len(), tracker.len()), (3, 3));
    assert!(held.iter().all(|it| it.units == 1 && it.is_movable));
    assert_eq!(now(tracked), 1);
    drop((token, again));
    let seen = look();
    assert_eq!((seen.holdings(made, Role::Holds).len(), seen.holdings(made, Role::Uses).len()), (0, 1));
    drop(tracker);
    assert!(look().made(made).is_none(), "it is gone");
}

#[test]
fn a_wait_lasts_until_the_tracker_is_closed_and_empty() {
    diagnose_isolation::isolated!();
    let (made, tracker) = (here(), TaskTracker::new());
    let token = tracker.token();
    let (at, mut waits) = (here(), pin!(tracker.wait()));
    assert!(poll_once(waits.as_mut()).is_pending());
    assert_eq!(look().waiting(WaitMode::Closed, at).len(), 1, "at the program's own line");
    tracker.close();
    assert!(poll_once(waits.as_mut()).is_pending());
    assert!(look().resource(made).is_closed);
    tracker.reopen();
    drop(token);
    assert!(poll_once(waits.as_mut()).is_pending());
    let seen = look();
    assert!(!seen.resource(made).is_closed && seen.waits(made, WaitMode::Closed)[0].woken_ns.is_none());
    tracker.close();
    assert!(look().waits(made, WaitMode::Closed)[0].woken_ns.is_some());
    assert!(poll_once(waits.as_mut()).is_ready());
    assert!(look().waits(made, WaitMode::Closed).is_empty());
}

#[test]
fn a_spawned_task_has_its_unit_for_as_long_as_it_runs() {
    diagnose_isolation::isolated!();
    Builder::new_current_thread().build().unwrap().block_on(async {
        let (made, tracker) = (here(), TaskTracker::new());
        let (at, task) = (here(), tracker.spawn(pending::<()>()));
        yield_now().await;
        let _other = tokio::spawn(pending::<()>());
        let seen = look();
        let held = seen.holdings(made, Role::Holds);
        assert_eq!(held.len(), 1);
        let it = seen.0.tasks.iter().find(|task| Some(task.id) == held[0].task).unwrap();
        assert_eq!(it.spawned_at.as_ref().map(|it| (it.file.as_str(), it.line)), Some(at));
        assert_eq!(held[0].place.as_ref().map(|it| (it.file.as_str(), it.line)), Some(at));
        assert_eq!((held[0].attribution, held[0].is_movable), (Attribution::Exact, false));
        assert!(held[0].candidates.is_empty(), "it cannot leave the task");
        task.abort();
        yield_now().await;
        assert!(look().holdings(made, Role::Holds).is_empty());
    });
}

async fn serves() {
    pending::<()>().await;
}

#[test]
fn a_tracked_future_is_with_the_task_that_polls_it() {
    diagnose_isolation::isolated!();
    Builder::new_current_thread().build().unwrap().block_on(async {
        let (made, tracker) = (here(), TaskTracker::new());
        let _task = tokio::spawn(tracker.track_future(serves()));
        yield_now().await;
        let seen = look();
        let held = seen.holdings(made, Role::Holds);
        let it = seen.0.tasks.iter().find(|task| Some(task.id) == held[0].task).unwrap();
        assert_eq!(seen.0.site(it.site).map(|site| site.name.as_str()), Some("serves"));
        assert_eq!((held.len(), held[0].attribution), (1, Attribution::Unmoved));
    });
}

#[test]
fn to_await_an_aborting_handle_is_to_join_its_task() {
    diagnose_isolation::isolated!();
    Builder::new_current_thread().build().unwrap().block_on(async {
        let mut task = AbortOnDropHandle::new(tokio::spawn(pending::<()>()));
        let at = here();
        std::future::poll_fn(|context| {
            let poll = std::future::Future::poll(std::pin::Pin::new(&mut task), context);
            assert!(poll.is_pending());
            std::task::Poll::Ready(())
        })
        .await;
        let seen = look();
        let waits: Vec<_> = seen.0.waits.iter().filter(|wait| wait.mode == WaitMode::Join).collect();
        assert_eq!((waits.len(), waits[0].tasks.len()), (1, 1));
        assert!(waits[0].place.as_ref().is_some_and(|it| it.line > at.1 && it.line < at.1 + 4));
        let tasks = seen.0.tasks.len();
        drop(task);
        yield_now().await;
        assert_eq!(look().0.tasks.len(), tasks - 1, "its drop aborted the task");
    });
}

#[test]
fn a_task_ends_with_a_handle_that_aborts_on_drop_until_it_is_detached() {
    diagnose_isolation::isolated!();
    let has_handle = |(_, line): (&str, u32)| {
        let seen = look();
        let is_it = |it: &&Task| it.spawned_at.as_ref().is_some_and(|it| it.line == line);
        let task = seen.0.tasks.iter().find(is_it).expect("the task is alive");
        [task.has_handle, task.is_aborted_on_drop]
    };
    Builder::new_current_thread().build().unwrap().block_on(async {
        let (at, task) = (here(), tokio::spawn(pending::<()>()));
        assert_eq!(has_handle(at), [true, false]);
        let task = AbortOnDropHandle::new(task);
        assert_eq!(has_handle(at), [true, true]);
        let task = task.detach();
        assert_eq!(has_handle(at), [true, false]);
        drop(task);
        assert_eq!(has_handle(at), [false, false]);
    });
}
