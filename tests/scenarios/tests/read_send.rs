//! A `select!` in a loop drops the losing future, which counts at its await.
//!
//! ```text
//! read_send    read ▏send 5 ms ▏send 5 ms ▏send …✗ dropped     read ▏send ▏send …✗
//! read_packet  ~~~~~~~~~~~ 12 ms ~~~~~~~~~~~~ ▏    ~~~~~~~~~~~ 12 ms ~~~~~~~~~~ ▏
//! ```

use std::time::Duration;

use diagnose::{Snapshot, diagnose};
use diagnose_scenarios_tests::runtime::run_paused;
use diagnose_scenarios_tests::tree::{line_of, lines, node, plain};

const PACKETS: u64 = 4;

/// A channel whose sends take 5 ms each.
struct Channel;

impl Channel {
    async fn send(&self, item: u32) {
        tokio::time::sleep(Duration::from_millis(5)).await;
        let _ = std::hint::black_box(item);
    }
}

fn read_next() -> std::future::Ready<[u32; 4]> {
    std::future::ready([1, 2, 3, 4])
}

async fn read_packet() {
    tokio::time::sleep(Duration::from_millis(12)).await;
}

#[diagnose]
async fn read_send(ch: &Channel) {
    loop {
        for item in read_next().await {
            ch.send(item).await;
        }
    }
}

#[diagnose]
async fn loses(ch: &Channel) {
    for _ in 0..PACKETS {
        tokio::select! {
            () = read_send(ch) => {}
            () = read_packet() => {}
        }
    }
}

#[diagnose]
async fn pins(ch: &Channel) {
    let mut reads = Box::pin(read_send(ch));
    for _ in 0..PACKETS {
        tokio::select! {
            () = &mut reads => {}
            () = read_packet() => {}
        }
    }
    capture("pins");
}

#[diagnose]
async fn spawns() {
    let reads = tokio::spawn(read_send(&Channel));
    for _ in 0..PACKETS {
        read_packet().await;
    }
    capture("spawns");
    reads.abort();
}

fn capture(variant: &str) {
    let snapshot = plain(&diagnose::snapshot());
    let cancelled: u64 = snapshot.nodes.iter().map(|node| node.cancelled).sum();
    assert_eq!(cancelled, 0, "{variant}\n{}", lines(&snapshot));
}

fn find(snapshot: &Snapshot, path: &str) -> (u64, u64) {
    let node = node(snapshot, path);
    (node.calls, node.cancelled)
}

#[test]
fn a_dropped_future_is_counted_at_its_await() {
    diagnose_isolation::isolated!();
    run_paused(loses(&Channel));
    let snapshot = plain(&diagnose::snapshot());
    println!("{}", lines(&snapshot));
    let arm = "loses > read_send";
    assert_eq!(find(&snapshot, arm), (PACKETS, PACKETS), "once per packet");
    let (sends, dropped) = find(&snapshot, &format!("{arm} > ch.send(item).await"));
    assert_eq!(dropped, PACKETS, "each at the send");
    assert_eq!(sends, 3 * PACKETS, "two of 5 ms are over when the packet comes after 12");
    assert_eq!(find(&snapshot, &format!("{arm} > read_next().await")), (PACKETS, 0));
    let site = snapshot.sites.iter().find(|site| site.name == "ch.send(item).await").expect("it is there");
    let line = line_of(include_str!("read_send.rs"), "ch.send(item).await;");
    assert_eq!((site.place.line as usize, site.place.column), (line, 13));

    diagnose::reset();
    run_paused(pins(&Channel));
    diagnose::reset();
    run_paused(spawns());
}
