//! A program that dumps when it ends, as its environment asks, and uses a time limit beyond every
//! clock's range.

use std::time::Duration;

use diagnose::diagnose;

#[diagnose]
async fn work() -> u32 {
    tokio::task::yield_now().await;
    7
}

fn main() {
    diagnose::install();
    let runtime = ::tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    println!("{}", runtime.block_on(diagnose::within(Duration::MAX, work())));
}
