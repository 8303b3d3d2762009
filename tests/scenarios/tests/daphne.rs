//! Loops that never yield occupy all workers: requests beside them are mostly queued.
//!
//! ```text
//! worker 1   ▆▆▆▆▆▆▆▆ daphne: step step step … 250 ms ▆▆▆▆▆▆▆▆▏E▏E▏E
//! worker 2   ▆▆▆▆▆▆▆▆ daphne: step step step … 250 ms ▆▆▆▆▆▆▆▆▏E▏E▏E
//! E          ▏└──────────────────── queued ───────────────────
//! ```

use std::sync::mpsc::{self, Receiver, Sender};

use diagnose::model::Node;
use diagnose::{Snapshot, diagnose};
use diagnose_scenarios_tests::runtime::tokio_with_workers;
use diagnose_scenarios_tests::tree::{lines, ms, named};
use diagnose_scenarios_tests::work::compute;
use tokio::sync::watch;

const REQUESTS: u64 = 20;
const STEPS: u64 = 25;

#[diagnose(root)]
async fn daphne(runs: Sender<()>, go: Receiver<()>) -> u64 {
    runs.send(()).expect("the test waits");
    go.recv().expect("the test says so");
    (0..STEPS).map(|_| step()).fold(0, u64::wrapping_add)
}

#[diagnose]
fn step() -> u64 {
    compute(10)
}

#[diagnose(root, label = "kind={kind}")]
async fn request(kind: char, mut go: watch::Receiver<bool>) {
    go.wait_for(|go| *go).await.expect("the test says so");
    for _ in 0..5 {
        tokio::task::yield_now().await;
    }
}

/// Returns the node of the requests of one kind.
fn of_kind<'a>(snapshot: &'a Snapshot, kind: &str) -> &'a Node {
    let found =
        snapshot.nodes.iter().find(|node| node.parent.is_none() && node.label.as_deref() == Some(kind));
    found.expect("it is there")
}

#[test]
fn requests_wait_in_the_queue_for_a_loop_that_never_yields() {
    diagnose_isolation::isolated!();
    let runtime = tokio_with_workers(2);
    let (go, gone) = watch::channel(false);
    let requests: Vec<_> = (0..REQUESTS)
        .map(|number| runtime.spawn(request(if number % 2 == 0 { 'E' } else { 'F' }, gone.clone())))
        .collect();
    while diagnose::snapshot().tasks.iter().filter(|task| task.polls == 1).count() < requests.len() {
        std::thread::yield_now();
    }
    let (runs, is_running) = mpsc::channel();
    let (starts, loops): (Vec<_>, Vec<_>) = (0..2)
        .map(|_| {
            let (start, started) = mpsc::channel();
            (start, runtime.spawn(daphne(runs.clone(), started)))
        })
        .unzip();
    for _ in &loops {
        is_running.recv().expect("both run");
    }
    // From here on only these two tasks are polled, until one of them is done.
    diagnose::reset();
    go.send(true).expect("they wait");
    for start in starts {
        start.send(()).expect("it waits");
    }
    runtime.block_on(async {
        for task in loops {
            task.await.expect("no panic");
        }
        for task in requests {
            task.await.expect("no panic");
        }
    });

    let snapshot = diagnose::snapshot();
    println!("{}", lines(&snapshot));
    let of_e = of_kind(&snapshot, "kind=E");
    assert_eq!(of_e.completed, REQUESTS / 2);
    // Each waits for at least 250 ms, most of it ready in the queue.
    assert!(ms(of_e.queued_ns) >= 250.0 * 10.0 * 0.99, "{of_e:?}");
    assert!(ms(of_e.queued_ns) >= 0.9 * ms(of_e.idle_ns), "{of_e:?}");
    assert!(of_e.busy_ns * 10 < of_e.queued_ns, "they yield promptly: {of_e:?}");

    let daphne = named(&snapshot, "daphne");
    assert!(ms(daphne.longest_poll_ns) >= 250.0, "{daphne:?}");
    let step = named(&snapshot, "step");
    assert_eq!(step.calls, 2 * STEPS);
    assert!(ms(step.busy_ns) >= 0.95 * ms(daphne.busy_ns), "the time goes into the loop: {step:?}");

    let mut text = Vec::new();
    diagnose::dump_to(diagnose::Format::Text, &mut text).expect("it is memory");
    let text = String::from_utf8(text).expect("text");
    let table = text.split("\nLONG POLLS, ").nth(1).expect("there are some");
    let is_row = |polls: &str, path: &str| {
        table.lines().any(|line| line.trim_start().starts_with(polls) && line.ends_with(path))
    };
    assert!(is_row("2  ", "  daphne"), "the loop, which none of its steps explains: {table}");
    assert!(is_row("50  ", "  daphne > step"), "{table}");
}
