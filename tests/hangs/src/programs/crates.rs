//! Hangs on channels, locks and tokens of other crates.

use std::sync::Arc;

use diagnose::{FutureExt as _, diagnose};

use super::ms;
use crate::drop_in::{async_channel, flume, futures, tokio, tokio_util};
use crate::row::{Section, likely, proven, row, suspect};
use futures::channel::{mpsc, oneshot};
use futures::lock::Mutex;
use futures::{SinkExt as _, StreamExt as _};
use tokio::time::sleep;
use tokio_util::sync::{CancellationToken, PollSemaphore, PollSender};

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("crates.rs"),
    rows: &[
        row!("X70", full_flumes, "two tasks fill each other's channel, and each sends on")
            .is(likely("cycle"))
            .in_noise(suspect("cycle")),
        row!("X71", workers_that_feed_themselves, "workers send what follows into the queue that they read")
            .is(likely("self_wait"))
            .or(proven("self_wait"))
            .or(likely("cycle"))
            .in_noise(suspect("self_wait")),
        row!(
            "X72",
            lock_handed_to_a_stalled_future,
            "a lock of futures is handed to a future that is not polled"
        )
        .is(proven("futurelock").detail("granted"))
        .or(likely("futurelock").detail("granted")),
        row!(
            "X73",
            token_of_who_waits_for_the_task,
            "main waits for a task that waits for the cancellation of main's token"
        )
        .is(likely("cycle"))
        .or(likely("starved"))
        .in_noise(suspect("starved")),
        row!("X74", asks_itself_by_futures, "an actor asks itself by the channel that it reads")
            .is(likely("self_wait"))
            .in_noise(suspect("self_wait")),
        row!("X75", closed_with_a_receiver_at_hand, "closed() of an async-channel, with a receiver in scope")
            .is(likely("self_wait"))
            .or(proven("self_wait"))
            .or(likely("leak"))
            .in_noise(suspect("self_wait")),
        row!("X76", blocking_recv_on_a_worker, "recv() of flume in a task, whose sender has no other thread")
            .is(likely("blocked_worker"))
            .or(proven("blocked_worker"))
            .or(suspect("blocked_worker"))
            .beside("driver_starved")
            .ends_on_two_workers(),
        row!("X77", permits_of_a_stream, "a stream of permits, whose last is kept while the next is awaited")
            .is(proven("self_wait"))
            .or(likely("self_wait"))
            .or(likely("leak"))
            .in_noise(suspect("self_wait")),
        row!("X78", guard_of_who_waits, "a task waits for a token that only its own drop guard cancels")
            .is(likely("self_wait"))
            .or(likely("starved"))
            .or(likely("leak"))
            .in_noise(suspect("starved")),
        row!(
            "X79",
            reserved_and_never_sent,
            "a PollSender keeps the only place, and its task waits for an answer"
        )
        .is(likely("cycle"))
        .or(proven("cycle"))
        .in_noise(suspect("cycle")),
        row!(
            "X147",
            closed_beside_a_waiting_sender,
            "futures: a sender closes the channel, which wakes no other one that waits, and joins the task of that"
        )
        .is(likely("cycle"))
        .or(proven("cycle"))
        .in_noise(suspect("cycle")),
    ],
};

async fn full_flumes() {
    let (to_right, right) = flume::bounded(1);
    let (to_left, left) = flume::bounded(1);
    let one = async move {
        for number in 0..3 {
            to_right.send_async(number).await.unwrap(); // waits
        }
        left.recv_async().await.unwrap();
    };
    let other = async move {
        for number in 0..3 {
            to_left.send_async(number).await.unwrap(); // waits
        }
        right.recv_async().await.unwrap();
    };
    let (one, other) = (tokio::spawn(one.diagnose("one")), tokio::spawn(other.diagnose("other")));
    let _ = (one.await, other.await); // waits
}

async fn workers_that_feed_themselves() {
    #[diagnose]
    async fn work(pages: async_channel::Receiver<u32>, links: async_channel::Sender<u32>) {
        while let Ok(page) = pages.recv().await {
            for link in 0..4 {
                links.send(page + link).await.unwrap(); // waits
            }
        }
    }
    let (links, pages) = async_channel::bounded(2);
    let workers = [0, 1].map(|_| tokio::spawn(work(pages.clone(), links.clone())));
    drop(pages);
    links.send(0).await.unwrap();
    drop(links);
    for worker in workers {
        worker.await.unwrap(); // waits
    }
}

async fn lock_handed_to_a_stalled_future() {
    let table = Arc::new(Mutex::new(0));
    let guard = table.lock().await;
    let mut attempt = Box::pin(table.lock()); // holds
    assert!(futures::poll!(attempt.as_mut()).is_pending()); // holds
    let theirs = Arc::clone(&table);
    let other = async move {
        *theirs.lock().await += 1; // waits
    };
    let other = tokio::spawn(other.diagnose("other"));
    sleep(ms(20)).await;
    drop(guard);
    other.await.unwrap(); // waits
    drop(attempt);
}

async fn token_of_who_waits_for_the_task() {
    let token = CancellationToken::new();
    let child = token.child_token();
    let serves = async move {
        child.cancelled().await; // waits
    };
    tokio::spawn(serves.diagnose("serves")).await.unwrap(); // waits
    token.cancel();
}

async fn asks_itself_by_futures() {
    type Ask = (u32, oneshot::Sender<u32>);

    #[diagnose]
    async fn actor(mut asked: mpsc::Receiver<Ask>, own: mpsc::Sender<Ask>) {
        while let Some((number, reply)) = asked.next().await {
            if number > 0 {
                let (answer, answered) = oneshot::channel();
                own.clone().send((number - 1, answer)).await.unwrap(); // waits
                let _ = reply.send(answered.await.unwrap() + 1); // waits
            } else {
                let _ = reply.send(0);
            }
        }
    }
    let (mut ask, asked) = mpsc::channel(1);
    tokio::spawn(actor(asked, ask.clone()));
    let (reply, replied) = oneshot::channel();
    ask.send((3, reply)).await.unwrap();
    replied.await.unwrap(); // waits
}

async fn closed_with_a_receiver_at_hand() {
    let (lines, mut readers) = {
        let (sender, receiver) = async_channel::bounded::<u32>(1);
        (sender, vec![receiver.clone(), receiver])
    };
    readers.pop();
    lines.closed().await; // waits
    drop(readers);
}

async fn blocking_recv_on_a_worker() {
    let (sender, receiver) = flume::bounded(1);
    let reads = async move {
        receiver.recv().unwrap(); // waits, holds
    };
    let writes = async move {
        sleep(ms(50)).await;
        sender.send_async(1).await.unwrap();
    };
    let writes = tokio::spawn(writes.diagnose("writes"));
    let reads = tokio::spawn(reads.diagnose("reads"));
    let _ = (reads.await, writes.await); // waits
}

async fn permits_of_a_stream() {
    let seats = Arc::new(tokio::sync::Semaphore::new(2));
    let mut seated = PollSemaphore::new(seats); // waits, holds
    let mut all = Vec::new();
    for _ in 0..3 {
        all.push(seated.next().await); // waits, holds
    }
}

async fn guard_of_who_waits() {
    let token = CancellationToken::new();
    let serves = async move {
        let _stops = token.clone().drop_guard();
        token.cancelled().await; // waits
    };
    tokio::spawn(serves.diagnose("serves")).await.unwrap(); // waits
}

async fn reserved_and_never_sent() {
    let (lines, mut inbox) = tokio::sync::mpsc::channel::<u32>(1);
    let (go, gone) = tokio::sync::oneshot::channel::<()>();
    let mut reserved = PollSender::new(lines.clone());
    let keeps = async move {
        std::future::poll_fn(|context| reserved.poll_reserve(context)).await.unwrap(); // holds
        gone.await.unwrap(); // waits
        let _ = reserved.send_item(1);
    };
    tokio::spawn(keeps.diagnose("keeps"));
    sleep(ms(20)).await;
    lines.send(2).await.unwrap(); // waits
    go.send(()).unwrap();
    inbox.recv().await;
}

async fn closed_beside_a_waiting_sender() {
    let (mut closes, mut rows) = mpsc::channel::<u32>(0);
    let mut sender = closes.clone();
    let sends = async move {
        while sender.send(1).await.is_ok() {} // waits
    };
    let sends = tokio::spawn(sends.diagnose("sends"));
    rows.next().await.unwrap();
    sleep(ms(50)).await;
    closes.close_channel();
    sends.await.unwrap(); // waits
    drop(rows);
}
