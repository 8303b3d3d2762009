//! A task polled inside another instance of itself, through a nested executor.

use diagnose::diagnose;
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::Busy;
use diagnose_poll_tests::{Task, block_on, steps, tree};

#[diagnose(root)]
async fn task(depth: u64) {
    steps([Busy(1)]).await;
    if depth > 0 {
        block_on(Box::pin(task(depth - 1)), 0);
    }
}

// task(2)  ├1┬─────────┤
// task(1)     ├1┬────┤
// task(0)        ├1┤
#[test]
fn instances_of_one_task_are_one_path() {
    isolated!();
    Task::new(async { task(2).await }).run(0);
    assert_eq!(tree(), "task  busy 6  self 3  idle 0  own 0  calls 3  polls 3  completed 3  nested 3\n");
}
