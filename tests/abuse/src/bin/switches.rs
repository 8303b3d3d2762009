//! Switches the recording off and on, resets it and reads it, while four workers call functions
//! that wait, are cancelled and panic.
//!
//! ```text
//! switches <rounds>
//! ```
//! After each round, all is quiet: 100 calls wait, and then end. Prints `settled <rounds>` if every
//! function has these calls and no other, each time.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use diagnose::model::{SiteKind, Snapshot};
use diagnose::{diagnose, tokio};
use tokio::sync::{Mutex, Notify};

const TASKS: u64 = 64;
const WAITING: u64 = 100;

#[diagnose]
async fn work(lock: Arc<Mutex<u64>>, number: u64) {
    let mut held = lock.lock().await;
    *held += 1;
    step(number).await;
    assert!(number % 37 != 0, "a call that panics");
}

#[diagnose]
async fn step(number: u64) {
    if number % 3 == 0 {
        tokio::task::yield_now().await;
    }
}

#[diagnose(root)]
async fn waits(notify: Arc<Notify>, polled: Arc<AtomicU64>) {
    let notified = notify.notified();
    polled.fetch_add(1, Relaxed);
    notified.await;
}

/// Keeps the workers busy until `is_over`.
async fn load(is_over: Arc<AtomicBool>) {
    let lock = Arc::new(Mutex::new(0));
    let tasks = (0..TASKS).map(|task| {
        let (lock, is_over) = (lock.clone(), is_over.clone());
        tokio::spawn(async move {
            let mut number = task;
            while !is_over.load(Relaxed) {
                number += TASKS;
                let call = work(lock.clone(), number);
                if number % 5 == 0 {
                    let _ = tokio::time::timeout(Duration::from_micros(20), call).await;
                } else {
                    let _ = tokio::spawn(call).await;
                }
            }
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        let _ = task.await;
    }
}

/// The functions with calls that have not ended: how many are pending, running and unsettled. A
/// call that moved to another path is unsettled on both, with opposite signs.
fn open(snapshot: &Snapshot) -> Vec<(&str, [i64; 3])> {
    let mut functions: BTreeMap<&str, [i64; 3]> = BTreeMap::new();
    for node in &snapshot.nodes {
        let site = &snapshot.sites[node.site];
        if site.kind != SiteKind::Await {
            let signed = |count: u64| i64::try_from(count).expect("a few");
            let own = [signed(node.pending), signed(node.running), node.unsettled];
            let sums = functions.entry(&site.name).or_default();
            (0..3).for_each(|at| sums[at] += own[at]);
        }
    }
    functions.into_iter().filter(|(_, counts)| *counts != [0; 3]).collect()
}

/// One round. `main` has no poll that is recorded.
async fn round(number: u64) {
    let is_over = Arc::new(AtomicBool::new(false));
    let busy = ::tokio::spawn(load(is_over.clone()));
    let switching = ::tokio::task::spawn_blocking(move || {
        for change in 0..200_u64 {
            match (change * 7 + number) % 5 {
                0 => diagnose::set_enabled(false),
                1 => drop(diagnose::snapshot()),
                2 => diagnose::reset(),
                _ => diagnose::set_enabled(true),
            }
            std::thread::yield_now();
        }
        diagnose::set_enabled(true);
    });
    switching.await.expect("it does not panic");
    is_over.store(true, Relaxed);
    busy.await.expect("it does not panic");
    let before = diagnose::snapshot();
    assert_eq!(open(&before), [], "a call that has ended is open: round {number}");
    let (notify, polled) = (Arc::new(Notify::new()), Arc::new(AtomicU64::new(0)));
    let waiting: Vec<_> = (0..WAITING).map(|_| tokio::spawn(waits(notify.clone(), polled.clone()))).collect();
    // The last of them may still be in its first poll.
    while polled.load(Relaxed) < WAITING || open(&diagnose::snapshot()).iter().any(|it| it.1[1] > 0) {
        ::tokio::task::yield_now().await;
    }
    let snapshot = diagnose::snapshot();
    let calls = |snapshot: &Snapshot, count: fn(&diagnose::model::Node) -> u64| {
        let own = snapshot.nodes.iter().filter(|it| snapshot.sites[it.site].name == "waits");
        own.map(count).sum::<u64>()
    };
    assert!(open(&snapshot).iter().all(|it| it.1[2] == 0), "{:?}", open(&snapshot));
    assert_eq!(calls(&snapshot, |it| it.pending), WAITING);
    let reset = number % 2 == 0;
    if reset {
        diagnose::reset();
        let after = diagnose::snapshot();
        assert!(open(&after).iter().all(|it| it.1[2] == 0), "after a reset: {:?}", open(&after));
        assert_eq!(calls(&after, |it| it.pending), WAITING);
    }
    let ended = calls(&diagnose::snapshot(), |it| it.completed);
    notify.notify_waiters();
    for task in waiting {
        task.await.expect("it does not panic");
    }
    let snapshot = diagnose::snapshot();
    assert_eq!(open(&snapshot), [], "round {number}");
    assert_eq!(calls(&snapshot, |it| it.completed), ended + WAITING);
}

fn main() {
    let rounds: u64 = std::env::args().nth(1).and_then(|count| count.parse().ok()).expect("how often");
    // The panics are meant.
    std::panic::set_hook(Box::new(|_| ()));
    let runtime = ::tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build();
    let runtime = runtime.expect("a runtime");
    let run = || (0..rounds).for_each(|number| runtime.block_on(round(number)));
    if let Err(panic) = std::panic::catch_unwind(AssertUnwindSafe(run)) {
        let words = panic.downcast_ref::<String>().map_or("a panic", String::as_str);
        eprintln!("{words}");
        std::process::exit(1);
    }
    println!("settled {rounds}");
}
