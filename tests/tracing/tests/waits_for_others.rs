//! A span of `tracing` that polls a pending future waits for that future, and not by itself.

use std::thread;
use std::time::Duration;

use diagnose::{Snapshot, diagnose};
use tracing::Instrument as _;

use crate::support::{Yields, install_layer, run};

#[diagnose]
async fn yields() {
    Yields(2).await;
}

type Job = std::pin::Pin<Box<dyn Future<Output = ()>>>;

/// Polls the job once.
#[diagnose]
async fn polls_once(job: &mut Job) -> bool {
    std::future::poll_fn(|context| std::task::Poll::Ready(job.as_mut().poll(context).is_ready())).await
}

#[test]
fn a_span_that_moves_to_another_call_waits_by_itself_after_its_child() {
    diagnose_isolation::isolated!();
    install_layer();
    let body = async {
        yields().await;
        Yields(3).await;
    };
    let mut job: Job = Box::pin(body.instrument(tracing::info_span!("moves")));
    run(async {
        while !polls_once(&mut job).await {
            thread::sleep(Duration::from_millis(2));
        }
    });
    drop(job);
    let snapshot = diagnose::snapshot();
    let own = snapshot.nodes.iter().filter(|node| snapshot.sites[node.site].name == "moves");
    let own: u64 = own.map(|node| node.self_idle_ns).sum();
    assert!(own >= 6_000_000, "{own}");
}

/// The idle times that the nodes of this name have by themselves.
fn own_idle(snapshot: &Snapshot, name: &str) -> u64 {
    let nodes = snapshot.nodes.iter().filter(|node| snapshot.sites[node.site].name.starts_with(name));
    nodes.map(|node| node.self_idle_ns).sum()
}

/// Polls the job twice, as if for a time limit.
async fn in_time(job: &mut Job) -> bool {
    let mut polls = 0;
    std::future::poll_fn(|context| {
        polls += 1;
        match job.as_mut().poll(context) {
            std::task::Poll::Pending if polls < 3 => std::task::Poll::Pending,
            polled => std::task::Poll::Ready(polled.is_ready()),
        }
    })
    .await
}

#[diagnose]
async fn sleeps() {
    for _ in 0..9 {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

#[diagnose]
async fn call(job: &mut Job) -> bool {
    in_time(job).await
}

fn run_with_time<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime").block_on(future)
}

#[test]
fn a_new_call_waits_for_the_span_that_an_older_call_left_pending() {
    diagnose_isolation::isolated!();
    install_layer();
    let mut job: Job = Box::pin(sleeps().instrument(tracing::info_span!("moves")));
    run_with_time(async { while !call(&mut job).await {} });
    let snapshot = diagnose::snapshot();
    assert_eq!(own_idle(&snapshot, "in_time(job).await"), 0, "{:#?}", snapshot.nodes);
    assert!(own_idle(&snapshot, "tokio::time::sleep") >= 10_000_000);
}

/// Returns whether the attempts and the await around them leave the waits to the job. Between its
/// last poll and its drop, a span waits by itself.
fn are_not_charged(snapshot: &Snapshot) -> bool {
    let job = own_idle(snapshot, "tokio::time::sleep");
    let others = ["attempt", "in_time(&mut job).instrument"].map(|name| own_idle(snapshot, name));
    others.iter().all(|own| *own < job / 2)
}

#[diagnose]
async fn retries() {
    let mut job: Job = Box::pin(sleeps());
    while !in_time(&mut job).instrument(tracing::info_span!("attempt")).await {}
    tokio::time::sleep(Duration::from_millis(2)).await;
}

#[test]
fn a_new_span_waits_for_the_future_that_an_older_one_left_pending() {
    diagnose_isolation::isolated!();
    install_layer();
    run_with_time(retries());
    let snapshot = diagnose::snapshot();
    assert!(are_not_charged(&snapshot), "{:#?}", snapshot.nodes);
    assert!(own_idle(&snapshot, "tokio::time::sleep") >= 12_000_000);
}

#[diagnose]
async fn attempts() {
    let mut job: Job = Box::pin(sleeps());
    assert!(!in_time(&mut job).await);
    while !in_time(&mut job).instrument(tracing::info_span!("attempt")).await {}
    Yields(1).await;
}

#[test]
fn a_new_span_around_a_pending_future_waits_for_it() {
    diagnose_isolation::isolated!();
    install_layer();
    run_with_time(attempts());
    let snapshot = diagnose::snapshot();
    assert!(are_not_charged(&snapshot), "{:#?}", snapshot.nodes);
}
