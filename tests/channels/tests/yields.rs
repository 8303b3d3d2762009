//! A task that yields wakes itself, although tokio wakes it after its poll, outside of all tasks.

use std::future::Future as _;
use std::pin::pin;
use std::task::{Context, Waker};
use std::time::Duration;

use diagnose::model::{RunState, Task};
use diagnose::{Snapshot, diagnose, tokio};

#[diagnose]
async fn asks_a_hundred_times() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    std::future::pending::<()>().await;
}

#[diagnose]
async fn drops_a_yield() {
    {
        let yields = pin!(tokio::task::yield_now());
        assert!(yields.poll(&mut Context::from_waker(Waker::noop())).is_pending());
    }
    ::tokio::time::sleep(Duration::from_secs(1_000)).await;
}

fn named(snapshot: &Snapshot, name: &str) -> Task {
    let is_it = |task: &&Task| snapshot.site(task.site).is_some_and(|site| site.name == name);
    snapshot.tasks.iter().find(is_it).expect("it never ends").clone()
}

/// Runs tasks until the one of that name was polled so often, and returns it.
fn polled(name: &str, polls: u64, spawn: impl FnOnce()) -> Task {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    runtime.block_on(async {
        spawn();
        loop {
            // The original: this task is not the one that is observed.
            ::tokio::task::yield_now().await;
            let task = named(&diagnose::snapshot(), name);
            if task.polls >= polls {
                break task;
            }
        }
    })
}

#[test]
fn a_yield_is_a_wake_by_the_task_itself() {
    let task = polled("asks_a_hundred_times", 101, || drop(tokio::spawn(asks_a_hundred_times())));
    assert_eq!((task.wakes, task.self_wakes, task.woken_by), (100, 100, Some(task.id)));
}

#[test]
fn a_yield_with_another_waker_wakes_no_task() {
    let task = polled("drops_a_yield", 1, || drop(tokio::spawn(drops_a_yield())));
    assert_eq!((task.state, task.wakes), (RunState::Waiting, 0));
}
