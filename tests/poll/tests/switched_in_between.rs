//! A child that ends while nothing is recorded does not explain its parent's waits for ever.

use diagnose::FutureExt as _;
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::Wait;
use diagnose_poll_tests::{Task, pass, steps, tree};

#[test]
fn the_parent_waits_by_itself_afterwards() {
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
