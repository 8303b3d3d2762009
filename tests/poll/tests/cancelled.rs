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

/// The wall time of each path that has some, by its name.
fn walls() -> Vec<(String, u64)> {
    let snapshot = diagnose::snapshot();
    let charged = snapshot.nodes.iter().filter(|node| node.wall_ns > 0);
    charged.map(|node| (snapshot.sites[node.site].name.clone(), node.wall_ns)).collect()
}

#[diagnose]
async fn attempt() {
    steps([Wait]).await;
}

#[diagnose]
async fn tries() {
    let mut polls = 0;
    std::future::poll_fn(move |_| {
        polls += 1;
        let _ = poll(pin!(attempt()));
        if polls == 3 { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
}

#[test]
fn a_call_that_is_polled_once_and_dropped_has_not_waited() {
    isolated!();
    Task::new(tries()).run(10);
    let walls = walls();
    assert_eq!(walls.iter().map(|(_, wall)| wall).sum::<u64>(), 20, "{walls:?}");
    assert!(walls[0].0.starts_with("std::future::poll_fn"), "{walls:?}");
    assert_eq!(walls.len(), 1, "{walls:?}");
}

// other   ├┤┈ 30 ┈┈ 10 ┈✗
// drops        ├┤┈ 10 ┈├┤
#[test]
fn a_task_that_another_one_drops_takes_none_of_its_wait() {
    isolated!();
    let mut other = Task::new(attempt());
    assert!(other.poll().is_pending());
    pass(30);
    let drops = async move {
        steps([Wait]).await;
        drop(other);
    };
    Task::new(diagnose::FutureExt::diagnose(drops, "drops")).run(10);
    assert_eq!(walls(), [("steps([Wait]).await".to_owned(), 40), ("drops".to_owned(), 10)]);
}

struct Connection;

impl Drop for Connection {
    fn drop(&mut self) {
        diagnose_poll_tests::block_on(attempt(), 5);
    }
}

#[diagnose]
async fn serves() {
    let _connection = Connection;
    steps([Wait, Wait]).await;
}

#[test]
fn a_destructor_that_blocks_takes_none_of_the_tasks_wait() {
    isolated!();
    for _ in 0..2 {
        let mut task = Task::new(serves());
        assert!(task.poll().is_pending());
        pass(30);
        drop(task);
    }
    let expected = [("steps([Wait]).await".to_owned(), 10), ("steps([Wait, Wait]).await".to_owned(), 60)];
    assert_eq!(walls(), expected);
}

/// Keeps its waker, and is never ready.
#[diagnose]
async fn keeps(waker: std::sync::Arc<std::sync::Mutex<Option<std::task::Waker>>>) {
    std::future::poll_fn(|context| {
        *waker.lock().unwrap() = Some(context.waker().clone());
        std::task::Poll::<()>::Pending
    })
    .await;
}

// keeps  ├┤┈ 30 ┈┈ woken ┈ 20 ┈✗
#[test]
fn a_task_that_is_dropped_in_the_queue_was_queued() {
    isolated!();
    let waker = std::sync::Arc::default();
    let mut task = Task::new(keeps(std::sync::Arc::clone(&waker)));
    assert!(task.poll().is_pending());
    pass(30);
    waker.lock().unwrap().take().expect("it is kept").wake();
    pass(20);
    drop(task);
    let snapshot = diagnose::snapshot();
    let root = &snapshot.nodes[0];
    assert_eq!((root.idle_ns, root.queued_ns), (50, 20));
    assert_eq!(walls().iter().map(|(_, wall)| wall).sum::<u64>(), 30);
}
