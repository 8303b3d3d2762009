//! An annotated program that never installs anything and never writes a report.

use diagnose::diagnose;

#[diagnose]
async fn work(number: u64) -> u64 {
    tokio::task::yield_now().await;
    number * 2
}

#[tokio::main]
async fn main() {
    let tasks: Vec<_> = (0..100).map(|number| tokio::spawn(work(number))).collect();
    let mut sum = 0;
    for task in tasks {
        sum += task.await.expect("no panic");
    }
    println!("{sum}");
}
