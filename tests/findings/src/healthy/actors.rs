//! Actors with mailboxes: each owns its state, queries others, and answers queries. A supervisor
//! listens to all of them, and events are broadcast.

use std::collections::HashMap;
use std::time::Duration;

use diagnose::tokio::sync::{broadcast, mpsc, oneshot};
use diagnose::tokio::task::JoinSet;
use diagnose::{diagnose, tokio};

const ACTORS: usize = 40;

enum Message {
    Add { key: u64, value: u64 },
    Get { key: u64, reply: oneshot::Sender<Option<u64>> },
}

struct Actor {
    values: HashMap<u64, u64>,
    messages: mpsc::Receiver<Message>,
    events: broadcast::Sender<u64>,
}

pub(crate) async fn run() {
    let (events, _) = broadcast::channel(256);
    let mut actors = JoinSet::new();
    let mut mailboxes = Vec::new();
    for _ in 0..ACTORS {
        let (mailbox, messages) = mpsc::channel(16);
        mailboxes.push(mailbox);
        actors.spawn(Actor { values: HashMap::new(), messages, events: events.clone() }.run());
    }
    tokio::spawn(listen(events.subscribe()));
    for number in 0..8 {
        tokio::spawn(ask(mailboxes.clone(), number));
    }
    while actors.join_next().await.is_some() {}
}

#[diagnose]
impl Actor {
    async fn run(mut self) {
        while let Some(message) = self.messages.recv().await {
            self.handle(message).await;
        }
    }

    async fn handle(&mut self, message: Message) {
        match message {
            Message::Add { key, value } => {
                self.values.insert(key % 100, value);
                let _ = self.events.send(key);
                tokio::task::yield_now().await;
            }
            Message::Get { key, reply } => drop(reply.send(self.values.get(&(key % 100)).copied())),
        }
    }
}

#[diagnose]
async fn ask(mailboxes: Vec<mpsc::Sender<Message>>, number: u64) {
    let mut key = number;
    loop {
        key = key.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mailbox = &mailboxes[usize::try_from(key >> 40).unwrap_or(0) % ACTORS];
        if mailbox.send(Message::Add { key, value: number }).await.is_err() {
            return;
        }
        get(mailbox, key).await;
        if key % 5 == 0 {
            tokio::time::sleep(Duration::from_millis(key >> 61)).await;
        }
    }
}

#[diagnose]
async fn get(mailbox: &mpsc::Sender<Message>, key: u64) -> Option<u64> {
    let (reply, answer) = oneshot::channel();
    mailbox.send(Message::Get { key, reply }).await.ok()?;
    tokio::time::timeout(Duration::from_secs(1), answer).await.ok()?.ok()?
}

#[diagnose]
async fn listen(mut events: broadcast::Receiver<u64>) {
    let mut seen = 0_u64;
    while !matches!(events.recv().await, Err(broadcast::error::RecvError::Closed)) {
        seen += 1;
    }
    std::hint::black_box(seen);
}
