//! Permits, senders and futures that go where no record follows, in programs that are healthy.

use std::collections::HashMap;
use std::sync::{Arc, Mutex as StdMutex};
use std::thread;

use diagnose::diagnose;

use super::ms;
use crate::drop_in::tokio;
use crate::row::{Section, row};
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("guessed.rs"),
    rows: &[
        row!("Y265", forwarded_requests, "a gateway forwards requests, and each is answered after a while")
            .healthy(),
        row!("Y266", permits_of_threads, "permits move into threads that work for long").healthy(),
        row!("Y267", answers_of_a_pool, "calls with a permit wait for the answers of a pool of threads")
            .healthy(),
        row!("Y268", answers_by_number, "a writer puts the sender of each answer into a map for a reader")
            .healthy(),
        row!("Y269", stopped_in_a_job, "a select! loop finishes its job before it looks at `&mut stop`")
            .healthy(),
        row!("Y270", idle_timeout, "a select! loop with a pinned idle timeout works for longer than that")
            .healthy(),
    ],
};

/// How long a request takes, in ms.
const LONG: u64 = 2_500;

type Call = (u64, oneshot::Sender<u64>);

#[diagnose]
async fn call(calls: mpsc::Sender<Call>, number: u64) -> u64 {
    let (reply, answer) = oneshot::channel();
    calls.send((number, reply)).await.unwrap();
    answer.await.unwrap()
}

/// Makes some calls at once, and waits for the answers.
async fn calls(calls: mpsc::Sender<Call>) {
    let mut all = JoinSet::new();
    for number in 0..4 {
        all.spawn(call(calls.clone(), number));
    }
    drop(calls);
    while all.join_next().await.is_some() {}
}

async fn forwarded_requests() {
    #[diagnose]
    async fn gateway(mut calls: mpsc::Receiver<Call>, work: mpsc::Sender<Call>) {
        while let Some(call) = calls.recv().await {
            work.send(call).await.unwrap();
        }
    }
    #[diagnose]
    async fn worker(mut work: mpsc::Receiver<Call>) {
        while let Some((number, reply)) = work.recv().await {
            sleep(ms(LONG / 4)).await;
            reply.send(number).unwrap();
        }
    }
    let (sender, receiver) = mpsc::channel(16);
    let (work, jobs) = mpsc::channel(16);
    tokio::spawn(gateway(receiver, work));
    tokio::spawn(worker(jobs));
    calls(sender).await;
}

async fn permits_of_threads() {
    let permits = Arc::new(Semaphore::new(2));
    for _ in 0..3 {
        let permit = Arc::clone(&permits).acquire_owned().await.unwrap();
        thread::spawn(move || {
            thread::sleep(ms(LONG));
            drop(permit);
        });
    }
}

#[diagnose]
async fn hash(permits: Arc<Semaphore>, jobs: std::sync::mpsc::Sender<oneshot::Sender<u64>>) -> u64 {
    let _permit = permits.acquire().await.unwrap();
    let (reply, answer) = oneshot::channel();
    jobs.send(reply).unwrap();
    answer.await.unwrap()
}

async fn answers_of_a_pool() {
    let permits = Arc::new(Semaphore::new(2));
    let (jobs, work) = std::sync::mpsc::channel::<oneshot::Sender<u64>>();
    let work = Arc::new(StdMutex::new(work));
    for _ in 0..2 {
        let work = Arc::clone(&work);
        thread::spawn(move || {
            loop {
                let next = work.lock().unwrap().recv();
                let Ok(reply) = next else { break };
                thread::sleep(ms(LONG / 2));
                let _ = reply.send(1);
            }
        });
    }
    let mut all = JoinSet::new();
    for _ in 0..4 {
        all.spawn(hash(Arc::clone(&permits), jobs.clone()));
    }
    while all.join_next().await.is_some() {}
}

async fn answers_by_number() {
    type Pending = Arc<StdMutex<HashMap<u64, oneshot::Sender<u64>>>>;
    #[diagnose]
    async fn reader(pending: Pending) {
        loop {
            sleep(ms(LONG)).await;
            let all: Vec<_> = pending.lock().unwrap().drain().collect();
            for (number, reply) in all {
                let _ = reply.send(number);
            }
        }
    }
    #[diagnose]
    async fn writer(mut calls: mpsc::Receiver<Call>, pending: Pending) {
        while let Some((number, reply)) = calls.recv().await {
            pending.lock().unwrap().insert(number, reply);
        }
    }
    let pending = Pending::default();
    let (sender, receiver) = mpsc::channel(16);
    tokio::spawn(reader(Arc::clone(&pending)));
    tokio::spawn(writer(receiver, pending));
    calls(sender).await;
}

#[diagnose]
async fn job() {
    for _ in 0..LONG / 50 {
        sleep(ms(50)).await;
    }
}

async fn stopped_in_a_job() {
    #[diagnose]
    async fn worker(mut jobs: mpsc::Receiver<u64>, mut stop: oneshot::Receiver<()>) {
        loop {
            tokio::select! {
                _ = &mut stop => return,
                next = jobs.recv() => match next {
                    Some(_) => job().await,
                    None => return,
                },
            }
        }
    }
    let (sender, jobs) = mpsc::channel(4);
    let (stop, stopped) = oneshot::channel();
    let worker = tokio::spawn(worker(jobs, stopped));
    sender.send(1).await.unwrap();
    sleep(ms(100)).await;
    stop.send(()).unwrap();
    worker.await.unwrap();
}

async fn idle_timeout() {
    #[diagnose]
    async fn worker(mut jobs: mpsc::Receiver<u64>) {
        let idle = sleep(ms(200));
        tokio::pin!(idle);
        loop {
            tokio::select! {
                () = &mut idle => return,
                next = jobs.recv() => match next {
                    Some(_) => {
                        job().await;
                        idle.as_mut().reset(Instant::now() + ms(200));
                    }
                    None => return,
                },
            }
        }
    }
    let (sender, jobs) = mpsc::channel(4);
    let worker = tokio::spawn(worker(jobs));
    sleep(ms(50)).await;
    sender.send(1).await.unwrap();
    worker.await.unwrap();
}
