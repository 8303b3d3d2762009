//! Waits at pipes, for timers and for the ends of tasks are recorded.

use diagnose::tokio;
use diagnose_channels_tests::{here, look};
use diagnose_reports::model::{ResourceKind, Role, WaitMode};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::task::JoinSet;

#[tokio::test]
async fn two_writers_that_do_not_read_wait_for_each_other() {
    diagnose_isolation::isolated!();
    let (made, (mut one, mut two)) = (here(), tokio::io::duplex(64));
    let first = tokio::spawn(async move { one.write_all(&[0; 256]).await });
    let second = tokio::spawn(async move { two.write_all(&[0; 256]).await });
    tokio::task::yield_now().await;
    let seen = look();
    let is_it = |place: &diagnose_reports::model::Place| (place.file.as_str(), place.line) == made;
    let pipes: Vec<_> = seen.0.resources.iter().filter(|it| it.created.as_ref().is_some_and(is_it)).collect();
    assert_eq!(pipes.len(), 2);
    for pipe in pipes {
        assert_eq!((pipe.kind, pipe.capacity, pipe.filled), (ResourceKind::Pipe, Some(64), 64));
        let task = |role| pipe.holdings.iter().find(|holding| holding.role == role).unwrap().task;
        assert!(task(Role::Sends).is_some());
    }
    assert_eq!(seen.waiting(WaitMode::Send, made).len(), 2);
    first.abort();
    let _ = first.await;
    assert!(second.await.unwrap().is_err());
}

#[tokio::test]
async fn a_reader_waits_for_bytes() {
    diagnose_isolation::isolated!();
    let (made, (mut one, mut two)) = (here(), tokio::io::duplex(8));
    let reads = tokio::spawn(async move { one.read_u8().await });
    tokio::task::yield_now().await;
    assert_eq!(look().waiting(WaitMode::Receive, made).len(), 1);
    two.write_u8(5).await.unwrap();
    assert_eq!(reads.await.unwrap().unwrap(), 5);
    assert!(look().waiting(WaitMode::Receive, made).is_empty());
}

#[tokio::test]
async fn a_timer_says_when_it_is_due() {
    diagnose_isolation::isolated!();
    let at = here();
    let line = (at.0, at.1 + 3);
    let task = tokio::spawn(async {
        tokio::time::sleep(Duration::from_secs(100)).await;
    });
    tokio::task::yield_now().await;
    let seen = look();
    let waits = seen.waiting(WaitMode::Timer, line);
    let due_ns = waits[0].due_ns.unwrap();
    assert!((90_000_000_000..=100_100_000_000).contains(&due_ns), "{due_ns}");
    task.abort();
    let _ = task.await;
    assert!(look().waiting(WaitMode::Timer, line).is_empty());
}

#[tokio::test]
async fn a_timeout_and_its_future_wait_with_the_waker_of_the_task() {
    diagnose_isolation::isolated!();
    let (made, (_sender, mut receiver)) = (here(), tokio::sync::mpsc::channel::<u8>(1));
    let at = here();
    let line = (at.0, at.1 + 3);
    let task = tokio::spawn(async move {
        tokio::time::timeout(Duration::from_secs(50), receiver.recv()).await.unwrap();
    });
    tokio::task::yield_now().await;
    let seen = look();
    assert_eq!(seen.waiting(WaitMode::Timer, line).len(), 1);
    let wait = seen.waits(made, WaitMode::Receive)[0];
    assert!(!wait.is_indirect && !seen.waiting(WaitMode::Timer, line)[0].is_indirect);
    task.abort();
    let _ = task.await;
}

#[tokio::test]
async fn awaiting_a_join_handle_is_a_wait_for_its_task() {
    diagnose_isolation::isolated!();
    let at = here();
    let (spawned, line) = (at.1 + 2, (at.0, at.1 + 4));
    let endless = tokio::spawn(std::future::pending::<()>());
    let abort = endless.abort_handle();
    let joins = tokio::spawn(async move { endless.await.is_err() });
    tokio::task::yield_now().await;
    let seen = look();
    let wait = seen.waiting(WaitMode::Join, line)[0];
    let task = seen.0.tasks.iter().find(|task| wait.tasks == [task.id]).unwrap();
    assert!(
        task.spawned_at
            .as_ref()
            .map_or_else(String::new, ToString::to_string)
            .contains(&format!(":{spawned}:"))
    );
    abort.abort();
    assert!(joins.await.unwrap());
    assert!(look().waiting(WaitMode::Join, line).is_empty());
}

#[tokio::test]
async fn awaiting_a_join_set_is_a_wait_for_one_of_its_tasks() {
    diagnose_isolation::isolated!();
    let mut set = JoinSet::new();
    for _ in 0..100 {
        set.spawn(async {});
    }
    while set.join_next().await.is_some() {}
    set.spawn(std::future::pending::<()>());
    set.spawn(std::future::pending());
    let at = here();
    let line = (at.0, at.1 + 3);
    let joins = tokio::spawn(async move {
        set.join_next().await;
    });
    tokio::task::yield_now().await;
    let seen = look();
    let wait = seen.waiting(WaitMode::Join, line)[0];
    assert_eq!(wait.tasks.len(), 2);
    assert!(wait.tasks.iter().all(|number| seen.0.tasks.iter().any(|task| task.id == *number)));
    joins.abort();
    let _ = joins.await;
}
