//! A recursive call's awaits are not the caller's, even while recording is off.

use diagnose::diagnose;
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::{Busy, Wait};
use diagnose_poll_tests::{Task, pass, steps, tree_with_awaits};

#[diagnose]
async fn descend(depth: u32) {
    if depth == 0 {
        steps([Busy(1), Wait, Busy(1)]).await;
        return;
    }
    diagnose::set_enabled(false);
    let mut inner = Box::pin(descend(depth - 1));
    assert!(diagnose_poll_tests::poll(inner.as_mut()).is_pending());
    diagnose::set_enabled(true);
    steps([Busy(10), Wait, Busy(10)]).await;
    drop(inner);
    steps([Busy(100)]).await;
}

// descend 1  ├1 10┤20├10 100┤
// descend 0  ├1 ┈┈┈┈┈┈┈┈┈┤ not recorded
#[test]
fn an_unrecorded_call_does_not_stand_at_its_callers_awaits() {
    isolated!();
    let mut task = Task::new(descend(1));
    assert!(task.poll().is_pending());
    pass(20);
    assert!(task.poll().is_ready());
    pass(1_000);
    assert_eq!(
        tree_with_awaits(),
        "\
descend  busy 121  self 1  idle 20  own 0  calls 1  polls 2  completed 1
  steps([Busy(10), Wait, Busy(10)]).await  busy 20  self 20  idle 20  own 20  calls 1  polls 2  completed 1
  steps([Busy(100)]).await  busy 100  self 100  idle 0  own 0  calls 1  polls 1  completed 1
"
    );
}
