//! A server with a task for each connection, as in a tutorial. Clients arrive one after the other
//! and stay, send requests now and then, and receive events.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use diagnose::tokio::sync::{Mutex, broadcast};
use diagnose::{diagnose, tokio};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::OwnedWriteHalf;
use tokio::net::{TcpListener, TcpStream};

pub(crate) async fn run() {
    let (events, _) = broadcast::channel(64);
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("it is bound");
    tokio::spawn(accept(listener, events.clone()));
    tokio::spawn(publish(events));
    let mut clients = Vec::new();
    // They arrive during all of the shortest recordings.
    for number in 0..60 {
        clients.push(tokio::spawn(client(address, number)));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    for client in clients {
        let _ = client.await;
    }
}

#[diagnose]
async fn accept(listener: TcpListener, events: broadcast::Sender<u64>) {
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(connection(stream, events.subscribe()));
    }
}

#[diagnose]
async fn connection(stream: TcpStream, mut events: broadcast::Receiver<u64>) -> io::Result<()> {
    let (mut read, write) = stream.into_split();
    let write = Arc::new(Mutex::new(write));
    loop {
        tokio::select! {
            request = read.read_u64() => answer(&write, request?).await?,
            event = events.recv() => match event {
                Ok(event) => answer(&write, event).await?,
                Err(broadcast::error::RecvError::Lagged(_)) => {}
                Err(broadcast::error::RecvError::Closed) => return Ok(()),
            },
        }
    }
}

#[diagnose]
async fn answer(write: &Mutex<OwnedWriteHalf>, value: u64) -> io::Result<()> {
    write.lock().await.write_u64(value).await
}

#[diagnose]
async fn publish(events: broadcast::Sender<u64>) {
    let mut ticks = tokio::time::interval(Duration::from_millis(300));
    for event in 0.. {
        ticks.tick().await;
        // Fails if there are no listeners yet.
        let _ = events.send(event);
    }
}

/// Every third client sends requests; the others only listen.
#[diagnose]
async fn client(address: std::net::SocketAddr, number: u64) -> io::Result<()> {
    let mut stream = TcpStream::connect(address).await?;
    loop {
        if number % 3 == 0 {
            stream.write_u64(number).await?;
            tokio::time::sleep(Duration::from_millis(40)).await;
        }
        stream.read_u64().await?;
    }
}
