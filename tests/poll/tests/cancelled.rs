//! A pending future that is dropped is canceled, and its wait ends there.

use std::pin::pin;

use diagnose::diagnose;
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::{Busy, Wait};
use diagnose_poll_tests::{Task, pass, poll, steps, tree};

#[diagnose]
async fn race() {
    {
        let mut loser = pin!(loser());
        let mut winner = pin!(winner());
        std::future::poll_fn(|_| {
            let _ = poll(loser.as_mut());
            poll(winner.as_mut())
        })
        .await;
    }
    pass(50);
}

#[diagnose]
async fn loser() {
    inner().await;
}

#[diagnose]
async fn inner() {
    steps([Busy(1), Wait, Busy(1), Wait]).await;
}

#[diagnose]
async fn winner() {
    steps([Busy(2), Wait, Busy(2)]).await;
}

// loser   ├1┤┈┈┈ 2 + 30 ┈┈┈├1┤┈ 2 ┈✗
// winner     ├2┤┈ 30 + 1 ┈┈┈┈┈├2┤
#[test]
fn select_drops_the_loser_with_all_it_was_waiting_for() {
    isolated!();
    Task::new(race()).run(30);
    pass(1_000);
    assert_eq!(
        tree(),
        "\
race  busy 56  self 50  idle 30  own 0  calls 1  polls 2  completed 1
  loser  busy 2  self 0  idle 34  own 0  calls 1  polls 2  cancelled 1
    inner  busy 2  self 2  idle 34  own 34  calls 1  polls 2  cancelled 1
  winner  busy 4  self 4  idle 31  own 31  calls 1  polls 2  completed 1
"
    );
}

#[diagnose]
async fn request() {
    inner().await;
}

// request  ├1┤┈┈ 30 ┈✗
// inner    ├1┤┈┈ 30 ┈✗
#[test]
fn the_last_wait_of_a_dropped_task_belongs_to_the_path_that_waited() {
    isolated!();
    let mut task = Task::new(request());
    assert!(task.poll().is_pending());
    pass(30);
    drop(task);
    pass(1_000);
    let snapshot = diagnose::snapshot();
    let name = |node: &diagnose::model::Node| snapshot.sites[node.site].name.clone();
    let wall: Vec<_> = snapshot.nodes.iter().filter(|node| node.wall_ns > 0).collect();
    assert_eq!(wall.iter().map(|node| node.wall_ns).collect::<Vec<_>>(), [30]);
    assert_eq!(name(wall[0]), "steps([Busy(1), Wait, Busy(1), Wait]).await");
}
