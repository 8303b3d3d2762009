//! Tasks and locks on async-std: `cargo run --release --example async_std`.
//!
//! `diagnose::async_std` re-exports async-std and records its tasks. The feature `async-lock` also
//! records its locks.

use std::sync::Arc;
use std::time::Duration;

use diagnose::async_std::{sync::Mutex, task};
use diagnose::diagnose;

#[diagnose]
async fn append(journal: Arc<Mutex<Vec<u64>>>, entry: u64) {
    let mut journal = journal.lock().await;
    task::sleep(Duration::from_millis(1)).await;
    journal.push(entry);
}

fn main() -> Result<(), diagnose::Error> {
    diagnose::install();
    task::block_on(async {
        let journal = Arc::new(Mutex::new(Vec::new()));
        let writers: Vec<_> = (0..32).map(|entry| task::spawn(append(Arc::clone(&journal), entry))).collect();
        task::sleep(Duration::from_millis(10)).await;
        println!("{}", diagnose::waiters());
        for writer in writers {
            writer.await;
        }
        println!("{} entries", journal.lock().await.len());
    });
    println!("wrote {}", diagnose::dump("target/diagnose/async_std.txt")?.display());
    Ok(())
}
