//! A future that is ready but not dropped may still be the first in the queue of its channel or
//! lock. The next event then wakes its task through it, and another future of the task needs that.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use diagnose::tokio::task::{spawn, yield_now};
use diagnose::tokio::{self, time};
use diagnose::{async_channel, async_lock, flume};

type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Polls both. After a wake, gets the second one's output, although the first was woken. Then gets
/// the first one's, while the second is alive.
async fn second_then_first<T>(mut first: Boxed<'_, T>, mut second: Boxed<'_, T>) -> (T, T) {
    let mut is_first_poll = true;
    let output = poll_fn(|context| {
        if std::mem::take(&mut is_first_poll) {
            assert!(first.as_mut().poll(context).is_pending() && second.as_mut().poll(context).is_pending());
            return Poll::Pending;
        }
        second.as_mut().poll(context)
    });
    let output = output.await;
    let last = first.await;
    drop(second);
    (output, last)
}

/// Makes two events, each once the task can have waited for it.
async fn twice(event: impl Fn()) {
    for _ in 0..2 {
        for _ in 0..8 {
            yield_now().await;
        }
        event();
    }
}

async fn ends<T: Send + 'static>(task: diagnose::tokio::task::JoinHandle<T>) -> T {
    // The clock advances by itself once all tasks wait.
    time::timeout(Duration::from_secs(60), task).await.expect("it is woken").unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_receiver_of_async_channel_gets_a_message_behind_a_future_that_was_ready() {
    let (sender, receiver) = async_channel::unbounded();
    let task =
        spawn(async move { second_then_first(Box::pin(receiver.recv()), Box::pin(receiver.recv())).await });
    twice(|| sender.try_send(()).unwrap()).await;
    assert_eq!(ends(task).await, (Ok(()), Ok(())));
}

#[tokio::test(start_paused = true)]
async fn a_receiver_of_flume_gets_a_message_behind_a_future_that_was_ready() {
    let (sender, receiver) = flume::unbounded();
    let task = spawn(async move {
        second_then_first(Box::pin(receiver.recv_async()), Box::pin(receiver.recv_async())).await
    });
    twice(|| sender.send(()).unwrap()).await;
    assert_eq!(ends(task).await, (Ok(()), Ok(())));
}

#[tokio::test(start_paused = true)]
async fn a_semaphore_of_async_lock_gives_a_permit_behind_a_future_that_was_ready() {
    let permits = std::sync::Arc::new(async_lock::Semaphore::new(0));
    let shared = permits.clone();
    let task = spawn(async move {
        let (first, second) = second_then_first(Box::pin(shared.acquire()), Box::pin(shared.acquire())).await;
        first.forget();
        second.forget();
    });
    twice(|| permits.add_permits(1)).await;
    ends(task).await;
}
