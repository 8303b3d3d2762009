//! A response dropped during its send counts there, and the cache is never set.
//!
//! ```text
//! request 30 ms ▏channel.send 40 ms …✗       cache.set
//! timeout 50 ms ─────────────────────▏
//! ```

use std::time::Duration;

use diagnose::diagnose;
use diagnose_scenarios_tests::runtime::run_paused;
use diagnose_scenarios_tests::tree::{line_of, lines, node, plain};

async fn wait(ms: u64) {
    tokio::time::sleep(Duration::from_millis(ms)).await;
}

struct Cache;

#[diagnose]
impl Cache {
    async fn set(&self, response: u32) {
        let _ = std::hint::black_box(response);
        wait(0).await;
    }
}

struct Channel;

impl Channel {
    async fn send(&self, response: u32) {
        let _ = std::hint::black_box(response);
        wait(40).await;
    }
}

async fn request() -> u32 {
    wait(30).await;
    7
}

#[diagnose]
async fn get_response(channel: &Channel, cache: &Cache) {
    let response = request().await;
    channel.send(response).await;
    cache.set(response).await;
}

#[diagnose(name = "main")]
async fn program() -> bool {
    tokio::time::timeout(Duration::from_millis(50), get_response(&Channel, &Cache)).await.is_ok()
}

#[test]
fn the_drop_is_counted_at_the_send() {
    diagnose_isolation::isolated!();
    assert!(!run_paused(program()));
    let snapshot = plain(&diagnose::snapshot());
    let text = lines(&snapshot);
    println!("{text}");
    let response = snapshot.nodes.iter().find(|node| snapshot.sites[node.site].name == "get_response");
    let response = diagnose_scenarios_tests::tree::path(&snapshot, response.expect("it is there"));
    assert_eq!(node(&snapshot, &response).cancelled, 1, "{text}");
    let sent = node(&snapshot, &format!("{response} > channel.send(response).await"));
    assert_eq!((sent.calls, sent.completed, sent.cancelled), (1, 0, 1), "{text}");
    assert_eq!(node(&snapshot, &format!("{response} > request().await")).completed, 1, "{text}");
    let line = line_of(include_str!("cache.rs"), "channel.send(response).await;");
    assert_eq!(snapshot.sites[sent.site].place.line as usize, line);
    assert!(!text.contains("set"), "never reached\n{text}");
}
