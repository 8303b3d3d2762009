//! An un-annotated dependency computes in `open_session`: the await names it, even while it runs.
//!
//! ```text
//! node   ~ 5 ms ~ ▆▆▆ generate_key, until it was seen ▆▆▆ ~ 5 ms ~
//!                        ↑ the tree, from another thread
//! ```

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::{Duration, Instant};

use diagnose::diagnose;
use diagnose_scenarios_tests::runtime::tokio_with_workers;
use diagnose_scenarios_tests::stopwatch::{Stopwatch, is_at_least};
use diagnose_scenarios_tests::tree::{line_of, lines, node, plain};

/// Not annotated.
mod vendor {
    use std::sync::atomic::Ordering::SeqCst;
    use std::sync::mpsc::Sender;
    use std::time::Instant;

    use diagnose_scenarios_tests::work::compute;

    pub(super) async fn open_session(starts: &Sender<()>, begun: Instant) {
        let session = async {
            tokio::time::sleep(super::STEP).await;
            starts.send(()).expect("there is a receiver");
            super::IN_KEY.call(|| generate_key(begun));
            tokio::time::sleep(super::STEP).await;
        };
        super::IN_SESSION.time(session).await;
    }

    /// Takes longer than everything before it, and until the test has seen it.
    fn generate_key(begun: Instant) {
        let (start, before) = (Instant::now(), begun.elapsed());
        while !super::IS_SEEN.load(SeqCst) || start.elapsed() <= before + before / 10 {
            let _ = compute(1);
        }
    }
}

const STEP: Duration = Duration::from_millis(5);

static IS_SEEN: AtomicBool = AtomicBool::new(false);
static AROUND: Stopwatch = Stopwatch::new();
static IN_CONSENSUS: Stopwatch = Stopwatch::new();
static IN_SESSION: Stopwatch = Stopwatch::new();
static IN_KEY: Stopwatch = Stopwatch::new();

#[diagnose(root)]
async fn start(starts: std::sync::mpsc::Sender<()>, begun: Instant) {
    consensus().await;
    vendor::open_session(&starts, begun).await;
}

#[diagnose]
async fn consensus() {
    IN_CONSENSUS.time(tokio::time::sleep(STEP)).await;
}

#[test]
fn the_await_of_the_dependency_is_named() {
    diagnose_isolation::isolated!();
    let (starts, has_started) = std::sync::mpsc::channel();
    let runtime = tokio_with_workers(2);
    let task = runtime.spawn(AROUND.time(start(starts, Instant::now())));
    has_started.recv().expect("it starts");
    let tree = diagnose::tree();
    IS_SEEN.store(true, SeqCst);
    println!("{tree}");
    let running = tree.lines().find(|line| line.contains("◀ running")).expect("something runs");
    let line = line_of(include_str!("dependency.rs"), "vendor::open_session(&starts, begun).await;");
    let place =
        format!("vendor::open_session(&starts, begun).await (tests/scenarios/tests/dependency.rs:{line}:5)");
    assert!(running.contains(&place), "{tree}");
    assert!(tree.contains(" start [running "), "{tree}");
    runtime.block_on(task).expect("no panic");

    let snapshot = plain(&diagnose::snapshot());
    let text = lines(&snapshot);
    println!("{text}");
    let session = node(&snapshot, "start > vendor::open_session(&starts, begun).await");
    let (around, key) = (AROUND.take(), IN_KEY.take());
    around.is_around(&node(&snapshot, "start"), &text);
    IN_SESSION.take().is_inside(&session, &text);
    is_at_least("longest", session.longest_poll_ns, key.longest(), &text);
    let consensus = node(&snapshot, "start > consensus");
    IN_CONSENSUS.take().is_inside(&consensus, &text);
    is_at_least("idle", session.idle_ns + consensus.idle_ns, around.idle, &text);
    let longest =
        snapshot.nodes.iter().filter(|node| node.parent.is_some()).max_by_key(|n| n.longest_poll_ns);
    assert_eq!(longest, Some(&session), "{text}");
}
