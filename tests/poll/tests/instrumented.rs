//! A function with `#[tracing::instrument]` is one layer; tracing's time is not its callee's.

use std::future::Future;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use diagnose::diagnose;
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::Busy;
use diagnose_poll_tests::{Task, pass, steps, tree_with_awaits};

/// Like the future of that attribute: runs its own code before and after each poll.
struct Instrument;

impl Instrument {
    async fn instrument(future: impl Future<Output = ()>, _: u32) {
        let mut future = pin!(future);
        std::future::poll_fn(|context| {
            pass(1);
            let poll = future.as_mut().poll(context);
            pass(2);
            poll
        })
        .await;
    }
}

#[diagnose]
async fn outer() {
    let __tracing_instrument_future = async move {
        middle().await;
        steps([Busy(10)]).await;
    };
    Instrument::instrument(__tracing_instrument_future, 0).await;
}

#[diagnose]
async fn middle() {
    let __tracing_instrument_future = async move {
        inner().await;
    };
    Instrument::instrument(__tracing_instrument_future, 0).await;
}

#[diagnose]
async fn inner() {
    Third(0).await;
}

/// Ready at its third poll.
struct Third(u32);

impl Future for Third {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        pass(100);
        self.0 += 1;
        if self.0 == 3 { Poll::Ready(()) } else { Poll::Pending }
    }
}

// outer   1├──────────┤2      in each of three polls
// middle    1├──────┤2
// inner       ├100┤
#[test]
fn an_instrumented_function_is_one_layer_and_its_callee_has_only_its_own_time() {
    isolated!();
    let mut task = Task::new(outer());
    for _ in 0..2 {
        assert!(task.poll().is_pending());
        pass(1_000);
    }
    assert!(task.poll().is_ready());
    assert_eq!(
        tree_with_awaits(),
        "\
outer  busy 328  self 9  idle 2000  own 0  calls 1  polls 3  completed 1
  middle().await  busy 309  self 0  idle 2006  own 0  calls 1  polls 3  completed 1
    middle  busy 309  self 9  idle 2006  own 0  calls 1  polls 3  completed 1
      inner().await  busy 300  self 0  idle 2012  own 0  calls 1  polls 3  completed 1
        inner  busy 300  self 0  idle 2012  own 0  calls 1  polls 3  completed 1
          Third(0).await  busy 300  self 300  idle 2012  own 2012  calls 1  polls 3  completed 1
  steps([Busy(10)]).await  busy 10  self 10  idle 0  own 0  calls 1  polls 1  completed 1
"
    );
}
