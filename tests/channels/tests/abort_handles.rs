//! A task's abort handles are counted from their creation to their drop.

use std::future::pending;

use diagnose::tokio;
use diagnose_channels_tests::{here, look};
use tokio::task::{AbortHandle, JoinHandle, JoinSet};

/// Whether the task that was spawned there has an abort handle.
fn has_abort_handle((_, line): (&str, u32)) -> bool {
    let seen = look();
    let task = seen.0.tasks.iter().find(|task| task.spawned_at.as_ref().is_some_and(|it| it.line == line));
    task.expect("the task is alive").has_abort_handle
}

// handle    ├──────────┤
// clone          ├──────────┤
// task      ├───────────────────▶
#[tokio::test]
async fn a_task_has_an_abort_handle_until_the_last_clone_is_dropped() {
    diagnose_isolation::isolated!();
    let (at, task) = (here(), tokio::spawn(pending::<()>()));
    assert!(!has_abort_handle(at));
    let handle = task.abort_handle();
    assert!(has_abort_handle(at));
    let clone = handle.clone();
    drop(handle);
    assert!(has_abort_handle(at));
    drop(clone);
    assert!(!has_abort_handle(at));
}

#[tokio::test]
async fn a_set_returns_a_handle_that_counts_until_it_is_dropped() {
    diagnose_isolation::isolated!();
    let mut set = JoinSet::new();
    let (at, handle) = (here(), set.spawn(pending::<()>()));
    assert!(has_abort_handle(at));
    drop(handle);
    assert!(!has_abort_handle(at));
}

#[tokio::test]
async fn an_abort_handle_of_tokios_own_type_counts_forever() {
    diagnose_isolation::isolated!();
    let (at, task) = (here(), tokio::spawn(pending::<()>()));
    drop(task.abort_handle().into_inner());
    assert!(has_abort_handle(at));
}

#[tokio::test]
async fn more_handles_than_the_counter_can_hold_count_forever() {
    diagnose_isolation::isolated!();
    let (at, task) = (here(), tokio::spawn(pending::<()>()));
    let handles: Vec<AbortHandle> = (0..8_200).map(|_| task.abort_handle()).collect();
    drop(handles);
    assert!(has_abort_handle(at));
}

#[tokio::test]
async fn handles_of_a_finished_task_do_not_affect_the_next_task() {
    diagnose_isolation::isolated!();
    let task = tokio::spawn(async {});
    let old: Vec<AbortHandle> = (0..4).map(|_| task.abort_handle()).collect();
    task.await.unwrap();
    // One of these reuses the record of the finished task.
    let next: Vec<_> = (0..64).map(|_| tokio::spawn(pending::<()>())).collect();
    let handles: Vec<AbortHandle> = next.iter().map(JoinHandle::abort_handle).collect();
    drop(old);
    let seen = look();
    assert_eq!(seen.0.tasks.iter().filter(|task| task.has_abort_handle).count(), handles.len());
}

/// Whether the task that was spawned there has a handle, and ends once that is dropped.
fn handle((_, line): (&str, u32)) -> (bool, bool) {
    let seen = look();
    let task = seen.0.tasks.iter().find(|task| task.spawned_at.as_ref().is_some_and(|it| it.line == line));
    let task = task.expect("the task is alive");
    (task.has_handle, task.is_aborted_on_drop)
}

#[tokio::test]
async fn a_task_of_a_set_ends_with_it_until_it_is_detached() {
    diagnose_isolation::isolated!();
    let mut set = JoinSet::new();
    let (at, _) = (here(), set.spawn(pending::<()>()));
    assert_eq!(handle(at), (true, true));
    set.detach_all();
    assert_eq!(handle(at), (false, false));
}

#[tokio::test]
async fn an_abort_by_a_handle_ends_the_task() {
    diagnose_isolation::isolated!();
    let task = tokio::spawn(pending::<()>());
    let handle = task.abort_handle();
    assert_eq!(handle.id(), task.id());
    handle.abort();
    assert!(task.await.unwrap_err().is_cancelled());
    assert!(handle.is_finished());
}
