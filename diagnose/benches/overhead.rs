//! What recording costs, against the bare future and against the floor: two readings of the same
//! clock and one add.
//!
//! ```text
//! cargo bench -p diagnose
//! ```
//! Read the table at the end: each line is the median of one benchmark of this run, and its ratio
//! to the floor of this run. Absolute numbers are the machine's, the ratios are ours. `poll` bounds
//! what a future costs that is polled often (a stream, a connection), `span` a function that is
//! called often and is ready at once (a cache hit), `8 nested` what each level of a deep call chain
//! adds; `met`: the same where nothing annotated is around, as in a handler that a framework calls,
//! which makes it a task. The bodies do next to nothing, so the bare lines are what is not ours.
//! Without the feature `on` the attribute returns the function as it stands: that is the bare line.

use std::fs;
use std::future::{Future, poll_fn};
use std::hint::black_box;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use criterion::Criterion;
use diagnose::diagnose;

/// Never ready, at no cost.
struct Never;

impl Future for Never {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        black_box(Poll::Pending)
    }
}

/// Never ready, and keeps the waker, as timers and sockets do.
async fn parked() {
    let mut kept: Option<Waker> = None;
    poll_fn(move |context| {
        if kept.as_ref().is_none_or(|kept| !kept.will_wake(context.waker())) {
            kept = Some(context.waker().clone());
        }
        black_box(Poll::<()>::Pending)
    })
    .await;
}

#[diagnose]
async fn root() {
    parked().await;
}

#[allow(clippy::unused_async)] // It is there to be awaited.
async fn bare_ready(value: u64) -> u64 {
    black_box(value)
}

#[diagnose]
async fn ready(value: u64) -> u64 {
    black_box(value)
}

async fn bare_never() {
    Never.await;
}

#[diagnose]
async fn never() {
    Never.await;
}

macro_rules! chain {
    ($($outer:ident -> $inner:ident),*) => { $( #[diagnose] async fn $outer() { $inner().await; } )* };
}
chain!(one -> two, two -> three, three -> four, four -> five, five -> six, six -> seven, seven -> never);

/// Makes, polls to the end and drops so many futures, inside a span.
#[diagnose]
async fn spans(count: u64) {
    for number in 0..count {
        ready(number).await;
    }
}

async fn bare_spans(count: u64) {
    for number in 0..count {
        bare_ready(number).await;
    }
}

/// Makes `count` futures, polls each to its end and drops it, where nothing annotated is around.
async fn met_spans(count: u64) {
    for number in 0..count {
        ready(number).await;
    }
}

/// Wakes itself in each poll, as one that yields does.
struct Yields;

impl Future for Yields {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        context.waker().wake_by_ref();
        black_box(Poll::Pending)
    }
}

#[diagnose]
async fn yields() {
    Yields.await;
}

/// Is cloned into a place of its own and used up in each poll, as the waker of a channel or a
/// socket is.
async fn woken() {
    poll_fn(|context| {
        let kept = black_box(context.waker().clone());
        kept.wake();
        black_box(Poll::<()>::Pending)
    })
    .await;
}

#[diagnose]
async fn woken_root() {
    woken().await;
}

/// Polls a future that stays pending so many times, inside a span.
#[diagnose]
async fn polls(future: impl Future<Output = ()>, count: u64) {
    bare_polls(future, count).await;
}

async fn bare_polls(future: impl Future<Output = ()>, count: u64) {
    let mut future = pin!(future);
    poll_fn(|context| {
        for _ in 0..count {
            let _ = black_box(future.as_mut().poll(context));
        }
        Poll::Ready(())
    })
    .await;
}

fn floor(count: u64) {
    let mut sum = 0;
    for _ in 0..count {
        let start = diagnose::__private::now();
        sum += diagnose::__private::now() - start;
        black_box(sum);
    }
}

/// Runs a future that does not wait.
fn run(future: impl Future<Output = ()>) {
    let mut future = pin!(future);
    assert!(future.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready());
}

type Measured = fn(u64);

/// Name, what to run, and over how many polls the time is to be divided.
const BENCHMARKS: [(&str, Measured, u32); 17] = [
    ("floor", floor, 1),
    ("span bare", |count| run(bare_spans(count)), 1),
    ("span", |count| run(spans(count)), 1),
    ("poll bare", |count| run(bare_polls(bare_never(), count)), 1),
    ("poll", |count| run(polls(never(), count)), 1),
    ("root bare", |count| run(bare_polls(parked(), count)), 1),
    ("poll of a root", |count| run(bare_polls(root(), count)), 1),
    ("root, waker not kept", |count| run(bare_polls(never(), count)), 1),
    ("poll of 8 nested", |count| run(polls(one(), count)), 8),
    // From here on nothing annotated is around, as in a handler that a framework calls.
    ("call, met", |count| run(met_spans(count)), 1),
    ("8 nested, met", |count| run(bare_polls(one(), count)), 8),
    ("yield bare", |count| run(bare_polls(Yields, count)), 1),
    ("yield, met", |count| run(bare_polls(yields(), count)), 1),
    ("woken bare", |count| run(bare_polls(woken(), count)), 1),
    ("woken, met", |count| run(bare_polls(woken_root(), count)), 1),
    ("span switched off", |count| switched_off(|| run(spans(count))), 1),
    ("poll switched off", |count| switched_off(|| run(polls(never(), count))), 1),
];

fn switched_off(measured: impl FnOnce()) {
    diagnose::set_enabled(false);
    measured();
    diagnose::set_enabled(true);
}

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .configure_from_args();
    for (name, measured, _) in BENCHMARKS {
        criterion.bench_function(name, |bencher| {
            bencher.iter_custom(|count| {
                let start = Instant::now();
                measured(count);
                start.elapsed()
            });
        });
    }
    criterion.final_summary();
    print_ratios();
}

/// The table of this run, from the medians that criterion has written. None in a run that only
/// tests the benchmarks.
fn print_ratios() {
    let medians: Option<Vec<f64>> =
        BENCHMARKS.iter().map(|(name, _, per)| Some(median(name)? / f64::from(*per))).collect();
    let Some(medians) = medians else { return };
    println!("\n{:<20} {:>10} {:>10}", "", "ns", "× floor");
    for ((name, ..), ns) in BENCHMARKS.iter().zip(&medians) {
        println!("{name:<20} {ns:>10.2} {:>10.2}", ns / medians[0]);
    }
}

fn median(name: &str) -> Option<f64> {
    let target = std::env::var("CARGO_TARGET_DIR")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../target").to_owned());
    let json = fs::read_to_string(format!("{target}/criterion/{name}/new/estimates.json")).ok()?;
    let (_, median) = json.split_once("\"median\":")?;
    let (_, estimate) = median.split_once("\"point_estimate\":")?;
    estimate.split([',', '}']).next()?.trim().parse().ok()
}
