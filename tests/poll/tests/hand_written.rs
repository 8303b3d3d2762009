//! A hand-written future that an executor polls is no task, so the futures that it polls are.

use std::pin::Pin;
use std::task::{Context, Poll};

use diagnose::diagnose;
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::{Busy, Wait};
use diagnose_poll_tests::{Task, pass, steps, tree};

struct Connection(Pin<Box<dyn Future<Output = ()> + Send>>);

#[diagnose]
impl Future for Connection {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        self.0.as_mut().poll(context)
    }
}

#[diagnose]
async fn inner() {
    steps([Busy(1), Wait, Busy(1)]).await;
}

// Connection  ├1┤┈ 10 ┈├1┤
// inner       ├1┤┈ 10 ┈├1┤
#[test]
fn a_future_inside_is_a_task_with_waits_of_its_own() {
    isolated!();
    let mut task = Task::new(Connection(Box::pin(inner())));
    assert!(task.poll().is_pending());
    pass(10);
    let snapshot = diagnose::snapshot();
    assert_eq!(snapshot.tasks.len(), 1);
    assert_eq!(snapshot.sites[snapshot.tasks[0].site].name, "inner");
    assert!(task.poll().is_ready());
    assert_eq!(
        tree(),
        "\
Connection  busy 2  self 0  idle 0  own 0  calls 1  polls 2  completed 1  nested 2
inner  busy 2  self 2  idle 10  own 10  calls 1  polls 2  completed 1
"
    );
    let snapshot = diagnose::snapshot();
    let wall: Vec<u64> = snapshot.nodes.iter().map(|node| node.wall_ns).collect();
    assert_eq!(wall.iter().sum::<u64>(), 10, "{wall:?}");
}
