//! A body that polls the same pending future from one await after the other waits for that future,
//! and not by itself.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;

use diagnose::{FutureExt as _, diagnose};
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::Wait;
use diagnose_poll_tests::{Task, steps, tree, tree_with_awaits};

type Job = Pin<Box<dyn Future<Output = ()> + Send>>;

#[diagnose]
async fn job(waits: usize) {
    steps(vec![Wait; waits]).await;
}

/// Polls the job; a timer fires at the third poll. Returns whether the job is done.
async fn in_time(mut job: Pin<&mut (dyn Future<Output = ()> + Send)>) -> bool {
    let mut polls = 0;
    poll_fn(|context| {
        polls += 1;
        if polls == 3 { Poll::Ready(false) } else { job.as_mut().poll(context).map(|()| true) }
    })
    .await
}

#[diagnose]
async fn retries() {
    let mut job = pin!(job(7));
    while !in_time(job.as_mut()).await {}
}

// retries   ├┤┈ 10 ┈├┤┈ 10 ┈├┤┈ 10 ┈├┤
// in_time   ├┤┈┈┈┈┈┈├┤┈┈┈┈┈┈├┤├┤┈┈┈┈├┤┈      each waits for the job
// job       ├┤┈┈┈┈┈┈├┤┈┈┈┈┈┈┈┈├┤┈┈┈┈├┤┈
#[test]
fn an_await_that_begins_anew_waits_for_the_pending_future() {
    isolated!();
    Task::new(retries()).run(10);
    assert_eq!(
        tree_with_awaits(),
        "\
retries  busy 0  self 0  idle 70  own 0  calls 1  polls 8  completed 1
  in_time(job.as_mut()).await  busy 0  self 0  idle 70  own 0  calls 4  polls 11  completed 4
    job  busy 0  self 0  idle 70  own 0  calls 1  polls 8  completed 1
      steps(vec![Wait; waits]).await  busy 0  self 0  idle 70  own 70  calls 1  polls 8  completed 1
"
    );
}

#[diagnose]
async fn alternates() {
    let mut job = pin!(job(7));
    while !in_time(job.as_mut()).await {
        steps([Wait]).await;
    }
}

// At each pause, the body waits by itself in `steps`, and the job waits on.
#[test]
fn an_await_after_another_waits_for_the_pending_future() {
    isolated!();
    Task::new(alternates()).run(10);
    assert_eq!(
        tree_with_awaits(),
        "\
alternates  busy 0  self 0  idle 100  own 0  calls 1  polls 11  completed 1
  in_time(job.as_mut()).await  busy 0  self 0  idle 70  own 0  calls 4  polls 11  completed 4
    job  busy 0  self 0  idle 100  own 0  calls 1  polls 8  completed 1
      steps(vec![Wait; waits]).await  busy 0  self 0  idle 100  own 100  calls 1  polls 8  completed 1
  steps([Wait]).await  busy 0  self 0  idle 30  own 30  calls 3  polls 6  completed 3
"
    );
}

/// A set that polls only who was woken, as `FuturesUnordered` does.
#[diagnose]
async fn drains() {
    let mut set: Vec<Job> = (1..=3).map(|number| Box::pin(job(number)) as Job).collect();
    let mut round = 0;
    while !set.is_empty() {
        poll_fn(|context| {
            if round == 0 {
                round = 1;
                for job in &mut set {
                    assert!(job.as_mut().poll(context).is_pending());
                }
                return Poll::Pending;
            }
            if round == 2 {
                // Polled right after a future was ready: nobody else has been woken.
                round = 1;
                return Poll::Pending;
            }
            match set[0].as_mut().poll(context) {
                Poll::Ready(()) => {
                    drop(set.remove(0));
                    round = 2;
                    Poll::Ready(())
                }
                Poll::Pending => Poll::Pending,
            }
        })
        .await;
    }
}

#[test]
fn a_set_waits_for_the_futures_that_are_left_in_it() {
    isolated!();
    Task::new(drains()).run(10);
    let tree = tree_with_awaits();
    let own: Vec<&str> = tree.lines().filter(|line| line.contains("own 0")).collect();
    assert_eq!(own.len(), 3, "only the jobs' own awaits wait by themselves:\n{tree}");
}

#[diagnose]
async fn step(job: &mut Job) -> bool {
    in_time(job.as_mut()).await
}

#[diagnose]
async fn steps_on() {
    let mut job: Job = Box::pin(job(7));
    while !step(&mut job).await {}
}

#[test]
fn a_new_call_waits_for_the_future_that_an_older_call_left_pending() {
    isolated!();
    Task::new(steps_on()).run(10);
    assert_eq!(
        tree(),
        "\
steps_on  busy 0  self 0  idle 70  own 0  calls 1  polls 8  completed 1
  step  busy 0  self 0  idle 70  own 0  calls 4  polls 11  completed 4
    job  busy 0  self 0  idle 70  own 70  calls 1  polls 8  completed 1
"
    );
}

#[diagnose]
async fn selects() {
    let mut job: Job = Box::pin(job(7));
    let mut ticks = 0;
    loop {
        ticks += 1;
        tokio::select! {
            biased;
            () = steps(if ticks < 4 { vec![Wait, Wait] } else { vec![Wait; 100] }) => {}
            () = &mut job => break,
        }
    }
}

#[test]
fn an_arm_waits_for_the_future_that_an_older_arm_left_pending() {
    isolated!();
    Task::new(selects()).run(10);
    let tree = tree_with_awaits();
    let arm = tree.lines().find(|line| line.contains("&mut job")).unwrap_or_default();
    assert!(arm.contains(" own 0 "), "{tree}");
}

/// A body whose awaits are not on record.
fn plain() -> Job {
    let body = async {
        job(2).await;
        steps([Wait, Wait]).await;
    };
    Box::pin(body.diagnose("plain"))
}

#[diagnose]
async fn shuts_down() {
    let mut plain = plain();
    let mut polls = 0;
    poll_fn(|context| {
        polls += 1;
        if polls == 2 { Poll::Ready(()) } else { plain.as_mut().poll(context) }
    })
    .await;
    plain.await;
}

// plain     ├┤┈ 10 ┈├┤┈ 10 ┈├┤┈ 10 ┈├┤┈ 10 ┈├┤      on another path from the second poll on
// job       ├┤┈┈┈┈┈┈├┤┈┈┈┈┈┈├┤
#[test]
fn a_future_that_moves_with_its_child_waits_by_itself_after_the_child() {
    isolated!();
    Task::new(shuts_down()).run(10);
    assert_eq!(
        tree(),
        "\
shuts_down  busy 0  self 0  idle 40  own 0  calls 1  polls 5  completed 1
  plain  busy 0  self 0  idle 40  own 20  calls 1  polls 5  completed 1
    job  busy 0  self 0  idle 20  own 20  calls 1  polls 3  completed 1
"
    );
}

/// Waits by itself, and in between polls a job that is not awaited.
#[diagnose]
async fn ticks() {
    let mut job = Box::pin(job(9));
    for _ in 0..3 {
        steps([Wait]).await;
        assert!(diagnose_poll_tests::poll(job.as_mut()).is_pending());
    }
}

// ticks   ├┤┈ 10 ┈├┤┈ 10 ┈├┤┈ 10 ┈├┤
// steps   ├┤┈┈┈┈┈┈├┤┈┈┈┈┈┈├┤┈┈┈┈┈┈├┤     it does not poll the job
// job             ├┤┈┈┈┈┈┈├┤┈┈┈┈┈┈├✗
#[test]
fn an_await_does_not_wait_for_what_became_pending_before_it() {
    isolated!();
    Task::new(ticks()).run(10);
    let tree = tree_with_awaits();
    let own = "  steps([Wait]).await  busy 0  self 0  idle 30  own 30  calls 3  polls 6  completed 3";
    assert!(tree.lines().any(|line| line == own), "{tree}");
    let snapshot = diagnose::snapshot();
    let walls = snapshot.nodes.iter().filter(|node| node.wall_ns > 0);
    assert_eq!(walls.map(|node| node.wall_ns).collect::<Vec<_>>(), [30], "it is the task's only wait");
}

#[diagnose]
async fn twice() {
    let mut job = Box::pin(job(2));
    let mut polls = 0;
    poll_fn(move |_| {
        polls += 1;
        match polls {
            // It has woken itself.
            1 => drop((diagnose_poll_tests::poll(job.as_mut()), diagnose_poll_tests::poll(job.as_mut()))),
            2 => assert!(diagnose_poll_tests::poll(job.as_mut()).is_ready()),
            _ => return Poll::Ready(()),
        }
        Poll::Pending
    })
    .await;
}

#[test]
fn a_future_that_is_polled_twice_at_once_counts_once() {
    isolated!();
    Task::new(twice()).run(10);
    let tree = tree();
    assert!(tree.starts_with("twice  busy 0  self 0  idle 20  own 10  "), "{tree}");
}
