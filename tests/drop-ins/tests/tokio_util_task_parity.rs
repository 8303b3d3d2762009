//! Uses every public item of the wrapped part of tokio-util's `task`, original and wrapped.
//!
//! Each function runs with original and wrapper. Kept by hand against tokio-util 0.7.20.

use diagnose_drop_ins_tests::{now, poll_once};

macro_rules! task {
    ($name:ident, $tokio:path, $library:path) => {
        mod $name {
            use std::fmt::Debug;
            use std::future::{pending, ready};
            use std::pin::Pin;

            use library::task::task_tracker::{TaskTrackerToken, TaskTrackerWaitFuture, TrackedFuture};
            use library::task::{AbortOnDropHandle, TaskTracker};
            use tokio::runtime::{Builder, Handle};
            use tokio::task::{AbortHandle, JoinHandle, LocalSet, spawn, yield_now};
            use $library as library;
            use $tokio as tokio;

            use super::{now, poll_once};

            fn shown(it: &impl Debug) -> String {
                format!("{it:?}")
            }

            /// The type's name, and the fields up to the first address.
            fn begins(it: &impl Debug) -> String {
                let text = shown(it);
                text.split("inner: 0x").next().unwrap_or_default().to_owned()
            }

            pub(super) fn counts() -> Vec<String> {
                let tracker = TaskTracker::new();
                let same = tracker.clone();
                let mut seen = vec![shown(&(
                    (tracker.len(), tracker.is_empty(), tracker.is_closed()),
                    TaskTracker::ptr_eq(&tracker, &same),
                    TaskTracker::ptr_eq(&tracker, &TaskTracker::default()),
                ))];
                let token: TaskTrackerToken = tracker.token();
                let tracked: TrackedFuture<_> = tracker.track_future(ready(7));
                seen.extend([begins(&tracker), begins(&token), begins(&tracked)]);
                let again = token.clone();
                seen.push(shown(&(same.len(), token.task_tracker().len(), same.is_empty())));
                let mut waits: Pin<Box<TaskTrackerWaitFuture<'_>>> = Box::pin(tracker.wait());
                seen.push(shown(&poll_once(waits.as_mut())));
                seen.push(shown(&waits).contains("is_closed: false").to_string());
                seen.push(shown(&(tracker.close(), tracker.close(), same.is_closed())));
                seen.push(shown(&(now(tracked), poll_once(waits.as_mut()), same.len())));
                drop(token);
                seen.push(shown(&(poll_once(waits.as_mut()), same.len())));
                drop(again);
                seen.push(shown(&(poll_once(waits.as_mut()), same.len())));
                now(tracker.wait());
                seen.push(shown(&(tracker.reopen(), tracker.reopen(), same.is_closed())));
                seen.push(shown(&poll_once(Box::pin(tracker.wait()).as_mut())));
                let mut late = Box::pin(tracker.wait());
                seen.push(shown(&(poll_once(late.as_mut()), same.close(), poll_once(late.as_mut()))));
                seen
            }

            async fn spawned() -> Vec<String> {
                let (tracker, set) = (TaskTracker::new(), LocalSet::new());
                let one: JoinHandle<u8> = tracker.spawn(async { 1 });
                let two: JoinHandle<u8> = tracker.spawn_on(async { 2 }, &Handle::current());
                let three: JoinHandle<u8> = tracker.spawn_local_on(async { 3 }, &set);
                let four: JoinHandle<u8> = tracker.spawn_blocking(|| 4);
                let five: JoinHandle<u8> = tracker.spawn_blocking_on(|| 5, &Handle::current());
                let big = [6_u8; 10_000];
                let six: JoinHandle<u8> = tracker.spawn(async move {
                    yield_now().await;
                    big[9_999]
                });
                let in_set = tracker.clone();
                let seven = async move { in_set.spawn_local(async { 7 }).await.unwrap() };
                let mut seen = vec![shown(&(tracker.len() >= 4))];
                seen.push(shown(&set.run_until(seven).await));
                seen.push(shown(&(
                    one.await.unwrap(),
                    two.await.unwrap(),
                    set.run_until(three).await.unwrap(),
                )));
                seen.push(shown(&(four.await.unwrap(), five.await.unwrap(), six.await.unwrap())));
                let panics = tracker.spawn(async { assert!(pending::<bool>().await) });
                panics.abort();
                seen.push(shown(&panics.await.is_err_and(|error| error.is_cancelled())));
                tracker.close();
                tracker.wait().await;
                seen.push(shown(&tracker.len()));
                seen
            }

            async fn aborts() -> Vec<String> {
                let mut seen = Vec::new();
                let task: AbortOnDropHandle<u8> = AbortOnDropHandle::new(spawn(async { 1 }));
                seen.push(shown(&(task.is_finished(), shown(&task).contains("AbortOnDropHandle { id: Id("))));
                seen.push(shown(&task.await.unwrap()));
                let tracker = TaskTracker::new();
                let task = AbortOnDropHandle::new(tracker.spawn(pending::<u8>()));
                let handle: AbortHandle = task.abort_handle();
                seen.push(shown(&(task.as_ref().is_finished(), handle.is_finished(), tracker.len())));
                drop(task);
                yield_now().await;
                seen.push(shown(&(handle.is_finished(), tracker.len())));
                let task = AbortOnDropHandle::new(tracker.spawn(pending::<u8>()));
                task.abort();
                seen.push(shown(&task.await.is_err()));
                let task: JoinHandle<u8> = AbortOnDropHandle::new(tracker.spawn(async { 2 })).detach();
                seen.push(shown(&task.await.unwrap()));
                seen
            }

            pub(super) fn run() -> Vec<Vec<String>> {
                let runtime = Builder::new_current_thread().build().unwrap();
                vec![runtime.block_on(spawned()), runtime.block_on(aborts())]
            }
        }
    };
}
task!(own, ::tokio, ::tokio_util);
task!(ours, diagnose::tokio, diagnose::tokio_util);

#[test]
fn trackers_and_aborting_handles_do_what_the_originals_do() {
    assert_eq!(own::counts(), ours::counts());
    assert_eq!(own::run(), ours::run());
}

#[test]
fn trackers_and_tokens_and_the_originals_convert_into_each_other() {
    use diagnose::tokio_util::task::task_tracker as wrapped;
    use tokio_util::task::task_tracker as original;

    let tracker = wrapped::TaskTracker::new();
    let token: original::TaskTrackerToken = tracker.token().into();
    let tracked: original::TrackedFuture<_> = tracker.track_future(async { 1 }).into();
    assert_eq!(tracker.len(), 2);
    let (token, tracked) = (wrapped::TaskTrackerToken::from(token), wrapped::TrackedFuture::from(tracked));
    assert_eq!((token.task_tracker().len(), now(tracked), tracker.len()), (2, 1, 1));
    drop(token);
    let real: original::TaskTracker = tracker.clone().into();
    assert!(original::TaskTracker::ptr_eq(&real, &tracker) && real.is_empty());
    assert!(wrapped::TaskTracker::ptr_eq(&wrapped::TaskTracker::from(real), &tracker));
}

#[test]
fn aborting_handles_and_the_originals_convert_into_each_other() {
    use diagnose::tokio_util::task::AbortOnDropHandle;

    let runtime = diagnose::tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let task = AbortOnDropHandle::new(diagnose::tokio::spawn(async { 1 }));
        let task: tokio_util::task::AbortOnDropHandle<u8> = task.into();
        assert_eq!(AbortOnDropHandle::from(task).await.unwrap(), 1);
    });
}
