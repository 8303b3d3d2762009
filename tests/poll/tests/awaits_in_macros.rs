//! The awaits in an unreadable macro count as one, which ends with its code.

use diagnose::diagnose;
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::{Busy, Wait};
use diagnose_poll_tests::{Task, steps, tree_with_awaits};

macro_rules! twice {
    ($future:expr) => {{
        $future;
        $future
    }};
}

macro_rules! and_break {
    ($future:expr) => {{
        $future;
        if true {
            break;
        }
    }};
}

macro_rules! or_return {
    ($future:expr) => {{
        $future;
        None::<u32>?
    }};
}

#[diagnose]
async fn outer() {
    twice!(steps([Busy(1), Wait, Busy(2)]).await);
    loop {
        and_break!(steps([Wait, Busy(4)]).await);
    }
    inner().await;
}

#[diagnose]
async fn inner() -> Option<u32> {
    Some(or_return!(steps([Wait, Busy(8)]).await))
}

// outer        ├ 1 ┤┈ 20 ┈├ 2+1 ┤┈ 20 ┈├ 2 ┤┈ 20 ┈├ 4 ┤┈ 20 ┈├ 8 ┤
// twice!       ├ 1 ┤┈ 20 ┈├ 2+1 ┤┈ 20 ┈├ 2 ┤
// and_break!                               ┤┈ 20 ┈├ 4 ┤
// inner                                               ┤┈ 20 ┈├ 8 ┤
// or_return!                                          ┤┈ 20 ┈├ 8 ┤
#[test]
fn a_macro_is_one_await_however_it_is_left() {
    isolated!();
    Task::new(outer()).run(20);
    assert_eq!(
        tree_with_awaits(),
        "\
outer  busy 18  self 0  idle 80  own 0  calls 1  polls 5  completed 1
  and_break!(steps([Wait, Busy(4)]).await)  busy 4  self 4  idle 20  own 20  calls 1  polls 2  completed 1
  inner().await  busy 8  self 0  idle 20  own 0  calls 1  polls 2  completed 1
    inner  busy 8  self 0  idle 20  own 0  calls 1  polls 2  completed 1
      or_return!(steps([Wait, Busy(8)]).await)  busy 8  self 8  idle 20  own 20  calls 1  polls 2  completed 1
  twice!(steps([Busy(1), Wait, Busy(2)]).await)  busy 6  self 6  idle 40  own 40  calls 1  polls 3  completed 1
"
    );
}
