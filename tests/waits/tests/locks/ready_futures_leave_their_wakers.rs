//! A primitive that still stores the waker of a future that was ready wakes the task with it, as
//! the original does.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use diagnose::diagnose;
use diagnose::tokio::sync::Mutex;
use diagnose::tokio::task::JoinSet;
use diagnose::tokio::time::{Instant, sleep, timeout};
use diagnose::tokio::{self, spawn};

const SHORT: Duration = Duration::from_millis(10);
/// More than any of these programs takes. The clock advances by itself.
const LONG: Duration = Duration::from_secs(60);

// timer  ├─ 10 ms ─┤ ready, reset ├─ 10 ms ─┤ ready, reset ├─ 10 ms ─┤ ready
// task   ├ polled ┤                ├ polled by the timer's own wake ┤
#[tokio::test(start_paused = true)]
async fn a_timer_that_is_reset_wakes_the_task_that_saw_it_ready() {
    let three_times = spawn(async {
        let (mut timer, mut times) = (pin!(sleep(SHORT)), 0);
        poll_fn(|context| {
            if timer.as_mut().poll(context).is_ready() {
                times += 1;
                if times == 3 {
                    return Poll::Ready(());
                }
                timer.as_mut().reset(Instant::now() + SHORT);
            }
            Poll::Pending
        })
        .await;
    });
    timeout(LONG, three_times).await.expect("it ends").unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_set_that_is_polled_once_per_poll_wakes_its_task_for_each_end() {
    let joins = spawn(async {
        let mut set = JoinSet::new();
        (1..=3).for_each(|times| drop(set.spawn(sleep(SHORT * times))));
        let mut ended = 0;
        poll_fn(|context| {
            if let Poll::Ready(Some(_)) = set.poll_join_next(context) {
                ended += 1;
            }
            if ended == 3 { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    });
    timeout(LONG, joins).await.expect("it ends").unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_set_of_which_each_poll_makes_a_new_future_wakes_its_task_for_each_end() {
    let joins = spawn(async {
        let mut set = JoinSet::new();
        (1..=3).for_each(|times| drop(set.spawn(sleep(SHORT * times))));
        let mut ended = 0;
        poll_fn(|context| {
            if pin!(set.join_next()).poll(context).is_ready() {
                ended += 1;
            }
            if ended == 3 { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    });
    timeout(LONG, joins).await.expect("it ends").unwrap();
}

#[diagnose]
async fn waits_beside_a_timer_that_was_ready(lock: &Mutex<()>) {
    let mut timer = pin!(sleep(SHORT));
    timer.as_mut().await;
    drop(lock.lock().await);
}

#[diagnose]
async fn waits_after_a_member_of_a_set_has_ended(lock: &Mutex<()>) {
    let mut set = JoinSet::new();
    set.spawn(async {});
    set.spawn(std::future::pending::<()>());
    set.join_next().await.unwrap().unwrap();
    drop(lock.lock().await);
}

#[diagnose]
async fn waits_beside_futures_that_are_made_anew(lock: &Mutex<()>) {
    let mut set = JoinSet::new();
    set.spawn(async {});
    set.spawn(std::future::pending::<()>());
    let mut locks = pin!(lock.lock());
    poll_fn(|context| {
        let _ = pin!(set.join_next()).poll(context);
        locks.as_mut().poll(context).map(drop)
    })
    .await;
}

#[diagnose]
async fn waits_beside_a_task_that_was_joined(lock: &Mutex<()>) {
    let mut task = spawn(sleep(SHORT));
    (&mut task).await.unwrap();
    drop(lock.lock().await);
}

#[diagnose]
async fn waits_beside_a_time_limit_that_is_over(lock: &Mutex<()>) {
    let mut limited = pin!(timeout(SHORT, std::future::pending::<()>()));
    limited.as_mut().await.unwrap_err();
    drop(lock.lock().await);
}

#[diagnose]
async fn reap(set: &mut JoinSet<()>) {
    set.join_next().await.unwrap().unwrap();
}

#[diagnose]
async fn waits_after_a_helper_has_reaped(lock: &Mutex<()>) {
    let mut set = JoinSet::new();
    set.spawn(async {});
    set.spawn(std::future::pending::<()>());
    reap(&mut set).await;
    drop(lock.lock().await);
}

#[diagnose]
async fn waits_in_a_poll_of_its_own(lock: &Mutex<()>) {
    let mut set = JoinSet::new();
    set.spawn(async {});
    set.spawn(std::future::pending::<()>());
    set.join_next().await.unwrap().unwrap();
    let mut locks = pin!(lock.lock());
    // It could poll the set, too.
    poll_fn(|context| locks.as_mut().poll(context).map(drop)).await;
}

/// The clones of the task's waker while it waits: all, those that no wait is known to have stored,
/// and those that awaits have left which are over.
async fn wakers<F: Future<Output = ()> + Send + 'static>(
    task: impl FnOnce(&'static Mutex<()>) -> F,
) -> (Option<u64>, Option<u64>, u64) {
    let lock: &'static Mutex<()> = Box::leak(Box::default());
    let held = lock.lock().await;
    let task = spawn(task(lock));
    sleep(4 * SHORT).await;
    let id = task.id().to_string().parse().ok();
    let snapshot = diagnose::snapshot();
    let seen = snapshot.tasks.iter().find(|task| task.runtime_id == id).expect("it waits");
    drop(held);
    task.abort();
    (seen.wakers, seen.opaque_wakers, seen.left_wakers)
}

#[tokio::test(start_paused = true)]
async fn what_a_future_that_is_made_anew_leaves_is_not_known() {
    assert_eq!(wakers(waits_beside_futures_that_are_made_anew).await, (Some(2), Some(1), 0));
}

#[tokio::test(start_paused = true)]
async fn what_an_await_that_is_over_leaves_is_known() {
    assert_eq!(wakers(waits_after_a_member_of_a_set_has_ended).await, (Some(2), Some(0), 0));
}

#[tokio::test(start_paused = true)]
async fn what_an_await_leaves_is_likely_of_no_use_if_the_next_one_may_poll_anything() {
    assert_eq!(wakers(waits_after_a_helper_has_reaped).await, (Some(2), Some(0), 1));
    assert_eq!(wakers(waits_in_a_poll_of_its_own).await, (Some(2), Some(0), 1));
}

#[tokio::test(start_paused = true)]
async fn a_primitive_that_is_at_rest_has_no_waker() {
    assert_eq!(wakers(waits_beside_a_timer_that_was_ready).await, (Some(1), Some(0), 0));
    assert_eq!(wakers(waits_beside_a_task_that_was_joined).await, (Some(1), Some(0), 0));
    assert_eq!(wakers(waits_beside_a_time_limit_that_is_over).await, (Some(1), Some(0), 0));
}
