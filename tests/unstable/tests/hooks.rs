//! A library's own spawns are listed once, and the program's hooks run as without diagnose.
#![cfg(tokio_unstable)]

use std::future::ready;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ::tokio::sync::oneshot;
use diagnose::Snapshot;
use diagnose::model::{RunState, Task};
use diagnose::tokio;
use diagnose_unstable_tests::serve;
use tokio::runtime::{Builder, Runtime};

/// Runs one test at a time: all tests look at the spawns of one line.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

/// Returns the place where the library spawns.
fn place() -> String {
    let source = include_str!("../src/lib.rs");
    let before = source.lines().take_while(|line| !line.contains("tokio::spawn(")).count();
    format!("tests/unstable/src/lib.rs:{}:", before + 1)
}

/// Returns the tasks that the library has spawned.
fn served(snapshot: &Snapshot) -> Vec<&Task> {
    snapshot
        .tasks
        .iter()
        .filter(|task| {
            task.spawned_at.as_ref().map_or_else(String::new, ToString::to_string).contains(&place())
        })
        .collect()
}

fn name<'a>(snapshot: &'a Snapshot, task: &Task) -> &'a str {
    &snapshot.sites[task.site].name
}

#[test]
fn a_task_of_a_library_is_listed_by_its_place_from_spawn_to_end() {
    let _alone = alone();
    runtime().block_on(async {
        let (end, ends) = oneshot::channel();
        let task = serve(ends, ready(()));
        let snapshot = diagnose::snapshot();
        let listed = served(&snapshot);
        assert_eq!(listed.len(), 1);
        assert_eq!((listed[0].state, listed[0].polls), (RunState::Unpolled, 0));
        assert!(name(&snapshot, listed[0]).contains(place().trim_end_matches(':')));
        assert_eq!(listed[0].runtime_id, task.id().to_string().parse().ok());
        assert_ne!(listed[0].runtime_number, 0);
        let main = snapshot.tasks.iter().find(|task| name(&snapshot, task) == "main").unwrap();
        assert_eq!(listed[0].spawned_by, Some(main.id));

        tokio::task::yield_now().await;
        let snapshot = diagnose::snapshot();
        let listed = served(&snapshot);
        assert_eq!((listed[0].state, listed[0].polls), (RunState::Waiting, 1));
        assert!(listed[0].busy_ns > 0);
        assert_eq!(listed[0].wakers, None, "nobody counts them");
        assert!(!diagnose::tree().contains("NOTHING CAN WAKE IT"), "{}", diagnose::tree());

        end.send(()).unwrap();
        task.await.unwrap();
        assert!(served(&diagnose::snapshot()).is_empty());
    });
}

#[test]
fn what_is_spawned_through_the_wrapper_is_listed_once() {
    let _alone = alone();
    runtime().block_on(async {
        let (end, ends) = oneshot::channel::<()>();
        let line = line!() + 1;
        let task = tokio::spawn(async { drop(ends.await) });
        let number = || {
            let snapshot = diagnose::snapshot();
            let id = task.id().to_string().parse().ok();
            let own: Vec<&Task> = snapshot.tasks.iter().filter(|task| task.runtime_id == id).collect();
            assert!(own.iter().all(|task| {
                task.spawned_at
                    .as_ref()
                    .map_or_else(String::new, ToString::to_string)
                    .contains(&format!("tests/hooks.rs:{line}:"))
            }));
            own.len()
        };
        assert_eq!(number(), 1);
        tokio::task::yield_now().await;
        assert_eq!(number(), 1);
        drop(end);
        task.await.unwrap();
        // The library's next spawn is not mistaken for the wrapper's.
        let (_end, ends) = oneshot::channel();
        let _task = serve(ends, ready(()));
        assert_eq!(served(&diagnose::snapshot()).len(), 1);
    });
}

#[diagnose::diagnose]
async fn annotated(go: oneshot::Receiver<()>) {
    let _ = go.await;
}

#[test]
fn an_annotated_future_in_a_librarys_task_stands_for_the_task() {
    let _alone = alone();
    runtime().block_on(async {
        let (end, ends) = oneshot::channel();
        let (go, gone) = oneshot::channel();
        let task = serve(ends, annotated(gone));
        tokio::task::yield_now().await;
        let snapshot = diagnose::snapshot();
        let names: Vec<&str> = served(&snapshot).into_iter().map(|task| name(&snapshot, task)).collect();
        assert_eq!(names, ["annotated"], "with the place where its task was spawned");

        go.send(()).unwrap();
        tokio::task::yield_now().await;
        let snapshot = diagnose::snapshot();
        let names: Vec<&str> = served(&snapshot).into_iter().map(|task| name(&snapshot, task)).collect();
        assert!(names.len() == 1 && names[0].contains("src/lib.rs"), "the task goes on: {names:?}");
        end.send(()).unwrap();
        task.await.unwrap();
    });
}

#[test]
fn a_task_that_is_dropped_with_its_runtime_is_gone() {
    let _alone = alone();
    let runtime = runtime();
    let (_end, ends) = oneshot::channel();
    let _task = {
        let _entered = runtime.enter();
        serve(ends, ready(()))
    };
    assert_eq!(served(&diagnose::snapshot()).len(), 1);
    drop(runtime);
    assert!(served(&diagnose::snapshot()).is_empty());
}

#[test]
fn the_hooks_of_the_program_run_too() {
    let _alone = alone();
    let counts: [Arc<AtomicUsize>; 4] = Default::default();
    let count = |number: usize| {
        let counter = Arc::clone(&counts[number]);
        move |_: &::tokio::runtime::TaskMeta<'_>| {
            counter.fetch_add(1, SeqCst);
        }
    };
    let runtime = Builder::new_current_thread()
        .enable_all()
        .on_task_spawn(count(0))
        .on_before_task_poll(count(1))
        .on_after_task_poll(count(2))
        .on_task_terminate(count(3))
        .build()
        .unwrap();
    runtime.block_on(async {
        let (end, ends) = oneshot::channel();
        let task = serve(ends, ready(()));
        tokio::task::yield_now().await;
        assert_eq!(served(&diagnose::snapshot()).len(), 1);
        end.send(()).unwrap();
        task.await.unwrap();
    });
    let counts = counts.map(|counter| counter.load(SeqCst));
    assert_eq!(counts, [1, 2, 2, 1]);
}
