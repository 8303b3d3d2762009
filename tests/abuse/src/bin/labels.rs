//! Serves users who come and go, each with a label, on four threads, while another thread takes
//! snapshots. Prints the resident memory, the calls that were made and those on record, and how
//! many users of the last round have a label.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use diagnose::model::SiteKind;
use diagnose::{Snapshot, diagnose, tokio};
use diagnose_abuse_tests::usage::resident;

/// Rounds, each with users of its own: more users than there are numbers for labels.
const ROUNDS: u64 = 14;
const USERS: u64 = 400;
const CALLS: u64 = 50;
const THREADS: u64 = 4;

static MADE: AtomicU64 = AtomicU64::new(0);

#[diagnose(label = "user={user}")]
async fn request(user: u64) {
    inner(user).await;
}

#[diagnose]
async fn inner(user: u64) {
    // Some calls are alive while their label loses its place.
    match user % 50 {
        0 => tokio::time::sleep(Duration::from_millis(1)).await,
        1..10 => tokio::task::yield_now().await,
        _ => {}
    }
}

async fn serve(round: u64, thread: u64) {
    for call in 0..CALLS {
        for user in 0..USERS / THREADS {
            MADE.fetch_add(1, Relaxed);
            let user = round * 100_000 + user * THREADS + thread;
            if (user + call) % 97 == 0 {
                // Given up while it waits, or finished before.
                let _ = tokio::time::timeout(Duration::from_micros(50), request(user)).await;
            } else {
                request(user).await;
            }
        }
    }
}

/// Checks a snapshot. Returns the calls of `request` on record, and of these the completed ones.
fn check(snapshot: &Snapshot) -> (u64, u64) {
    let (mut calls, mut ended) = (0, 0);
    for node in &snapshot.nodes {
        let known = node.completed + node.cancelled + node.panicked + node.pending + node.running;
        assert_eq!(node.calls, known.wrapping_add_signed(node.unsettled), "{node:?}");
        let site = &snapshot.sites[node.site];
        if site.name == "request" && site.kind != SiteKind::Await {
            calls += node.calls;
            ended += node.completed + node.cancelled;
        }
    }
    (calls, ended)
}

fn main() {
    diagnose::install();
    let is_done = AtomicBool::new(false);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build();
    let runtime = runtime.expect("a runtime");
    std::thread::scope(|scope| {
        let looks = scope.spawn(|| {
            let mut looks = 0;
            while !is_done.load(Relaxed) {
                let (calls, _) = check(&diagnose::snapshot());
                // Read afterwards: no call is on record that was not made.
                assert!(calls <= MADE.load(Relaxed), "{calls}");
                looks += 1;
                std::thread::sleep(Duration::from_millis(5));
            }
            looks
        });
        for round in 0..ROUNDS {
            let threads: Vec<_> = (0..THREADS).map(|thread| runtime.spawn(serve(round, thread))).collect();
            for thread in threads {
                runtime.block_on(thread).expect("it ends");
            }
        }
        is_done.store(true, Relaxed);
        assert!(looks.join().expect("each snapshot is right") > 0);
    });
    let snapshot = diagnose::snapshot();
    let (calls, ended) = check(&snapshot);
    let last = format!("user={}", ROUNDS - 1);
    let is_last = |label: &&String| label.len() == last.len() + 5 && label.starts_with(&last);
    let labeled = snapshot.nodes.iter().filter_map(|node| node.label.as_ref()).filter(is_last).count();
    println!("{} {} {calls} {ended} {labeled}", resident(), MADE.load(Relaxed));
}
