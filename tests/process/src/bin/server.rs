//! Answers `ping` with `pong` until stdin ends, with one annotated task that never wakes. With the
//! argument `exit`, it ends by `std::process::exit`. With `svg`, it draws a flame graph at its end.
//! With `blocks`, it exits in a poll that has slept for longer than a suspicion takes. With
//! `local`, it exits inside a `LocalSet`.

use diagnose::diagnose;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::sync::oneshot;

#[diagnose(root)]
async fn waits_for_ever(started: oneshot::Sender<()>) {
    let _ = started.send(());
    std::future::pending::<()>().await;
}

#[diagnose]
async fn answer(line: &str) -> &'static str {
    if line == "ping" { "pong" } else { "what?" }
}

#[diagnose]
async fn serve() {
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        println!("{}", answer(&line).await);
    }
}

#[diagnose]
async fn blocks_and_exits() {
    std::thread::sleep(std::time::Duration::from_millis(1_200));
    std::process::exit(0);
}

/// Ends the process on a thread that runs a `LocalSet`.
fn exits_in_a_local_set() {
    let runtime = diagnose::tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    diagnose::tokio::task::LocalSet::new().block_on(&runtime, async {
        tokio::task::yield_now().await;
        std::process::exit(0)
    });
}

#[tokio::main(worker_threads = 2)]
async fn main() {
    diagnose::install();
    let (started, has_started) = oneshot::channel();
    tokio::spawn(waits_for_ever(started));
    let _ = has_started.await;
    println!("ready");
    serve().await;
    let has_argument = |name: &str| std::env::args().any(|argument| argument == name);
    if has_argument("svg") {
        diagnose::dump_to("svg", &mut std::io::sink()).expect("it can be drawn");
    }
    if has_argument("blocks") {
        blocks_and_exits().await;
    }
    if has_argument("local") {
        let _ = std::thread::spawn(exits_in_a_local_set).join();
    }
    if has_argument("exit") {
        std::process::exit(0);
    }
}
