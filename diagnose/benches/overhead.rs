//! Cost of recording spans and polls, compared with bare futures and with a floor.
//!
//! ```text
//! cargo bench -p diagnose
//! ```
//! Read the table at the end: each line is the median of one benchmark of this run, and its ratio
//! to the floor. The floor is two readings of the recorder's clock and one add. Absolute numbers
//! depend on the machine; the ratios depend on diagnose.
//!
//! - `poll` bounds the cost of a future that is polled often, such as a stream or a connection.
//! - `span` bounds the cost of a function that is called often and ready at once, such as a cache
//!   hit.
//! - `8 nested` is the cost that each level of a deep call chain adds.
//! - `met` lines run outside any span, as a handler that a framework calls, so the outermost
//!   annotated call becomes a task.
//! - `bare` lines run the same bodies, which do next to nothing, without the attribute. Without the
//!   feature `on` the attribute leaves functions unchanged, so these lines are its cost, too.

#[path = "support/medians.rs"]
mod medians;

use std::future::{Future, poll_fn};
use std::hint::black_box;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use criterion::Criterion;
use diagnose::diagnose;
use medians::median;

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
    let mut stored: Option<Waker> = None;
    poll_fn(move |context| {
        if stored.as_ref().is_none_or(|stored| !stored.will_wake(context.waker())) {
            stored = Some(context.waker().clone());
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

/// Creates `count` futures, polls each to its end and drops it, inside a span.
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

/// Creates `count` futures, polls each to its end and drops it, outside any span.
async fn met_spans(count: u64) {
    for number in 0..count {
        ready(number).await;
    }
}

/// Wakes its task in each poll, as a future that yields does.
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

/// Clones its waker and wakes it by value in each poll, as a channel or a socket does.
async fn woken() {
    poll_fn(|context| {
        let clone = black_box(context.waker().clone());
        clone.wake();
        black_box(Poll::<()>::Pending)
    })
    .await;
}

#[diagnose]
async fn woken_root() {
    woken().await;
}

/// Polls a future that stays pending, `count` times, inside a span.
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

/// The lines of the table: name, function to measure, and the number of polls among which the time
/// of one iteration is divided.
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
    // The next six run outside any span, as a handler that a framework calls.
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

/// Prints the table of this run from the medians that criterion wrote. Prints nothing in a run that
/// only tests the benchmarks, because it writes none.
fn print_ratios() {
    let medians: Option<Vec<f64>> =
        BENCHMARKS.iter().map(|(name, _, per)| Some(median(name)? / f64::from(*per))).collect();
    let Some(medians) = medians else { return };
    println!("\n{:<20} {:>10} {:>10}", "", "ns", "× floor");
    for ((name, ..), ns) in BENCHMARKS.iter().zip(&medians) {
        println!("{name:<20} {ns:>10.2} {:>10.2}", ns / medians[0]);
    }
}
