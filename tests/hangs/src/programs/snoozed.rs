//! Futures in a stream or a set, which are polled only when that is asked for the next.

use std::net::SocketAddr;
use std::sync::Arc;

use diagnose::FutureExt as _;
use futures::StreamExt as _;
use futures::stream::{self, FuturesUnordered};

use super::ms;
use crate::drop_in::tokio;
use crate::row::{Section, likely, proven, row, suspect};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpSocket;
use tokio::sync::{Mutex, Semaphore, mpsc};
use tokio::task::yield_now;
use tokio::time::sleep;

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("snoozed.rs"),
    rows: &[
        row!("C04", buffer_unordered, "buffer_unordered and its for_each share a semaphore")
            .is(proven("futurelock").detail("granted"))
            .or(likely("futurelock").detail("granted")),
        row!("C05", buffered, "buffered and its for_each share a semaphore")
            .is(proven("futurelock").detail("granted"))
            .or(likely("futurelock").detail("granted")),
        row!("C06", consumer_never_polled, "the receiver is in a FuturesUnordered that is not polled yet")
            .is(likely("futurelock").detail("unpolled"))
            .or(proven("futurelock").detail("unpolled"))
            .in_noise(suspect("futurelock").detail("unpolled")),
        row!("C11", lock_in_a_stream, "a stream of locks, and a sink whose peer does not read")
            .is(suspect("hazard")),
        row!("C12", buffered_stall, "prefetched futures are woken and not polled during a long body")
            .is(suspect("hazard")),
    ],
};

async fn buffer_unordered() {
    let semaphore = Arc::new(Semaphore::new(1));
    let items = stream::iter(0..6).map(|_| {
        let item = async {
            let _permit = semaphore.acquire().await.unwrap(); // holds
            sleep(ms(20)).await;
        };
        item.diagnose("item")
    });
    let body = |()| {
        let body = async {
            let _permit = semaphore.acquire().await.unwrap(); // waits
            sleep(ms(1)).await;
        };
        body.diagnose("body") // waits
    };
    items.buffer_unordered(2).for_each(body).await;
}

async fn buffered() {
    let semaphore = Arc::new(Semaphore::new(1));
    let items = stream::iter(0..6).map(|_| {
        let item = async {
            let _permit = semaphore.acquire().await.unwrap(); // holds
            sleep(ms(20)).await;
        };
        item.diagnose("item")
    });
    let body = |()| {
        let body = async {
            let _permit = semaphore.acquire().await.unwrap(); // waits
            sleep(ms(1)).await;
        };
        body.diagnose("body") // waits
    };
    items.buffered(2).for_each(body).await;
}

async fn consumer_never_polled() {
    let (sender, mut receiver) = mpsc::channel(1); // holds
    let mut tasks = FuturesUnordered::new();
    let consumer = async move { while receiver.recv().await.is_some() {} };
    tasks.push(consumer.diagnose("consumer")); // holds
    for number in 0..10 {
        sender.send(number).await.unwrap(); // waits
    }
    drop(sender);
    while tasks.next().await.is_some() {}
}

async fn lock_in_a_stream() {
    // Buffers that are full at once, and that the system does not make larger meanwhile.
    let socket = || {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_send_buffer_size(1 << 14).unwrap();
        socket.set_recv_buffer_size(1 << 14).unwrap();
        socket
    };
    let listens = socket();
    listens.bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
    let listener = listens.listen(1).unwrap();
    let mut sink = socket().connect(listener.local_addr().unwrap()).await.unwrap();
    let (_peer, _) = listener.accept().await.unwrap();
    let lock = Arc::new(Mutex::new(()));
    for _ in 0..12 {
        let lock = Arc::clone(&lock);
        let waiter = async move {
            sleep(ms(100)).await;
            let _guard = lock.lock().await; // waits
        };
        tokio::spawn(waiter.diagnose("waiter"));
    }
    let blocks = stream::iter(0..64).map(|_| {
        let block = async {
            let _guard = lock.lock().await; // holds, waits
            // The next one is in the queue before this is done, however long the thread waits for a
            // processor.
            yield_now().await;
            sleep(ms(5)).await;
            vec![0; 4 << 20]
        };
        block.diagnose("block") // holds
    });
    let mut blocks = blocks.buffered(2);
    while let Some(block) = blocks.next().await {
        sink.write_all(&block).await.unwrap(); // waits
    }
}

async fn buffered_stall() {
    let rows = stream::iter(0..20).map(|number| {
        let select = async move {
            sleep(ms(5)).await;
            sleep(ms(200 + 20 * number)).await;
        };
        select.diagnose("select")
    });
    let body = |()| {
        let body = async {
            sleep(ms(20_000)).await; // waits
        };
        body.diagnose("body") // waits
    };
    rows.buffered(4).for_each(body).await;
}
