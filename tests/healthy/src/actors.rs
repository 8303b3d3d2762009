//! Actors: a ring of workers with mailboxes, a directory that they query, and a client of a remote
//! service that keeps a table of pending requests. A supervisor stops and replaces workers; events
//! are broadcast.
//!
//! Not on record: the remote service, a thread older than all requests, and the channels to it and
//! back.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use diagnose::tokio::sync::{broadcast, mpsc, oneshot, watch};
use diagnose::tokio::time::{interval, timeout};
use diagnose::tokio_util::sync::CancellationToken;
use diagnose::{diagnose, tokio};

use crate::Load;

const WORKERS: usize = 24;

type Pending = Arc<std::sync::Mutex<HashMap<u64, oneshot::Sender<u64>>>>;

/// A message to a worker.
enum Message {
    Work(u64),
    Status(oneshot::Sender<u64>),
}

/// A query to the directory.
struct Lookup {
    worker: usize,
    reply: oneshot::Sender<mpsc::Sender<Message>>,
}

/// A client of the remote service: each caller puts a sender into the table, and a reader task
/// removes it to reply.
#[derive(Clone)]
struct Remote {
    pending: Pending,
    requests: std::sync::mpsc::Sender<u64>,
    next: Arc<AtomicU64>,
}

impl Remote {
    fn connect() -> Self {
        let (requests, received) = std::sync::mpsc::channel::<u64>();
        let (answers, mut answered) = ::tokio::sync::mpsc::unbounded_channel::<u64>();
        let serves = move || {
            for request in received {
                // One request in 5,000 is lost, and one is slow.
                if request % 5_000 == 7 {
                    continue;
                }
                if request % 5_000 == 13 {
                    thread::sleep(Duration::from_millis(150));
                }
                if answers.send(request).is_err() {
                    break;
                }
            }
        };
        thread::Builder::new().name("remote".to_owned()).spawn(serves).expect("a thread");
        let pending = Pending::default();
        let table = Arc::clone(&pending);
        ::tokio::spawn(async move {
            while let Some(request) = answered.recv().await {
                if let Some(reply) = table.lock().expect("no panic").remove(&request) {
                    let _ = reply.send(request * 2);
                }
            }
        });
        Self { pending, requests, next: Arc::default() }
    }

    #[diagnose]
    async fn call(&self) -> Option<u64> {
        let request = self.next.fetch_add(1, Relaxed);
        let (reply, answer) = oneshot::channel();
        self.pending.lock().expect("no panic").insert(request, reply);
        self.requests.send(request).ok()?;
        let answer = timeout(Duration::from_millis(300), answer).await;
        if answer.is_err() {
            self.pending.lock().expect("no panic").remove(&request);
        }
        answer.ok()?.ok()
    }
}

pub(crate) async fn run(load: Arc<Load>) {
    let remote = Remote::connect();
    let (lookups, asked) = mpsc::channel(16);
    let (events, _) = broadcast::channel(64);
    let (config, configured) = watch::channel(1);
    let mut mailboxes = Vec::new();
    let mut workers = Vec::new();
    for number in 0..WORKERS {
        let (mailbox, messages) = mpsc::channel(32);
        mailboxes.push(mailbox);
        workers.push((number, messages));
    }
    let directory = tokio::spawn(directory(asked, mailboxes.clone()));
    let listens = tokio::spawn(listen(events.subscribe(), configured.clone()));
    let supervised: Vec<_> = workers
        .into_iter()
        .map(|(number, messages)| {
            let parts = Parts {
                number,
                lookups: lookups.clone(),
                remote: remote.clone(),
                events: events.clone(),
                load: Arc::clone(&load),
            };
            tokio::spawn(supervise(parts, messages))
        })
        .collect();
    drop((lookups, events, remote));

    let mut ticks = interval(Duration::from_millis(10));
    let mut round = 0;
    while load.goes_on() {
        ticks.tick().await;
        for mailbox in &mailboxes {
            let _ = mailbox.try_send(Message::Work(8));
        }
        let (reply, status) = oneshot::channel();
        if mailboxes[round % WORKERS].send(Message::Status(reply)).await.is_ok() {
            // A worker that is stopped meanwhile may leave the question unanswered.
            let _ = status.await;
        }
        round += 1;
        config.send_replace(round);
    }
    drop((mailboxes, config));
    for worker in supervised {
        worker.await.expect("no panic");
    }
    // It ends with the last worker that could query it.
    directory.await.expect("no panic");
    listens.await.expect("no panic");
}

struct Parts {
    number: usize,
    lookups: mpsc::Sender<Lookup>,
    remote: Remote,
    events: broadcast::Sender<u64>,
    load: Arc<Load>,
}

/// Stops its worker after some time, and starts another on the same mailbox.
#[diagnose]
async fn supervise(parts: Parts, messages: mpsc::Receiver<Message>) {
    let (parts, mut messages) = (Arc::new(parts), messages);
    while parts.load.goes_on() {
        let token = CancellationToken::new();
        let own = token.clone();
        let work = tokio::spawn(work(Arc::clone(&parts), messages, own));
        tokio::time::sleep(Duration::from_millis(200 + 7 * parts.number as u64)).await;
        token.cancel();
        messages = work.await.expect("no panic");
    }
}

#[diagnose]
async fn work(
    parts: Arc<Parts>,
    mut messages: mpsc::Receiver<Message>,
    token: CancellationToken,
) -> mpsc::Receiver<Message> {
    let mut done = 0;
    loop {
        let message = tokio::select! {
            () = token.cancelled() => return messages,
            message = messages.recv() => message,
        };
        match message {
            Some(Message::Work(hops)) => {
                let answer = parts.remote.call().await;
                let _ = parts.events.send(answer.unwrap_or(0));
                done += 1;
                parts.load.count();
                if hops > 0 {
                    pass_on(&parts, hops - 1).await;
                }
            }
            Some(Message::Status(reply)) => drop(reply.send(done)),
            // The channel has no sender, but the directory's next answer may bring one back.
            None => token.cancelled().await,
        }
    }
}

#[diagnose]
async fn pass_on(parts: &Parts, hops: u64) {
    let (reply, mailbox) = oneshot::channel();
    let next = (parts.number + 1) % WORKERS;
    if parts.lookups.send(Lookup { worker: next, reply }).await.is_ok() {
        if let Ok(mailbox) = mailbox.await {
            // Never waits for room in a full mailbox: a ring of workers that did would deadlock.
            let _ = mailbox.try_send(Message::Work(hops));
        }
    }
}

#[diagnose]
async fn directory(mut asked: mpsc::Receiver<Lookup>, mailboxes: Vec<mpsc::Sender<Message>>) {
    while let Some(Lookup { worker, reply }) = asked.recv().await {
        let _ = reply.send(mailboxes[worker].clone());
    }
}

#[diagnose]
async fn listen(mut events: broadcast::Receiver<u64>, mut configured: watch::Receiver<usize>) {
    let mut seen = 0_u64;
    loop {
        tokio::select! {
            event = events.recv() => match event {
                Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => seen += 1,
                Err(broadcast::error::RecvError::Closed) => break,
            },
            changed = configured.changed() => if changed.is_err() {
                break;
            },
        }
    }
    std::hint::black_box(seen);
}
