//! A chain of bodies that only pass a poll on, ended in every possible way.
//!
//! Afterwards the thread is back at its previous position, so later calls have the right parent.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use diagnose::diagnose;
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::{Busy, Wait};
use diagnose_poll_tests::{Task, steps, tree};

/// The action of the innermost body in its third poll.
#[derive(Debug, Clone, Copy)]
enum Then {
    Ready,
    Panic,
    Nested,
    SwitchOff,
    Reset,
}

#[diagnose]
async fn outer(then: Then) {
    middle(then).await;
    probe();
}

#[diagnose]
async fn middle(then: Then) {
    inner(then).await;
}

#[diagnose]
async fn inner(then: Then) {
    Third { polls: 0, then }.await;
}

#[diagnose]
fn probe() {
    diagnose::manual_clock::advance_ns(1);
}

#[diagnose]
async fn other() {
    steps([Busy(2), Wait, Busy(2)]).await;
}

struct Third {
    polls: u32,
    then: Then,
}

impl Future for Third {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        self.polls += 1;
        diagnose::manual_clock::advance_ns(10);
        if self.polls != 3 {
            return if self.polls == 5 { Poll::Ready(()) } else { Poll::Pending };
        }
        match self.then {
            Then::Ready => return Poll::Ready(()),
            Then::Panic => panic!("in the third poll"),
            // An executor inside the poll.
            Then::Nested => Task::new(other()).run(0),
            Then::SwitchOff => diagnose::set_enabled(false),
            Then::Reset => diagnose::reset(),
        }
        Poll::Pending
    }
}

/// Runs the chain to its end, with a call outside all tasks after each poll. Returns the recording.
fn run(then: Then) -> String {
    diagnose::reset();
    let mut task = Task::new(outer(then));
    for _ in 0..5 {
        let poll = catch_unwind(AssertUnwindSafe(|| task.poll()));
        diagnose::set_enabled(true);
        probe();
        if !matches!(poll, Ok(Poll::Pending)) {
            break;
        }
    }
    drop(task);
    Task::new(other()).run(0);
    tree()
}

// outer   ├10┤ ├10┤ ├10 …
// middle  ├10┤ ├10┤ ├10 …
// inner   ├10┤ ├10┤ ├10 …  the third poll ends in one of these ways
// probe       │    │    │  one call after each poll, outside all tasks
#[test]
fn calls_after_a_chain_have_the_right_parent() {
    isolated!();
    assert_eq!(
        run(Then::Ready),
        "\
other  busy 4  self 4  idle 0  own 0  calls 1  polls 2  completed 1
outer  busy 31  self 0  idle 2  own 0  calls 1  polls 3  completed 1
  middle  busy 30  self 0  idle 2  own 0  calls 1  polls 3  completed 1
    inner  busy 30  self 30  idle 2  own 2  calls 1  polls 3  completed 1
  probe  busy 1  self 1  idle 0  own 0  calls 1  polls 1  completed 1
probe  busy 3  self 3  idle 0  own 0  calls 3  polls 3  completed 3
"
    );
    assert_eq!(
        run(Then::Panic),
        "\
other  busy 4  self 4  idle 0  own 0  calls 1  polls 2  completed 1
outer  busy 30  self 0  idle 2  own 0  calls 1  polls 3  panicked 1
  middle  busy 30  self 0  idle 2  own 0  calls 1  polls 3  panicked 1
    inner  busy 30  self 30  idle 2  own 2  calls 1  polls 3  panicked 1
probe  busy 3  self 3  idle 0  own 0  calls 3  polls 3  completed 3
"
    );
    assert_eq!(
        run(Then::Nested),
        "\
other  busy 4  self 4  idle 0  own 0  calls 1  polls 2  completed 1
outer  busy 55  self 0  idle 4  own 0  calls 1  polls 5  completed 1
  middle  busy 54  self 0  idle 4  own 0  calls 1  polls 5  completed 1
    inner  busy 54  self 50  idle 4  own 4  calls 1  polls 5  completed 1
      other  busy 4  self 4  idle 0  own 0  calls 1  polls 2  completed 1
  probe  busy 1  self 1  idle 0  own 0  calls 1  polls 1  completed 1
probe  busy 5  self 5  idle 0  own 0  calls 5  polls 5  completed 5
"
    );
    assert_eq!(
        run(Then::SwitchOff),
        "\
other  busy 4  self 4  idle 0  own 0  calls 1  polls 2  completed 1
outer  busy 51  self 0  idle 4  own 0  calls 1  polls 5  completed 1
  middle  busy 50  self 0  idle 4  own 0  calls 1  polls 5  completed 1
    inner  busy 50  self 50  idle 4  own 4  calls 1  polls 5  completed 1
  probe  busy 1  self 1  idle 0  own 0  calls 1  polls 1  completed 1
probe  busy 5  self 5  idle 0  own 0  calls 5  polls 5  completed 5
"
    );
    // The reset removed the records of two polls and of half of the third.
    assert_eq!(
        run(Then::Reset),
        "\
other  busy 4  self 4  idle 0  own 0  calls 1  polls 2  completed 1
outer  busy 21  self 0  idle 2  own 0  calls 1  polls 3  completed 1
  middle  busy 20  self 0  idle 2  own 0  calls 1  polls 3  completed 1
    inner  busy 20  self 20  idle 2  own 2  calls 1  polls 3  completed 1
  probe  busy 1  self 1  idle 0  own 0  calls 1  polls 1  completed 1
probe  busy 3  self 3  idle 0  own 0  calls 3  polls 3  completed 3
"
    );
}
