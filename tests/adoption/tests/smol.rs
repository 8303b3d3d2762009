//! `diagnose::smol`: smol's functions, whose tasks are listed.

use diagnose::Snapshot;
use diagnose::model::{Task, TaskKind};
use diagnose::smol;

/// Returns the task spawned at `line` of this file.
fn at(snapshot: &Snapshot, line: u32) -> Option<&Task> {
    let place = format!("tests/smol.rs:{line}:");
    snapshot.tasks.iter().find(|task| {
        task.spawned_at.as_ref().map_or_else(String::new, ToString::to_string).contains(&place)
            && task.runtime == "smol"
    })
}

fn name<'a>(snapshot: &'a Snapshot, task: &Task) -> &'a str {
    &snapshot.sites[task.site].name
}

async fn conn(gate: smol::channel::Receiver<u8>) -> Option<u8> {
    gate.recv().await.ok()
}

#[test]
fn a_task_has_name_place_and_spawner() {
    diagnose_isolation::isolated!();
    let outer = line!() + 1;
    smol::block_on(async {
        let (open, gate) = smol::channel::bounded(1);
        let (line, task): (u32, smol::Task<Option<u8>>) = (line!(), smol::spawn(conn(gate)));
        let snapshot = diagnose::snapshot();
        let listed = at(&snapshot, line).unwrap();
        assert_eq!(name(&snapshot, listed), "conn");
        let main = at(&snapshot, outer).unwrap();
        assert_eq!((name(&snapshot, main), Some(main.id)), ("main", listed.spawned_by));
        open.send(7).await.unwrap();
        assert_eq!(task.await, Some(7));
        assert!(at(&diagnose::snapshot(), line).is_none());
    });
    assert!(at(&diagnose::snapshot(), outer).is_none());
}

#[test]
fn a_blocking_closure_is_listed_until_it_returns() {
    diagnose_isolation::isolated!();
    let (open, gate) = std::sync::mpsc::channel::<()>();
    let line = line!() + 1;
    let task = smol::unblock(move || gate.recv());
    assert_eq!(at(&diagnose::snapshot(), line).unwrap().kind, TaskKind::Blocking);
    drop(open);
    assert!(smol::block_on(task).is_err());
    assert!(at(&diagnose::snapshot(), line).is_none());
}

#[test]
fn a_cancelled_task_is_over() {
    diagnose_isolation::isolated!();
    let line = line!() + 1;
    let task = smol::spawn(std::future::pending::<()>());
    assert!(smol::block_on(task.cancel()).is_none());
    assert!(at(&diagnose::snapshot(), line).is_none());
}

#[test]
fn a_local_executor_spawns_through_spawn_with() {
    diagnose_isolation::isolated!();
    let text = "not 'static".to_owned();
    let executor = smol::LocalExecutor::new();
    let line = line!() + 1;
    let task = diagnose::spawn_with(|future| executor.spawn(future), "length", async { text.len() });
    let snapshot = diagnose::snapshot();
    let place = format!("tests/smol.rs:{line}:");
    let listed = snapshot
        .tasks
        .iter()
        .find(|task| task.spawned_at.as_ref().map_or_else(String::new, ToString::to_string).contains(&place))
        .unwrap();
    assert_eq!(name(&snapshot, listed), "length");
    assert_eq!(smol::block_on(executor.run(task)), 11);
}
