//! `diagnose::async_std`: async-std's functions and attributes, whose tasks are listed.

use async_std::task::Builder;
use diagnose::Snapshot;
use diagnose::async_std;
use diagnose::model::{Task, TaskKind};

/// Returns the task spawned at `line` of this file.
fn at(snapshot: &Snapshot, line: u32) -> Option<&Task> {
    let place = format!("tests/async_std.rs:{line}:");
    snapshot.tasks.iter().find(|task| {
        task.spawned_at.as_ref().map_or_else(String::new, ToString::to_string).contains(&place)
            && task.runtime == "async-std"
    })
}

fn name<'a>(snapshot: &'a Snapshot, task: &Task) -> &'a str {
    &snapshot.sites[task.site].name
}

async fn conn(gate: async_std::channel::Receiver<u8>) -> Option<u8> {
    gate.recv().await.ok()
}

#[async_std::test]
async fn a_task_has_name_place_number_and_spawner() {
    let (open, gate) = async_std::channel::bounded(1);
    let (line, task) = (line!(), async_std::task::spawn(conn(gate)));
    let snapshot = diagnose::snapshot();
    let listed = at(&snapshot, line).unwrap();
    assert_eq!(name(&snapshot, listed), "conn");
    assert_eq!(listed.runtime_id, task.task().id().to_string().parse().ok());
    let main = snapshot.tasks.iter().find(|task| Some(task.id) == listed.spawned_by).unwrap();
    assert_eq!(name(&snapshot, main), "main");
    open.send(7).await.unwrap();
    assert_eq!(task.await, Some(7));
    assert!(at(&diagnose::snapshot(), line).is_none());
}

#[test]
fn a_task_with_a_name_is_listed_under_it() {
    diagnose_isolation::isolated!();
    let line = line!() + 1;
    let task = Builder::new().name("keeper".to_owned()).spawn(std::future::pending::<()>()).unwrap();
    assert_eq!(task.task().name(), Some("keeper"));
    let snapshot = diagnose::snapshot();
    assert_eq!(name(&snapshot, at(&snapshot, line).unwrap()), "keeper");
    assert!(async_std::task::block_on(task.cancel()).is_none());
    assert!(Builder::new().blocking(async { async_std::task::current().name().is_none() }));
}

#[test]
fn a_blocking_closure_is_listed_until_it_returns() {
    diagnose_isolation::isolated!();
    let (open, gate) = std::sync::mpsc::channel::<()>();
    let line = line!() + 1;
    let task = async_std::task::spawn_blocking(move || gate.recv());
    assert_eq!(at(&diagnose::snapshot(), line).unwrap().kind, TaskKind::Blocking);
    drop(open);
    assert!(async_std::task::block_on(task).is_err());
    assert!(at(&diagnose::snapshot(), line).is_none());
}
