//! A program that hangs, and the report that shows why: `cargo run --release --example stuck`.
//!
//! Tasks share a lock. `tries_twice` waits for it, gives up after 50 ms, and tries again. But its
//! first attempt is still in the queue, and is handed the lock although its task no longer polls
//! it. So no task can ever acquire the lock again.

use std::sync::Arc;
use std::time::Duration;

use diagnose::{diagnose, tokio};
use tokio::sync::Mutex;
use tokio::time::sleep;

#[diagnose]
async fn work(lock: &Mutex<u32>) {
    *lock.lock().await += 1;
}

#[diagnose]
async fn holds_the_lock(lock: Arc<Mutex<u32>>) {
    let _guard = lock.lock().await;
    sleep(Duration::from_millis(200)).await;
}

#[diagnose(label = "worker={number}")]
async fn worker(lock: Arc<Mutex<u32>>, number: u32) {
    loop {
        work(&lock).await;
        sleep(Duration::from_millis(10)).await;
    }
}

#[diagnose]
async fn tries_twice(lock: Arc<Mutex<u32>>) {
    let mut first = std::pin::pin!(work(&lock));
    tokio::select! {
        () = &mut first => {}
        () = sleep(Duration::from_millis(50)) => work(&lock).await,
    }
}

#[tokio::main(flavor = "current_thread")]
#[diagnose]
async fn main() {
    // Prints from outside the runtime, as SIGUSR1 would after `diagnose::install()`.
    std::thread::spawn(|| {
        std::thread::sleep(Duration::from_secs(1));
        println!("{}", diagnose::tree());
        std::process::exit(0);
    });
    let lock = Arc::new(Mutex::new(0));
    tokio::spawn(holds_the_lock(Arc::clone(&lock)));
    tokio::task::yield_now().await;
    tokio::spawn(tries_twice(Arc::clone(&lock)));
    for number in 0..3 {
        tokio::spawn(worker(Arc::clone(&lock), number));
    }
    std::future::pending::<()>().await;
}
