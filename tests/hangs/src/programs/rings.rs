//! Channels, joins and pipes: everybody in the ring waits for the next.

use diagnose::{FutureExt as _, diagnose};

use crate::drop_in::tokio;
use crate::row::{Section, likely, proven, row, suspect};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};
use tokio::sync::mpsc::{Receiver, Sender};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("rings.rs"),
    rows: &[
        row!("C18", two_actors, "two actors with full mailboxes send to each other")
            .is(proven("cycle"))
            .or(likely("cycle"))
            .in_noise(suspect("cycle")),
        row!("C19", actor_asks_itself, "an actor sends itself a request and awaits the reply")
            .is(likely("self_wait"))
            .in_noise(suspect("self_wait")),
        row!("C20", joins_itself, "a task awaits its own JoinHandle").is(proven("self_wait")),
        row!("C20", join_each_other, "two tasks await each other's JoinHandle").is(proven("cycle")),
        row!("C23", both_write_first, "both ends of a small pipe write before they read")
            .is(proven("cycle"))
            .or(likely("cycle"))
            .in_noise(suspect("cycle")),
        row!("X05", sends_to_itself, "a task sends to the full channel that only it receives from")
            .is(proven("self_wait"))
            .or(likely("self_wait"))
            .in_noise(suspect("self_wait")),
    ],
};

async fn two_actors() {
    async fn actor(mut inbox: Receiver<u32>, peer: Sender<u32>) {
        while let Some(number) = inbox.recv().await {
            peer.send(number + 1).await.unwrap(); // waits
            peer.send(number + 2).await.unwrap(); // waits
        }
    }
    let (to_a, inbox_of_a) = mpsc::channel(1);
    let (to_b, inbox_of_b) = mpsc::channel(1);
    let a = tokio::spawn(actor(inbox_of_a, to_b.clone()).diagnose("a"));
    let b = tokio::spawn(actor(inbox_of_b, to_a.clone()).diagnose("b"));
    to_a.send(0).await.unwrap();
    to_b.send(0).await.unwrap();
    a.await.unwrap();
    b.await.unwrap();
}

async fn actor_asks_itself() {
    struct Request {
        depth: u32,
        reply: oneshot::Sender<u32>,
    }
    let (sender, mut mailbox) = mpsc::channel(8);
    let own = sender.clone();
    let actor = async move {
        while let Some(Request { depth, reply }) = mailbox.recv().await {
            let answer = if depth == 0 {
                0
            } else {
                let (reply, answer) = oneshot::channel(); // holds
                own.send(Request { depth: depth - 1, reply }).await.ok().unwrap(); // holds
                answer.await.unwrap() + 1 // waits
            };
            reply.send(answer).unwrap();
        }
    };
    tokio::spawn(actor.diagnose("actor"));
    let (reply, answer) = oneshot::channel();
    sender.send(Request { depth: 1, reply }).await.ok().unwrap();
    answer.await.unwrap();
}

async fn joins_itself() {
    #[diagnose]
    async fn joins(task: oneshot::Receiver<JoinHandle<()>>, _ends: oneshot::Sender<()>) {
        let own = task.await.unwrap();
        own.await.unwrap(); // waits
    }
    let (tell, told) = oneshot::channel();
    let (ends, has_ended) = oneshot::channel();
    let task = tokio::spawn(joins(told, ends));
    tell.send(task).unwrap();
    has_ended.await.unwrap_err();
}

async fn join_each_other() {
    #[diagnose]
    async fn joins(other: oneshot::Receiver<JoinHandle<()>>, _ends: oneshot::Sender<()>) {
        let other = other.await.unwrap();
        other.await.unwrap(); // waits
    }
    let (tell_one, one_is_told) = oneshot::channel();
    let (tell_two, two_is_told) = oneshot::channel();
    let (one_ends, one_has_ended) = oneshot::channel();
    let (two_ends, _two_has_ended) = oneshot::channel();
    let one = tokio::spawn(joins(one_is_told, one_ends));
    let two = tokio::spawn(joins(two_is_told, two_ends));
    tell_one.send(two).unwrap();
    tell_two.send(one).unwrap();
    one_has_ended.await.unwrap_err();
}

async fn both_write_first() {
    #[diagnose]
    async fn exchange(mut end: DuplexStream) {
        end.write_all(&[7; 256]).await.unwrap(); // waits
        end.read_exact(&mut [0; 256]).await.unwrap();
    }
    let (one, other) = duplex(64);
    let one = tokio::spawn(exchange(one).diagnose("one"));
    let other = tokio::spawn(exchange(other).diagnose("other"));
    one.await.unwrap();
    other.await.unwrap();
}

async fn sends_to_itself() {
    let (sender, mut jobs) = mpsc::channel(2);
    sender.send(4).await.unwrap();
    while let Some(job) = jobs.recv().await {
        for part in 0..job {
            sender.send(part).await.unwrap(); // waits
        }
    }
}
