//! A task that yields wakes itself, although tokio wakes it after its poll, outside of all tasks.

use diagnose::{diagnose, tokio};

#[diagnose]
async fn asks_a_hundred_times() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    std::future::pending::<()>().await;
}

#[test]
fn a_yield_is_a_wake_by_the_task_itself() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let task = runtime.block_on(async {
        drop(tokio::spawn(asks_a_hundred_times()));
        loop {
            // The original: this task is not the one that is observed.
            ::tokio::task::yield_now().await;
            let snapshot = diagnose::snapshot();
            let is_it = |site| snapshot.site(site).is_some_and(|site| site.name == "asks_a_hundred_times");
            let task = snapshot.tasks.iter().find(|task| is_it(task.site)).expect("it waits for ever");
            if task.polls > 100 {
                break task.clone();
            }
        }
    });
    assert_eq!((task.wakes, task.self_wakes, task.woken_by), (100, 100, Some(task.id)));
}
