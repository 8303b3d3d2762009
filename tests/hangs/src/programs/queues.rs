//! Queues that go on without the future that waits first, and waits that change between two polls.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;

use diagnose::diagnose;

use super::ms;
use crate::drop_in::{async_channel, flume, futures, tokio};
use crate::row::{Section, row, suspect};
use futures::channel::mpsc;
use futures::stream::FuturesUnordered;
use futures::{SinkExt as _, StreamExt as _};
use tokio::sync::{Mutex, RwLock, mpsc as tokio_mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::task::coop::has_budget_remaining;
use tokio::time::sleep;

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("queues.rs"),
    rows: &[
        row!(
            "Y200",
            second_message,
            "async-channel: a woken receive is set aside, and a message comes for the next"
        ),
        row!(
            "Y201",
            second_slot,
            "async-channel: a woken send is set aside, and a slot comes free for the next"
        ),
        row!(
            "Y202",
            second_message_of_flume,
            "flume: a woken receive is set aside, and a message comes for the next"
        ),
        row!("Y203", taken_from_a_send, "flume: the receiver takes the message of a send that was set aside"),
        row!("Y204", second_unparked, "futures: a send that was set aside keeps no place before the next"),
        row!("Y205", set_that_grows, "a JoinSet that is polled gets a second task, which ends first"),
        row!(
            "Y264",
            set_that_grows_unseen,
            "a JoinSet that is polled gets a second task through its original, which ends first"
        ),
        row!(
            "X160",
            replies_after_a_yield,
            "a client awaits replies under the lock that the server needs, and was forced to yield first"
        )
        .is(suspect("cycle")),
    ],
};

const LONG: u64 = 2_500;

async fn second_message() {
    #[diagnose]
    async fn receive_next(jobs: async_channel::Receiver<u32>) {
        sleep(ms(100)).await;
        jobs.recv().await.unwrap();
    }
    #[diagnose]
    async fn receive_first(jobs: async_channel::Receiver<u32>) {
        let next = tokio::spawn(receive_next(jobs.clone()));
        let mut first = pin!(jobs.recv());
        tokio::select! { biased; _ = &mut first => {}, () = sleep(ms(50)) => {} }
        next.await.unwrap();
        first.await.unwrap();
    }
    #[diagnose]
    async fn send(jobs: async_channel::Sender<u32>) {
        for job in 0..2 {
            sleep(ms(200 + LONG * u64::from(job))).await;
            jobs.send(job).await.unwrap();
        }
    }
    let (sender, receiver) = async_channel::unbounded();
    tokio::spawn(send(sender));
    tokio::spawn(receive_first(receiver)).await.unwrap();
}

async fn second_slot() {
    #[diagnose]
    async fn send_next(jobs: async_channel::Sender<u32>) {
        sleep(ms(100)).await;
        jobs.send(4).await.unwrap();
    }
    #[diagnose]
    async fn send_first(jobs: async_channel::Sender<u32>) {
        for job in 0..2 {
            jobs.send(job).await.unwrap();
        }
        let next = tokio::spawn(send_next(jobs.clone()));
        let mut first = pin!(jobs.send(3));
        tokio::select! { biased; sent = &mut first => sent.unwrap(), () = sleep(ms(50)) => {} }
        next.await.unwrap();
        first.await.unwrap();
    }
    #[diagnose]
    async fn receive(jobs: async_channel::Receiver<u32>) {
        sleep(ms(200)).await;
        jobs.recv().await.unwrap();
        sleep(ms(LONG)).await;
        while jobs.recv().await.is_ok() {}
    }
    let (sender, receiver) = async_channel::bounded(2);
    let receives = tokio::spawn(receive(receiver));
    tokio::spawn(send_first(sender)).await.unwrap();
    receives.await.unwrap();
}

async fn second_message_of_flume() {
    #[diagnose]
    async fn receive_next(jobs: flume::Receiver<u32>) {
        sleep(ms(100)).await;
        jobs.recv_async().await.unwrap();
    }
    #[diagnose]
    async fn receive_first(jobs: flume::Receiver<u32>) {
        let next = tokio::spawn(receive_next(jobs.clone()));
        let mut first = pin!(jobs.recv_async());
        tokio::select! { biased; _ = &mut first => {}, () = sleep(ms(50)) => {} }
        next.await.unwrap();
        first.await.unwrap();
    }
    #[diagnose]
    async fn send(jobs: flume::Sender<u32>) {
        for job in 0..2 {
            sleep(ms(200 + LONG * u64::from(job))).await;
            jobs.send_async(job).await.unwrap();
        }
    }
    let (sender, receiver) = flume::unbounded();
    tokio::spawn(send(sender));
    tokio::spawn(receive_first(receiver)).await.unwrap();
}

async fn taken_from_a_send() {
    #[diagnose]
    async fn send_next(jobs: flume::Sender<u32>) {
        sleep(ms(100)).await;
        jobs.send_async(2).await.unwrap();
    }
    #[diagnose]
    async fn send_first(jobs: flume::Sender<u32>) {
        jobs.send_async(0).await.unwrap();
        let next = tokio::spawn(send_next(jobs.clone()));
        let mut first = pin!(jobs.send_async(1));
        tokio::select! { biased; sent = &mut first => sent.unwrap(), () = sleep(ms(50)) => {} }
        next.await.unwrap();
        first.await.unwrap();
    }
    #[diagnose]
    async fn receive(jobs: flume::Receiver<u32>) {
        sleep(ms(LONG)).await;
        while jobs.recv_async().await.is_ok() {}
    }
    let (sender, receiver) = flume::bounded(1);
    let receives = tokio::spawn(receive(receiver));
    tokio::spawn(send_first(sender)).await.unwrap();
    receives.await.unwrap();
}

async fn second_unparked() {
    #[diagnose]
    async fn send_next(mut jobs: mpsc::Sender<u32>) {
        sleep(ms(100)).await;
        for job in 2..4 {
            jobs.send(job).await.unwrap();
        }
    }
    #[diagnose]
    async fn send_first(mut jobs: mpsc::Sender<u32>) {
        let next = tokio::spawn(send_next(jobs.clone()));
        jobs.send(0).await.ok();
        let mut first = pin!(jobs.send(1));
        tokio::select! { biased; sent = &mut first => sent.unwrap(), () = sleep(ms(50)) => {} }
        next.await.unwrap();
        first.await.unwrap();
    }
    #[diagnose]
    async fn receive(mut jobs: mpsc::Receiver<u32>) {
        sleep(ms(LONG)).await;
        while jobs.next().await.is_some() {}
    }
    let (sender, receiver) = mpsc::channel(0);
    let receives = tokio::spawn(receive(receiver));
    tokio::spawn(send_first(sender)).await.unwrap();
    receives.await.unwrap();
}

async fn set_that_grows() {
    type Lock = Arc<Mutex<u64>>;
    #[diagnose]
    async fn add(lock: Lock) {
        *lock.lock().await += 1;
    }
    #[diagnose]
    async fn work() {
        sleep(ms(LONG)).await;
    }
    #[diagnose]
    async fn run(lock: Lock) {
        let rows = lock.lock().await;
        let mut set = JoinSet::new();
        set.spawn(add(lock.clone()));
        let mut later = pin!(sleep(ms(50)));
        let mut has_grown = false;
        let next = poll_fn(|context| {
            if !has_grown && later.as_mut().poll(context).is_ready() {
                has_grown = true;
                set.spawn(work());
            }
            set.poll_join_next(context)
        });
        next.await.unwrap().unwrap();
        drop(rows);
        set.join_next().await.unwrap().unwrap();
    }
    tokio::spawn(run(Lock::default())).await.unwrap();
}

async fn set_that_grows_unseen() {
    type Lock = Arc<Mutex<u64>>;
    #[diagnose]
    async fn add(lock: Lock) {
        *lock.lock().await += 1;
    }
    /// Has no import of `diagnose::tokio`.
    fn extend(set: &mut ::tokio::task::JoinSet<()>) {
        set.spawn(::tokio::time::sleep(ms(LONG)));
    }
    #[diagnose]
    async fn run(lock: Lock) {
        let rows = lock.lock().await;
        let mut set = JoinSet::new();
        set.spawn(add(lock.clone()));
        let mut later = pin!(sleep(ms(50)));
        let mut has_grown = false;
        let next = poll_fn(|context| {
            if !has_grown && later.as_mut().poll(context).is_ready() {
                has_grown = true;
                extend(&mut set);
            }
            set.poll_join_next(context)
        });
        next.await.unwrap().unwrap();
        drop(rows);
        set.join_next().await.unwrap().unwrap();
    }
    tokio::spawn(run(Lock::default())).await.unwrap();
}

async fn replies_after_a_yield() {
    type Reply = oneshot::Sender<u32>;
    #[diagnose]
    async fn ask(work: tokio_mpsc::Sender<Reply>, rows: Arc<Mutex<u32>>, cache: RwLock<u32>) {
        let rows = rows.lock().await; // holds
        let mut replies = FuturesUnordered::new();
        for _ in 0..2 {
            let (reply, replied) = oneshot::channel();
            work.send(reply).await.unwrap();
            replies.push(replied);
        }
        while has_budget_remaining() {
            drop(cache.read().await);
        }
        while replies.next().await.is_some() {} // waits
        drop(rows);
    }
    #[diagnose]
    async fn serve(mut work: tokio_mpsc::Receiver<Reply>, rows: Arc<Mutex<u32>>) {
        while let Some(reply) = work.recv().await {
            reply.send(*rows.lock().await).unwrap(); // waits
        }
    }
    let rows = Arc::default();
    let (work, jobs) = tokio_mpsc::channel(2);
    let asks = tokio::spawn(ask(work, Arc::clone(&rows), RwLock::default()));
    tokio::spawn(serve(jobs, rows)).await.unwrap();
    asks.await.unwrap();
}
