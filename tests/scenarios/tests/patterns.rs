//! Timer, file, mutex, channel and client with server: each has the same tree on four runtimes.

use std::path::PathBuf;
use std::sync::Arc;

use diagnose::diagnose;
use diagnose_scenarios_tests::runtime::{self, is_tokio, sleep, spawn};
use diagnose_scenarios_tests::tree::{counts, lines, ms, named, node, paths, plain};
use smol::channel::{Receiver, Sender, bounded};
use smol::io::AsyncReadExt as _;
use smol::lock::Mutex;

/// The runs on all runtimes: their trees, which must be the same.
fn on_all<T>(program: impl AsyncFn() -> T, check: impl Fn(&diagnose::Snapshot, &str)) {
    let mut trees: Vec<Vec<String>> = Vec::new();
    for runtime in runtime::ALL {
        diagnose::reset();
        runtime.run(program());
        let snapshot = plain(&diagnose::snapshot());
        println!("{runtime:?}\n{}", counts(&snapshot).join("\n"));
        check(&snapshot, &format!("{runtime:?}\n{}", lines(&snapshot)));
        trees.push(paths(&snapshot));
    }
    for tree in &trees {
        assert_eq!(tree, &trees[0]);
    }
}

#[diagnose]
async fn timer() {
    sleep(20).await;
    sleep(30).await;
}

/// Opens a file.
async fn open(path: PathBuf) -> File {
    if is_tokio() {
        File::Tokio(tokio::fs::File::open(path).await.expect("it is there"))
    } else {
        File::Smol(smol::fs::File::open(path).await.expect("it is there"))
    }
}

enum File {
    Tokio(tokio::fs::File),
    Smol(smol::fs::File),
}

impl File {
    async fn read_to_string(self) -> String {
        let mut text = String::new();
        match self {
            Self::Tokio(mut file) => {
                tokio::io::AsyncReadExt::read_to_string(&mut file, &mut text).await.expect("text")
            }
            Self::Smol(mut file) => file.read_to_string(&mut text).await.expect("text"),
        };
        text
    }
}

#[diagnose]
async fn read_file(path: PathBuf) -> String {
    let file = open(path).await;
    file.read_to_string().await
}

#[diagnose]
async fn holder(m: Arc<Mutex<()>>, is_held: Sender<()>) {
    let guard = m.lock().await;
    is_held.send(()).await.expect("somebody waits");
    sleep(300).await;
    drop(guard);
}

#[diagnose]
async fn mutex() {
    let m = Arc::new(Mutex::new(()));
    let (held, is_held) = bounded(1);
    let task = spawn(holder(Arc::clone(&m), held));
    is_held.recv().await.expect("it is held");
    sleep(10).await;
    drop(m.lock().await);
    task.await;
}

#[diagnose]
async fn producer(queue: Sender<u32>) {
    for number in 0..100 {
        queue.send(number).await.expect("somebody reads");
    }
}

#[diagnose]
async fn consumer(queue: Receiver<u32>) -> u32 {
    let mut messages = 0;
    while let Ok(number) = queue.recv().await {
        let _ = std::hint::black_box(number);
        sleep(2).await;
        messages += 1;
    }
    messages
}

#[diagnose]
async fn channel() -> u32 {
    let (sender, receiver) = bounded(4);
    let consumers: Vec<_> = (0..2).map(|_| spawn(consumer(receiver.clone()))).collect();
    let producers: Vec<_> = (0..3).map(|_| spawn(producer(sender.clone()))).collect();
    drop((sender, receiver));
    for task in producers {
        task.await;
    }
    let mut messages = 0;
    for task in consumers {
        messages += task.await;
    }
    messages
}

type Request = (u32, Sender<u32>);

#[diagnose]
async fn server(requests: Receiver<Request>) {
    while let Ok((number, answers)) = requests.recv().await {
        let answer = process(number).await;
        answers.send(answer).await.expect("the client waits");
    }
}

#[diagnose]
async fn process(number: u32) -> u32 {
    sleep(10).await;
    number * 2
}

#[diagnose]
async fn client() -> u32 {
    let (requests, queue) = bounded(8);
    let server = spawn(server(queue));
    let mut sum = 0;
    for number in 0..5 {
        let (answers, answer) = bounded(1);
        requests.send((number, answers)).await.expect("the server reads");
        sum += answer.recv().await.expect("the server answers");
    }
    drop(requests);
    server.await;
    sum
}

#[test]
fn the_trees_are_the_same_on_four_runtimes() {
    a_timer();
    a_file();
    a_mutex();
    a_channel();
    a_client_and_a_server();
}

fn a_timer() {
    on_all(timer, |snapshot, text| {
        let timer = node(snapshot, "timer");
        assert_eq!(timer.polls, 3, "{text}");
        assert!((49.0..200.0).contains(&ms(timer.idle_ns)), "{text}");
    });
}

fn a_file() {
    let path = std::env::temp_dir().join(format!("diagnose-scenario-{}", std::process::id()));
    std::fs::write(&path, "a small file").expect("a place to write");
    let program = async || assert_eq!(read_file(path.clone()).await, "a small file");
    on_all(program, |snapshot, text| {
        let open = node(snapshot, "read_file > open(path).await");
        let read = node(snapshot, "read_file > file.read_to_string().await");
        // How often each is polled is a race with the thread that reads: that is recorded above, not decided here.
        assert_eq!((open.calls, open.completed, read.calls, read.completed), (1, 1, 1, 1), "{text}");
        assert!(open.last_seen_ns <= read.last_seen_ns, "{text}");
    });
    std::fs::remove_file(&path).expect("it is there");
}

fn a_mutex() {
    on_all(mutex, |snapshot, text| {
        let waits = node(snapshot, "mutex > m.lock().await");
        assert!((200.0..400.0).contains(&ms(waits.idle_ns)), "{text}");
        let holds = node(snapshot, "holder > sleep(300).await");
        assert!((299.0..500.0).contains(&ms(holds.idle_ns)), "{text}");
        assert!(ms(node(snapshot, "holder > m.lock().await").idle_ns) < 50.0, "{text}");
    });
}

fn a_channel() {
    on_all(
        async || assert_eq!(channel().await, 300),
        |snapshot, text| {
            let full = named(snapshot, "queue.send(number).await");
            let producer = node(snapshot, "producer");
            assert_eq!((producer.calls, producer.completed), (3, 3), "{text}");
            assert_eq!(full.calls, 300, "{text}");
            assert!(full.idle_ns * 10 > producer.idle_ns * 9, "full most of the time\n{text}");
            // Two consumers of 2 ms, and a timer that may be a millisecond late: a message takes 1 to 2 ms.
            let channel = node(snapshot, "channel");
            assert!((290.0..1_500.0).contains(&ms(channel.busy_ns + channel.idle_ns)), "{text}");
        },
    );
}

fn a_client_and_a_server() {
    on_all(
        async || assert_eq!(client().await, 20),
        |snapshot, text| {
            let process = node(snapshot, "server > process");
            assert_eq!((process.calls, process.completed, process.polls), (5, 5, 10), "{text}");
            assert!((49.0..200.0).contains(&ms(process.idle_ns)), "{text}");
            let waits = node(snapshot, "client > answer.recv().await");
            assert!(waits.idle_ns + 5_000_000 >= process.idle_ns, "{text}");
        },
    );
}
