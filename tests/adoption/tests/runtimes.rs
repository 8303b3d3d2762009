//! Runtimes are numbered, and their tasks and workers carry the number.

use std::future::pending;
use std::time::{Duration, Instant};

use diagnose::Snapshot;
use diagnose::model::Task;
use diagnose::tokio;
use tokio::runtime::Builder;

/// Returns the task spawned at `line` of this file.
fn at(snapshot: &Snapshot, line: u32) -> &Task {
    let place = format!("tests/runtimes.rs:{line}:");
    snapshot
        .tasks
        .iter()
        .find(|task| task.spawned_at.as_ref().map_or_else(String::new, ToString::to_string).contains(&place))
        .expect("it is listed")
}

fn named<'a>(snapshot: &'a Snapshot, name: &str) -> Option<&'a diagnose::model::Runtime> {
    snapshot.runtimes.iter().find(|runtime| runtime.name.as_deref() == Some(name))
}

#[test]
fn a_runtime_is_listed_under_its_number_from_its_build_to_its_drop() {
    diagnose_isolation::isolated!();
    let build = |name| Builder::new_multi_thread().worker_threads(3).name(name).build().unwrap();
    let (first, second) = (build("first"), build("second"));
    let snapshot = diagnose::snapshot();
    let (one, two) = (named(&snapshot, "first").unwrap(), named(&snapshot, "second").unwrap());
    assert!(0 < one.number && one.number < two.number);
    assert_eq!((one.library.as_str(), one.workers), ("tokio", 3));
    drop(first);
    let snapshot = diagnose::snapshot();
    assert!(named(&snapshot, "first").is_none() && named(&snapshot, "second").is_some());
    drop(second);
}

#[test]
fn tasks_and_workers_carry_the_number_of_their_runtime() {
    diagnose_isolation::isolated!();
    let builder = || {
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(2);
        builder
    };
    let other = builder().name("other").build().unwrap();
    let runtime = builder().name("own").thread_name("own-worker").build().unwrap();
    let first = line!();
    runtime.spawn(pending::<()>());
    other.spawn(pending::<()>());
    runtime.block_on(async {
        tokio::spawn(pending::<()>());
        let _entered = other.enter();
        tokio::spawn(pending::<()>());
    });
    let parked = |snapshot: &Snapshot| {
        let own = snapshot.workers.iter().filter(|worker| worker.thread == "own-worker");
        own.map(|worker| worker.runtime_number).collect::<Vec<_>>()
    };
    let end = Instant::now() + Duration::from_secs(60);
    while parked(&diagnose::snapshot()).len() < 2 && Instant::now() < end {
        std::thread::yield_now();
    }

    let snapshot = diagnose::snapshot();
    let (own, other) = (named(&snapshot, "own").unwrap().number, named(&snapshot, "other").unwrap().number);
    let numbers = [1, 2, 4, 6].map(|line| at(&snapshot, first + line).runtime_number);
    assert_eq!(numbers, [own, other, own, other]);
    assert_eq!(parked(&snapshot), [own, own]);
}

#[test]
fn only_a_runtime_of_one_thread_polls_the_future_of_its_block_on() {
    diagnose_isolation::isolated!();
    let runs_main = |runtime: tokio::runtime::Runtime| {
        let (line, snapshot) = (line!(), runtime.block_on(async { diagnose::snapshot() }));
        let main = at(&snapshot, line);
        assert!(main.is_local);
        main.runtime_number
    };
    assert_eq!(runs_main(Builder::new_multi_thread().worker_threads(1).build().unwrap()), 0);
    assert_ne!(runs_main(Builder::new_current_thread().build().unwrap()), 0);
}

#[test]
fn the_bound_on_blocking_threads_is_known() {
    diagnose_isolation::isolated!();
    let bound = |builder: &mut Builder| {
        let runtime = builder.build().unwrap();
        let snapshot = diagnose::snapshot();
        let number = named(&snapshot, "bounded").unwrap().number;
        drop(runtime);
        let pool = snapshot.blocking_pools.iter().find(|pool| pool.runtime_number == number);
        pool.map(|pool| pool.threads)
    };
    assert_eq!(bound(Builder::new_current_thread().name("bounded")), Some(512));
    assert_eq!(bound(Builder::new_current_thread().name("bounded").max_blocking_threads(3)), Some(3));
    let mut builder = ::tokio::runtime::Builder::new_current_thread();
    builder.name("bounded");
    assert_eq!(bound(&mut builder.into()), None, "it does not tell");
}

#[test]
fn a_runtime_of_tokios_own_builder_has_no_number() {
    diagnose_isolation::isolated!();
    let runtime = ::tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
    let runtime = tokio::runtime::Runtime::from(runtime);
    let line = line!() + 1;
    runtime.spawn(pending::<()>());
    assert_eq!(at(&diagnose::snapshot(), line).runtime_number, 0);
}
