//! A child ends while recording is off: its parent is no longer at its await.

use std::future::Future;
use std::pin::Pin;

use diagnose::{FutureExt as _, diagnose};
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::{Busy, Wait};
use diagnose_poll_tests::{Step, Task, pass, steps, tree};

#[test]
fn a_parent_waits_by_itself_after_its_child_ended_unrecorded() {
    isolated!();
    let child = steps([Wait]).diagnose("child");
    let parent = async {
        child.await;
        steps([Wait; 3]).await;
    };
    let mut task = Task::new(parent.diagnose("parent"));
    assert!(task.poll().is_pending());
    diagnose::set_enabled(false);
    assert!(task.poll().is_pending());
    diagnose::set_enabled(true);
    for _ in 0..2 {
        assert!(task.poll().is_pending());
        pass(10);
    }
    assert_eq!(
        tree(),
        "\
parent  busy 0  self 0  idle 20  own 20  calls 1  polls 3  pending 1
  child  busy 0  self 0  idle 0  own 0  calls 1  polls 1  completed 1
"
    );
}

type Boxed = Pin<Box<dyn Future<Output = ()> + Send>>;

#[diagnose]
async fn child(parts: Vec<Step>) {
    steps(parts).await;
}

fn boxed(parts: Vec<Step>) -> Boxed {
    Box::pin(child(parts))
}

/// Awaits a span, then polls two other spans as arms.
#[diagnose]
async fn body() {
    child(vec![Wait]).await;
    tokio::join!(boxed(vec![Wait, Busy(3), Wait, Busy(3), Wait]), boxed(vec![Wait, Wait, Wait]));
}

// ```text
// recorded  ├─ child ┤          ├─ join! ┤ ├─ join! ┤
// off                ├─ join! ──┤
// ```
// The body left the await of `child` while nothing was recorded. It must not resume there.
#[test]
fn the_body_does_not_resume_at_an_await_that_it_left_while_nothing_was_recorded() {
    isolated!();
    let mut task = Task::new(body());
    assert!(task.poll().is_pending());
    diagnose::set_enabled(false);
    assert!(task.poll().is_pending());
    diagnose::set_enabled(true);
    assert!(task.poll().is_pending());
    assert!(task.poll().is_pending());
    assert_eq!(
        tree(),
        "\
body  busy 6  self 0  idle 0  own 0  calls 1  polls 3  pending 1
  child  busy 6  self 6  idle 6  own 6  calls 3  polls 5  completed 1  pending 2
"
    );
}
