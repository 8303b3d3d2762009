//! A service without work: listeners without clients, intervals, subscribers without events, tasks
//! that wait for a signal or for their shutdown, and the handles of all of them.

use std::time::Duration;

use diagnose::tokio::sync::{Mutex, Notify, Semaphore, broadcast, mpsc, watch};
use diagnose::tokio::task::JoinSet;
use diagnose::{diagnose, tokio};
use std::sync::Arc;
use tokio::net::{TcpListener, UdpSocket};

pub(crate) async fn run() {
    let (stop, stopped) = watch::channel(());
    let (events, subscribed) = broadcast::channel::<u64>(16);
    let (commands, commanded) = mpsc::unbounded_channel::<u64>();
    let leader = Arc::new(Mutex::new(()));
    let mut tasks = JoinSet::new();
    for port in 0..3 {
        tasks.spawn(accept(port));
    }
    tasks.spawn(receive());
    tasks.spawn(tick(Duration::from_millis(500)));
    tasks.spawn(tick(Duration::from_secs(3600)));
    tasks.spawn(subscribe(subscribed));
    tasks.spawn(command(commanded));
    tasks.spawn(until(stopped));
    tasks.spawn(lead(Arc::clone(&leader)));
    tasks.spawn(connect_in_background());
    let unrecorded = tokio::spawn(async {
        // A library's own channel.
        let (_keep, mut received) = ::tokio::sync::mpsc::channel::<u64>(1);
        received.recv().await
    });
    let woken = Arc::new(Notify::new());
    let parked: Vec<_> = (0..20)
        .map(|_| {
            let woken = Arc::clone(&woken);
            tokio::spawn(async move { woken.notified().await })
        })
        .collect();
    let permits = Arc::new(Semaphore::new(1));
    let _all = permits.acquire().await;
    while tasks.join_next().await.is_some() {}
    let _ = unrecorded.await;
    for task in parked {
        let _ = task.await;
    }
    drop((stop, events, commands));
}

#[diagnose]
async fn accept(_: u16) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    while let Ok((stream, _)) = listener.accept().await {
        drop(stream);
    }
}

#[diagnose]
async fn receive() {
    let socket = UdpSocket::bind("127.0.0.1:0").await.expect("a port");
    let mut packet = [0; 64];
    while socket.recv_from(&mut packet).await.is_ok() {}
}

#[diagnose]
async fn tick(period: Duration) {
    let mut ticks = tokio::time::interval(period);
    loop {
        ticks.tick().await;
    }
}

#[diagnose]
async fn subscribe(mut events: broadcast::Receiver<u64>) {
    while events.recv().await.is_ok() {}
}

#[diagnose]
async fn command(mut commands: mpsc::UnboundedReceiver<u64>) {
    while commands.recv().await.is_some() {}
}

#[diagnose]
async fn until(mut stopped: watch::Receiver<()>) {
    let _ = stopped.changed().await;
}

/// The leader keeps its lock; another instance would take over.
#[diagnose]
async fn lead(leader: Arc<Mutex<()>>) {
    let _leads = leader.lock().await;
    std::future::pending::<()>().await;
}

/// Retries with growing pauses.
#[diagnose]
async fn connect_in_background() {
    let mut pause = Duration::from_millis(50);
    loop {
        let attempt = tokio::net::TcpStream::connect("127.0.0.1:1");
        if tokio::time::timeout(Duration::from_millis(100), attempt).await.is_ok_and(|it| it.is_ok()) {
            return;
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(Duration::from_secs(5));
    }
}
