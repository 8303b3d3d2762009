//! Tasks that exchange messages through annotated functions called by un-annotated code. Every call
//! is a root, many are ready in their first poll and leave a waker behind, and each of them is
//! woken by another thread.

use std::future::poll_fn;
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};
use std::thread;
use std::time::Duration;

use diagnose::diagnose;

const PAIRS: usize = 4;
const ROUNDS: u64 = 20_000;
const DEADLINE: Duration = Duration::from_secs(120);

/// A slot for a number, with the waker of the task that waits for it.
#[derive(Debug, Default)]
struct Mailbox {
    number: Mutex<Option<u64>>,
    waker: Mutex<Option<Waker>>,
}

impl Mailbox {
    fn put(&self, number: u64) {
        *self.number.lock().unwrap() = Some(number);
        let waker = self.waker.lock().unwrap().take();
        waker.into_iter().for_each(Waker::wake);
    }

    fn get(&self) -> Option<u64> {
        self.number.lock().unwrap().take()
    }
}

/// Checks, stores its waker, and checks again, as a receiver does.
#[diagnose]
async fn take(mailbox: &Mailbox) -> u64 {
    poll_fn(|context| {
        if let Some(number) = mailbox.get() {
            return Poll::Ready(number);
        }
        *mailbox.waker.lock().unwrap() = Some(context.waker().clone());
        // Gives other threads the chance to put a number in.
        thread::yield_now();
        mailbox.get().map_or(Poll::Pending, Poll::Ready)
    })
    .await
}

#[test]
fn no_wake_is_lost_between_calls() {
    diagnose_isolation::isolated!();
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_time().build().unwrap();
    let mut tasks = Vec::new();
    for _ in 0..PAIRS {
        let boxes = [(); 2].map(|()| Arc::new(Mailbox::default()));
        let [asks, answers] = boxes.each_ref().map(Arc::clone);
        tasks.push(runtime.spawn(async move {
            for round in 0..ROUNDS {
                let asked = take(&asks).await;
                assert_eq!(asked, round);
                answers.put(asked);
            }
        }));
        let [asks, answers] = boxes;
        tasks.push(runtime.spawn(async move {
            for round in 0..ROUNDS {
                asks.put(round);
                assert_eq!(take(&answers).await, round);
            }
        }));
    }
    let done = runtime.block_on(async {
        tokio::time::timeout(DEADLINE, async {
            for task in tasks {
                task.await.unwrap();
            }
        })
        .await
    });
    runtime.shutdown_background();
    assert!(done.is_ok(), "somebody was never woken");
    let snapshot = diagnose::snapshot();
    let site = snapshot.sites.iter().position(|site| site.name.ends_with("take")).unwrap();
    let calls: u64 =
        snapshot.nodes.iter().filter(|node| node.site.get() == site).map(|node| node.calls).sum();
    assert_eq!(calls, 2 * PAIRS as u64 * ROUNDS);
}
