//! A body that goes on to its next await in the poll that ends a wait, as in a loop.

use diagnose::{FutureExt as _, diagnose};
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::{Busy, Wait};
use diagnose_poll_tests::{Task, steps, tree_with_awaits};

#[diagnose]
async fn handle(ns: u64) {
    steps([Busy(ns), Wait, Busy(2 * ns)]).await;
}

#[diagnose]
async fn handles(times: u64) {
    for time in 1..=times {
        handle(time).await;
    }
}

#[diagnose]
async fn server() {
    handles(3).await;
    handles(2).await;
}

// server    ├1──┤┈┈10┈┈├2────2──┤┈┈10┈┈├4────3──┤┈┈10┈┈├6────1──┤┈┈10┈┈├2────2──┤┈┈10┈┈├4──┤
// handles   ├1──┤┈┈10┈┈├2────2──┤┈┈10┈┈├4────3──┤┈┈10┈┈├6──┤
// handle    ├1──┤┈┈10┈┈├2──┤                           handles ├1──┤ …
//                         handle ├2──┤┈┈10┈┈├4──┤ …
#[test]
fn one_span_after_another() {
    isolated!();
    Task::new(server()).run(10);
    assert_eq!(
        tree_with_awaits(),
        "\
server  busy 27  self 0  idle 50  own 0  calls 1  polls 6  completed 1
  handles(2).await  busy 9  self 0  idle 20  own 0  calls 1  polls 3  completed 1
    handles  busy 9  self 0  idle 20  own 0  calls 1  polls 3  completed 1
      handle(time).await  busy 9  self 0  idle 20  own 0  calls 2  polls 4  completed 2
        handle  busy 9  self 0  idle 20  own 0  calls 2  polls 4  completed 2
          steps([Busy(ns), Wait, Busy(2 * ns)]).await  busy 9  self 9  idle 20  own 20  calls 2  polls 4  completed 2
  handles(3).await  busy 18  self 0  idle 30  own 0  calls 1  polls 4  completed 1
    handles  busy 18  self 0  idle 30  own 0  calls 1  polls 4  completed 1
      handle(time).await  busy 18  self 0  idle 30  own 0  calls 3  polls 6  completed 3
        handle  busy 18  self 0  idle 30  own 0  calls 3  polls 6  completed 3
          steps([Busy(ns), Wait, Busy(2 * ns)]).await  busy 18  self 18  idle 30  own 30  calls 3  polls 6  completed 3
"
    );
}

// named     ├1──┤┈┈10┈┈├2────2──┤┈┈10┈┈├4──┤
// handle    ├1──┤┈┈10┈┈├2──┤
//                 handle ├2──┤┈┈10┈┈├4──┤
#[test]
fn one_span_after_another_below_code_that_is_not_annotated() {
    isolated!();
    let all = async {
        for time in 1..=2 {
            handle(time).await;
        }
    };
    Task::new(all.diagnose("named")).run(10);
    assert_eq!(
        tree_with_awaits(),
        "\
named  busy 9  self 0  idle 20  own 0  calls 1  polls 3  completed 1
  handle  busy 9  self 0  idle 20  own 0  calls 2  polls 4  completed 2
    steps([Busy(ns), Wait, Busy(2 * ns)]).await  busy 9  self 9  idle 20  own 20  calls 2  polls 4  completed 2
"
    );
}

#[diagnose]
async fn waits() {
    for time in 1..=2 {
        steps([Busy(time), Wait, Busy(10 * time)]).await;
        steps([Busy(100 * time), Wait]).await;
    }
}

#[diagnose]
async fn outer() {
    waits().await;
}

// waits     ├1──┤┈┈10┈┈├10──100──┤┈┈10┈┈├0────2──┤┈┈10┈┈├20──200──┤┈┈10┈┈├0┤
// first     ├1──┤┈┈10┈┈├10──┤           ├0    2──┤┈┈10┈┈├20──┤
// second                    ├100─┤┈┈10┈┈├0┤                  ├200─┤┈┈10┈┈├0┤
#[test]
fn one_wait_after_another() {
    isolated!();
    Task::new(waits()).run(10);
    Task::new(outer()).run(10);
    assert_eq!(
        tree_with_awaits(),
        "\
outer  busy 333  self 0  idle 40  own 0  calls 1  polls 5  completed 1
  waits().await  busy 333  self 0  idle 40  own 0  calls 1  polls 5  completed 1
    waits  busy 333  self 0  idle 40  own 0  calls 1  polls 5  completed 1
      steps([Busy(100 * time), Wait]).await  busy 300  self 300  idle 20  own 20  calls 2  polls 4  completed 2
      steps([Busy(time), Wait, Busy(10 * time)]).await  busy 33  self 33  idle 20  own 20  calls 2  polls 4  completed 2
waits  busy 333  self 0  idle 40  own 0  calls 1  polls 5  completed 1
  steps([Busy(100 * time), Wait]).await  busy 300  self 300  idle 20  own 20  calls 2  polls 4  completed 2
  steps([Busy(time), Wait, Busy(10 * time)]).await  busy 33  self 33  idle 20  own 20  calls 2  polls 4  completed 2
"
    );
}
