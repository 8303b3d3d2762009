//! Timer, file, mutex, channel and server have the same trees on four runtimes.

use std::future::{Future as _, poll_fn};
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use diagnose::model::Node;
use diagnose::{Snapshot, diagnose};
use diagnose_scenarios_tests::runtime::{self, is_tokio, spawn};
use diagnose_scenarios_tests::stopwatch::{Stopwatch, is_at_least, is_at_most};
use diagnose_scenarios_tests::tree::{counts, lines, named, node, path, paths, plain};
use smol::channel::{Receiver, Sender, bounded};
use smol::io::AsyncReadExt as _;
use smol::lock::{Mutex, MutexGuard};

/// Stopwatches around the program, and around the tasks that it spawns.
static AROUND: Stopwatch = Stopwatch::new();
static AROUND_TASKS: Stopwatch = Stopwatch::new();
static IN_SLEEP: Stopwatch = Stopwatch::new();
static IN_LOCK: Stopwatch = Stopwatch::new();

async fn sleep(ms: u64) {
    IN_SLEEP.time(runtime::sleep(ms)).await;
}

/// Runs the program on all runtimes, and asserts that their trees are equal.
fn on_all<T>(program: impl AsyncFn() -> T, check: impl Fn(&diagnose::Snapshot, &str)) {
    let mut trees: Vec<Vec<String>> = Vec::new();
    for runtime in runtime::ALL {
        diagnose::reset();
        runtime.run(AROUND.time(program()));
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

/// A lock that signals when a task has to wait for it.
struct Lock {
    mutex: Mutex<()>,
    waits: Sender<()>,
}

impl Lock {
    async fn lock(&self) -> MutexGuard<'_, ()> {
        let mut guard = pin!(self.mutex.lock());
        let waits = poll_fn(|context| {
            let poll = guard.as_mut().poll(context);
            if poll.is_pending() {
                let _ = self.waits.try_send(());
            }
            poll
        });
        IN_LOCK.time(waits).await
    }
}

#[diagnose]
async fn holder(m: Arc<Lock>, is_held: Sender<()>, is_wanted: Receiver<()>) {
    let guard = m.lock().await;
    is_held.send(()).await.expect("there is a receiver");
    is_wanted.recv().await.expect("there is a sender");
    sleep(100).await;
    drop(guard);
}

#[diagnose]
async fn mutex() {
    let (waits, is_wanted) = bounded(1);
    let m = Arc::new(Lock { mutex: Mutex::new(()), waits });
    let (held, is_held) = bounded(1);
    let task = spawn(AROUND_TASKS.time(holder(Arc::clone(&m), held, is_wanted)));
    is_held.recv().await.expect("it is held");
    drop(m.lock().await);
    task.await;
}

#[diagnose]
async fn producer(queue: Sender<u32>) {
    for number in 0..100 {
        queue.send(number).await.expect("there is a receiver");
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
    let producers: Vec<_> = (0..3).map(|_| spawn(AROUND_TASKS.time(producer(sender.clone())))).collect();
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
    let server = spawn(AROUND_TASKS.time(server(queue)));
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
    diagnose_isolation::isolated!();
    a_timer();
    a_file();
    a_mutex();
    a_channel();
    a_client_and_a_server();
}

fn a_timer() {
    on_all(timer, |snapshot, text| {
        let timer = node(snapshot, "timer");
        AROUND.take().is_around(&timer, text);
        let inside = IN_SLEEP.take();
        // The poll that ends the first sleep begins the second.
        assert_eq!(timer.polls, inside.count() - 1, "{text}");
        is_at_most("idle", timer.idle_ns, inside.idle, text);
        is_at_least("two sleeps", timer.busy_ns + timer.idle_ns, Duration::from_millis(50), text);
        assert_eq!(timer.self_idle_ns, 0, "{text}");
    });
}

fn a_file() {
    let path = std::env::temp_dir().join(format!("diagnose-scenario-{}", std::process::id()));
    std::fs::write(&path, "a small file").expect("a place to write");
    let program = async || assert_eq!(read_file(path.clone()).await, "a small file");
    on_all(program, |snapshot, text| {
        let open = node(snapshot, "read_file > open(path).await");
        let read = node(snapshot, "read_file > file.read_to_string().await");
        // The number of polls is a race with the reading thread, so it is not asserted here.
        assert_eq!((open.calls, open.completed, read.calls, read.completed), (1, 1, 1, 1), "{text}");
        assert!(open.last_seen_ns <= read.last_seen_ns, "{text}");
        AROUND.take().is_around(&node(snapshot, "read_file"), text);
    });
    std::fs::remove_file(&path).expect("it is there");
}

fn a_mutex() {
    on_all(mutex, |snapshot, text| {
        let (mutex, holder) = (node(snapshot, "mutex"), node(snapshot, "holder"));
        AROUND.take().is_around(&mutex, text);
        AROUND_TASKS.take().is_around(&holder, text);
        let waits = node(snapshot, "mutex > m.lock().await");
        let at_once = node(snapshot, "holder > m.lock().await");
        let (in_lock, in_sleep) = (IN_LOCK.take(), IN_SLEEP.take());
        assert_eq!((at_once.calls, at_once.polls, at_once.idle_ns), (1, 1, 0), "nobody else has it\n{text}");
        assert_eq!((waits.calls, waits.polls), (1, in_lock.count() - 1), "{text}");
        is_at_most("waits", waits.idle_ns, in_lock.idle, text);
        // The wait covers the sleep during which the lock is held.
        is_at_least("waits", waits.busy_ns + waits.idle_ns, Duration::from_millis(100), text);
        let holds = node(snapshot, "holder > sleep(100).await");
        in_sleep.is_inside(&holds, text);
        is_at_least("holds", holds.busy_ns + holds.idle_ns, Duration::from_millis(100), text);
        for parent in ["mutex", "holder"] {
            let all: u64 = children(snapshot, parent).iter().map(|child| child.idle_ns).sum();
            let idle_ns = node(snapshot, parent).idle_ns;
            assert!((all..=all + 4).contains(&idle_ns), "its awaits, but for rounding\n{text}");
        }
    });
}

/// Returns the children of the node with this path.
fn children(snapshot: &Snapshot, parent: &str) -> Vec<Node> {
    let is_child = |node: &&Node| path(snapshot, node).rsplit_once(" > ").is_some_and(|it| it.0 == parent);
    snapshot.nodes.iter().filter(is_child).cloned().collect()
}

fn a_channel() {
    on_all(
        async || assert_eq!(channel().await, 300),
        |snapshot, text| {
            let full = named(snapshot, "queue.send(number).await");
            let producer = node(snapshot, "producer");
            assert_eq!((producer.calls, producer.completed), (3, 3), "{text}");
            assert_eq!(full.calls, 300, "{text}");
            assert_eq!(full.idle_ns, producer.idle_ns, "that it was full is all it waited for\n{text}");
            let around = AROUND_TASKS.take();
            is_at_least("full", full.idle_ns, around.idle, text);
            is_at_most("full", full.busy_ns + full.idle_ns, around.busy() + around.idle, text);
            assert!(full.idle_ns > 0, "{text}");
            // One of the two consumers has slept 2 ms for at least half of the messages.
            let channel = node(snapshot, "channel");
            AROUND.take().is_around(&channel, text);
            is_at_least("channel", channel.busy_ns + channel.idle_ns, Duration::from_millis(300), text);
            IN_SLEEP.take().is_inside(&named(snapshot, "sleep(2).await"), text);
        },
    );
}

fn a_client_and_a_server() {
    on_all(
        async || assert_eq!(client().await, 20),
        |snapshot, text| {
            let process = node(snapshot, "server > process");
            assert_eq!((process.calls, process.completed), (5, 5), "{text}");
            IN_SLEEP.take().is_inside(&process, text);
            let process_ns = process.busy_ns + process.idle_ns;
            is_at_least("five sleeps", process_ns, Duration::from_millis(50), text);
            let (server, client) = (node(snapshot, "server"), node(snapshot, "client"));
            AROUND_TASKS.take().is_around(&server, text);
            AROUND.take().is_around(&client, text);
            assert!(process.idle_ns <= server.idle_ns, "{text}");
            assert!(client.busy_ns + client.idle_ns + 20 >= process_ns, "it waits for all of it\n{text}");
        },
    );
}
