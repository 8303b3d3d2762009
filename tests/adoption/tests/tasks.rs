//! Spawned tasks are listed with their name, place of spawn, and spawning task.

use diagnose::model::{SiteKind, Task, TaskKind};
use diagnose::tokio;
use diagnose::{FutureExt as _, Snapshot};
use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;
use tokio::sync::oneshot;

/// Returns the task spawned at `line` of this file.
fn at(snapshot: &Snapshot, line: u32) -> Option<&Task> {
    let place = format!("tests/tasks.rs:{line}:");
    snapshot
        .tasks
        .iter()
        .find(|task| task.spawned_at.as_ref().map_or_else(String::new, ToString::to_string).contains(&place))
}

fn name<'a>(snapshot: &'a Snapshot, task: &Task) -> &'a str {
    &snapshot.sites[task.site].name
}

async fn conn(gate: oneshot::Receiver<()>) {
    let _ = gate.await;
}

#[diagnose::diagnose]
async fn annotated(gate: oneshot::Receiver<()>) {
    let _ = gate.await;
}

#[tokio::test]
async fn a_task_has_name_place_number_and_spawner() {
    diagnose_isolation::isolated!();
    let (open, gate) = oneshot::channel();
    let (line, task) = (line!(), tokio::spawn(conn(gate)));
    tokio::task::yield_now().await;

    let snapshot = diagnose::snapshot();
    let listed = at(&snapshot, line).unwrap();
    assert_eq!(name(&snapshot, listed), "conn");
    assert_eq!(listed.runtime, "tokio");
    assert_eq!(listed.kind, TaskKind::Future);
    assert_eq!(listed.runtime_id, task.id().to_string().parse().ok());
    let spawner = snapshot.tasks.iter().find(|task| Some(task.id) == listed.spawned_by).unwrap();
    assert_eq!(name(&snapshot, spawner), "main");

    open.send(()).unwrap();
    task.await.unwrap();
    assert!(at(&diagnose::snapshot(), line).is_none(), "it is over");
}

#[tokio::test]
async fn a_task_has_the_name_of_its_future() {
    diagnose_isolation::isolated!();
    let (_open, gate) = oneshot::channel();
    let (line, _task) = (line!(), tokio::spawn(conn(gate).diagnose("billing")));
    let (_open, gate) = oneshot::channel();
    let pool = |future| tokio::spawn(future);
    let named = diagnose::spawn_with(pool, "shipping", conn(gate).diagnose("inner"));
    tokio::task::yield_now().await;
    let snapshot = diagnose::snapshot();
    assert_eq!(name(&snapshot, at(&snapshot, line).unwrap()), "billing");
    let (_open, gate) = oneshot::channel();
    let (line, _task) = (line!(), tokio::spawn(diagnose::block!(conn(gate))));
    tokio::task::yield_now().await;
    let unnamed = diagnose::snapshot();
    assert_ne!(name(&unnamed, at(&unnamed, line).unwrap()), "{block}", "it has no name to give");
    let is_shipping = |task: &&Task| name(&snapshot, task) == "shipping";
    assert!(snapshot.tasks.iter().any(|task| is_shipping(&task)), "the program's own name stays");
    drop(named);
}

#[tokio::test]
async fn an_unannotated_future_is_a_root_where_it_was_spawned() {
    diagnose_isolation::isolated!();
    async fn plain() {
        tokio::task::yield_now().await;
    }
    let line = line!() + 1;
    tokio::spawn(plain()).await.unwrap();
    let snapshot = diagnose::snapshot();
    let is_root = |node: &&diagnose::model::Node| {
        let site = &snapshot.sites[node.site];
        node.parent.is_none() && site.name == "plain" && site.place.line == line
    };
    let root = snapshot.nodes.iter().find(is_root).unwrap();
    assert_eq!(snapshot.sites[root.site].kind, SiteKind::Task);
    assert!(snapshot.sites[root.site].place.file.ends_with("tests/tasks.rs"));
    assert_eq!((root.calls, root.completed), (1, 1));
}

#[tokio::test]
async fn an_annotated_future_is_the_root_itself() {
    diagnose_isolation::isolated!();
    let (open, gate) = oneshot::channel();
    let (line, task) = (line!(), tokio::spawn(annotated(gate)));
    tokio::task::yield_now().await;
    let snapshot = diagnose::snapshot();
    let listed = at(&snapshot, line).unwrap();
    assert_eq!(name(&snapshot, listed), "annotated");
    let roots = snapshot.nodes.iter().filter(|node| snapshot.sites[node.site].name == "annotated");
    let kinds: Vec<SiteKind> = roots.map(|node| snapshot.sites[node.site].kind).collect();
    assert_eq!(kinds, [SiteKind::Fn], "no span around it");
    open.send(()).unwrap();
    task.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_that_was_not_polled_is_listed_until_it_is_aborted() {
    diagnose_isolation::isolated!();
    let set = tokio::task::LocalSet::new();
    let line = line!() + 1;
    let task = set.spawn_local(std::future::pending::<()>());
    assert_eq!(at(&diagnose::snapshot(), line).unwrap().polls, 0);
    task.abort();
    drop(set);
    assert!(task.await.unwrap_err().is_cancelled());
    assert!(at(&diagnose::snapshot(), line).is_none());
}

#[tokio::test]
async fn a_blocking_closure_is_listed_while_it_runs() {
    diagnose_isolation::isolated!();
    let (open, gate) = std::sync::mpsc::channel::<()>();
    let line = line!() + 1;
    let task = tokio::task::spawn_blocking(move || gate.recv());
    let snapshot = diagnose::snapshot();
    let listed = at(&snapshot, line).unwrap();
    assert_eq!(listed.kind, TaskKind::Blocking);
    assert_eq!(name(&snapshot, listed), "a_blocking_closure_is_listed_while_it_runs::{closure}");
    drop(open);
    assert!(task.await.unwrap().is_err());
    assert!(at(&diagnose::snapshot(), line).is_none());
}

#[tokio::test]
async fn every_way_to_spawn_lists_the_task_at_its_call() {
    diagnose_isolation::isolated!();
    fn pending() -> std::future::Pending<()> {
        std::future::pending()
    }
    let handle = tokio::runtime::Handle::current();
    let local = tokio::task::LocalSet::new();
    let mut set = tokio::task::JoinSet::new();
    let first = line!();
    set.spawn(pending());
    set.spawn_on(pending(), &handle);
    set.spawn_local_on(pending(), &local);
    let by_handle = handle.spawn(pending());
    let by_local = local.spawn_local(pending());
    let in_local = local.run_until(poll_fn(|_| Poll::Ready(tokio::task::spawn_local(pending())))).await;
    let snapshot = diagnose::snapshot();
    for line in first + 1..=first + 6 {
        let task = at(&snapshot, line).unwrap_or_else(|| panic!("line {line}"));
        assert_eq!(name(&snapshot, task), "Pending");
        assert!(task.runtime_id.is_some());
    }
    for task in [by_handle, by_local, in_local] {
        task.abort();
    }
}

#[tokio::test]
async fn a_task_is_named_after_its_function_and_a_boxed_future_has_none() {
    diagnose_isolation::isolated!();
    let future: std::pin::Pin<Box<dyn Future<Output = ()> + Send>> = Box::pin(std::future::pending());
    let (line, task) = (line!(), tokio::spawn(future));
    let snapshot = diagnose::snapshot();
    assert_eq!(name(&snapshot, at(&snapshot, line).unwrap()), "task");
    let (line, boxed) = (line!(), tokio::spawn(Box::pin(conn(oneshot::channel().1))));
    let snapshot = diagnose::snapshot();
    assert_eq!(name(&snapshot, at(&snapshot, line).unwrap()), "conn");
    let (line, block) = (line!(), tokio::spawn(async { std::future::pending::<()>().await }));
    let snapshot = diagnose::snapshot();
    let expected = "a_task_is_named_after_its_function_and_a_boxed_future_has_none::{block}";
    assert_eq!(name(&snapshot, at(&snapshot, line).unwrap()), expected);
    task.abort();
    boxed.abort();
    block.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn block_in_place_is_a_call_in_its_task() {
    diagnose_isolation::isolated!();
    async fn blocks() {
        tokio::task::yield_now().await;
        tokio::task::block_in_place(|| std::thread::sleep(Duration::from_millis(1)));
    }
    tokio::spawn(blocks()).await.unwrap();
    let snapshot = diagnose::snapshot();
    let call = snapshot.nodes.iter().find(|node| snapshot.sites[node.site].name == "block_in_place").unwrap();
    let task = &snapshot.nodes[call.parent.unwrap()];
    assert_eq!(snapshot.sites[task.site].name, "blocks");
    assert!(call.busy_ns >= 990_000, "a sleep is at least its time: {} ns", call.busy_ns);
}

/// The task is polled for the first time while recording is off. It panics there.
#[test]
fn a_task_that_panics_unrecorded_leaves_nothing_behind() {
    diagnose_isolation::isolated!();
    #[diagnose::diagnose]
    async fn stranger() -> usize {
        diagnose::snapshot().tasks.iter().filter(|task| task.spawned_at.is_some()).count()
    }
    let runtime = ::tokio::runtime::Builder::new_current_thread().build().unwrap();
    let inside = runtime.enter();
    let task = tokio::spawn(async { panic!("on purpose") });
    let line = line!() - 1;
    drop(inside);
    assert!(at(&diagnose::snapshot(), line).is_some());
    diagnose::set_enabled(false);
    assert!(runtime.block_on(task).unwrap_err().is_panic());
    diagnose::set_enabled(true);
    assert!(at(&diagnose::snapshot(), line).is_none());
    assert_eq!(runtime.block_on(stranger()), 0, "it was not spawned");
}
