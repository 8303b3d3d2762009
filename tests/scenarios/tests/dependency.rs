//! A dependency computes inside of its `open_session`: nothing of it is annotated, and the await names it, even while it
//! runs.
//!
//! ```text
//! node   ~ 5 ms ~ ▆▆▆ generate_key, 60 ms ▆▆▆ ~ 5 ms ~
//!                        ↑ the tree, from another thread
//! ```

use std::time::Duration;

use diagnose::diagnose;
use diagnose_scenarios_tests::runtime::tokio_with_workers;
use diagnose_scenarios_tests::tree::{line_of, lines, ms, node, plain};

/// Not annotated.
mod vendor {
    use std::sync::mpsc::Sender;

    use diagnose_scenarios_tests::work::compute;

    pub(super) async fn open_session(starts: &Sender<()>) {
        tokio::time::sleep(super::STEP).await;
        starts.send(()).expect("somebody waits");
        generate_key();
        tokio::time::sleep(super::STEP).await;
    }

    fn generate_key() {
        let _ = compute(60);
    }
}

const STEP: Duration = Duration::from_millis(5);

#[diagnose(root)]
async fn start(starts: std::sync::mpsc::Sender<()>) {
    vendor::open_session(&starts).await;
    consensus().await;
}

#[diagnose]
async fn consensus() {
    tokio::time::sleep(STEP).await;
}

#[test]
fn the_await_of_the_dependency_is_named() {
    let (starts, has_started) = std::sync::mpsc::channel();
    let runtime = tokio_with_workers(2);
    let task = runtime.spawn(start(starts));
    has_started.recv().expect("it starts");
    let tree = diagnose::tree();
    println!("{tree}");
    let running = tree.lines().find(|line| line.contains("◀ running")).expect("something runs");
    let line = line_of(include_str!("dependency.rs"), "vendor::open_session(&starts).await;");
    let place = format!("vendor::open_session(&starts).await (tests/scenarios/tests/dependency.rs:{line}:5)");
    assert!(running.contains(&place), "{tree}");
    assert!(tree.contains(" start [running "), "{tree}");
    runtime.block_on(task).expect("no panic");

    let snapshot = plain(&diagnose::snapshot());
    let text = lines(&snapshot);
    println!("{text}");
    let session = node(&snapshot, "start > vendor::open_session(&starts).await");
    assert!((50.0..400.0).contains(&ms(session.longest_poll_ns)), "{text}");
    assert!((9.0..200.0).contains(&ms(session.idle_ns)), "{text}");
    let longest =
        snapshot.nodes.iter().filter(|node| node.parent.is_some()).max_by_key(|n| n.longest_poll_ns);
    assert_eq!(longest, Some(&session), "{text}");
}
