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

/// The clones of the task's waker that no wait is known to have stored, once it waits for the lock.
async fn opaque_wakers<F: Future<Output = ()> + Send + 'static>(
    task: impl FnOnce(&'static Mutex<()>) -> F,
) -> Option<u64> {
    let lock: &'static Mutex<()> = Box::leak(Box::default());
    let held = lock.lock().await;
    let task = spawn(task(lock));
    sleep(2 * SHORT).await;
    let snapshot = diagnose::snapshot();
    let waits = snapshot.waits.iter().filter_map(|wait| wait.task.filter(|_| wait.resource.is_some()));
    let waiting: Vec<_> = waits.collect();
    let opaque = snapshot.tasks.iter().filter(|task| waiting.contains(&task.id)).map(|it| it.opaque_wakers);
    let opaque: Vec<_> = opaque.collect();
    drop(held);
    task.await.unwrap();
    assert_eq!(opaque.len(), 1, "one task waits for a lock");
    opaque[0]
}

#[tokio::test(start_paused = true)]
async fn what_a_future_that_was_ready_leaves_is_known() {
    let (timer, member) = (waits_beside_a_timer_that_was_ready, waits_after_a_member_of_a_set_has_ended);
    assert_eq!(opaque_wakers(timer).await, Some(0));
    assert_eq!(opaque_wakers(member).await, Some(0));
}
