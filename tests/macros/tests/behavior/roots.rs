//! `root` makes a task of a future: it has no parent, even if another future polls it.

use diagnose::diagnose;
use diagnose_macros_tests::{calls, run, sites};

#[diagnose(root)]
async fn task() {}

#[diagnose]
async fn polls_a_task() {
    task().await;
    #[diagnose(root, name = "task of a block")]
    async {}.await;
}

#[test]
fn a_root_has_no_parent() {
    run(polls_a_task());
    assert_eq!(calls("polls_a_task"), ["1 polls_a_task"]);
    assert_eq!(calls("task"), ["1 task"]);
    assert_eq!(calls("task of a block"), ["1 task of a block"]);
    assert!(sites("task")[0].starts_with("task task "), "{:?}", sites("task"));
    assert!(sites("task of a block")[0].starts_with("task task of a block "));
}
