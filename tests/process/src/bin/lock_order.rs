//! Tasks and threads acquire locks in both orders, at different times, so that nothing ever hangs.
//! Then the lock-order report goes to stdout, with the number of pairs on record.

use diagnose::diagnose;
use diagnose::tokio;
use tokio::sync::{Mutex, RwLock};

#[diagnose]
async fn left(accounts: &Mutex<u32>, limits: &RwLock<u32>) {
    let mut account = accounts.lock().await; // left holds
    *account += *limits.read().await; // left takes
}

#[diagnose]
async fn right(accounts: &Mutex<u32>, limits: &RwLock<u32>) {
    let mut limit = limits.write().await; // right holds
    *limit += *accounts.lock().await; // right takes
}

/// Acquires neither lock while the other is held.
#[diagnose]
async fn apart(accounts: &Mutex<u32>, limits: &RwLock<u32>) {
    drop(limits.write().await);
    drop(accounts.lock().await);
    drop(limits.write().await);
}

/// Acquires each of three locks while the one before it is held, in a cycle.
fn around() {
    let locks: [diagnose::std::sync::Mutex<()>; 3] = Default::default();
    for (first, second) in [(0, 1), (1, 2), (2, 0)] {
        let _first = locks[first].lock().expect("no panic");
        let _second = locks[second].lock().expect("no panic");
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    diagnose::Builder::new().signal(None).install();
    let (accounts, limits) = (Mutex::new(1), RwLock::new(1));
    apart(&accounts, &limits).await;
    for _ in 0..2 {
        left(&accounts, &limits).await;
    }
    right(&accounts, &limits).await;
    std::thread::Builder::new()
        .name("turns".into())
        .spawn(around)
        .expect("it starts")
        .join()
        .expect("no panic");
    print!("{}", diagnose::lock_order());
    let order = diagnose::snapshot().lock_order;
    println!("pairs: {:?}", order.map(|order| order.pairs.len()));
}
