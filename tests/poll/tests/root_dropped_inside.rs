//! A pending root dropped inside another task's poll is no child of that task.

use diagnose::diagnose;
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::Wait;
use diagnose_poll_tests::{Task, steps, tree};

#[diagnose(root)]
async fn aborted() {
    steps([Wait]).await;
}

#[diagnose]
async fn child() {
    steps([Wait, Wait]).await;
}

#[diagnose]
async fn parent(aborted: Task<()>) {
    let mut aborted = Some(aborted);
    let mut child = Box::pin(child());
    std::future::poll_fn(move |_| {
        let done = diagnose_poll_tests::poll(child.as_mut());
        drop(aborted.take());
        done
    })
    .await;
}

#[test]
fn the_child_still_explains_the_wait() {
    isolated!();
    let mut other = Task::new(aborted());
    assert!(other.poll().is_pending());
    Task::new(parent(other)).run(10);
    assert_eq!(
        tree(),
        "\
aborted  busy 0  self 0  idle 0  own 0  calls 1  polls 1  cancelled 1
parent  busy 0  self 0  idle 20  own 0  calls 1  polls 3  completed 1
  child  busy 0  self 0  idle 20  own 20  calls 1  polls 3  completed 1
"
    );
}
