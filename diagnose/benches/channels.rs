//! Cost of the wrapped channels over tokio's own, when nothing has to wait.
//!
//! ```text
//! cargo bench -p diagnose --features tokio --bench channels
//! ```
//! Both are measured in the same run, inside a recorded task. The table at the end shows the
//! shortest sample of each, and their difference: the cost of recording.
//!
//! A message whose type has a destructor may move a guard to another task, so its send is recorded
//! with a reading of the clock. `mpsc carrying` measures that; the other messages are integers.

use std::fs;
use std::future::Future;
use std::time::{Duration, Instant};

use criterion::{Criterion, SamplingMode};
use diagnose::tokio as wrapped;

/// Defines the benchmarks, once for tokio and once for its wrapper.
macro_rules! measured {
    ($name:ident, $tokio:path) => {
        mod $name {
            use std::hint::black_box;

            use library::sync::{broadcast, mpsc, oneshot, watch};
            use $tokio as library;

            pub(super) async fn single(count: u64) {
                for number in 0..count {
                    let (sender, receiver) = oneshot::channel();
                    let _ = sender.send(black_box(number));
                    let _ = black_box(receiver.await);
                }
            }

            pub(super) async fn bounded(count: u64) {
                let (sender, mut receiver) = mpsc::channel(8);
                for number in 0..count {
                    let _ = sender.send(black_box(number)).await;
                    black_box(receiver.recv().await);
                }
            }

            pub(super) async fn tried(count: u64) {
                let (sender, mut receiver) = mpsc::channel(8);
                for number in 0..count {
                    let _ = sender.try_send(black_box(number));
                    let _ = black_box(receiver.try_recv());
                }
            }

            pub(super) async fn carrying(count: u64) {
                let (sender, mut receiver) = mpsc::channel(8);
                for _ in 0..count {
                    let _ = sender.try_send(black_box(String::new()));
                    let _ = black_box(receiver.try_recv());
                }
            }

            pub(super) async fn watched(count: u64) {
                let (sender, receiver) = watch::channel(0);
                for number in 0..count {
                    let _ = sender.send(black_box(number));
                    black_box(*receiver.borrow());
                }
            }

            pub(super) async fn broadcast(count: u64) {
                let (sender, mut receiver) = broadcast::channel(8);
                for number in 0..count {
                    let _ = sender.send(black_box(number));
                    let _ = black_box(receiver.recv().await);
                }
            }

            pub(super) async fn unbounded(count: u64) {
                let (sender, mut receiver) = mpsc::unbounded_channel();
                for number in 0..count {
                    let _ = sender.send(black_box(number));
                    black_box(receiver.recv().await);
                }
            }
        }
    };
}

measured!(own, ::tokio);
measured!(ours, crate::wrapped);

/// Measures awaiting the handles of finished tasks. The time of their spawns is not included.
macro_rules! joined {
    ($tokio:path, $count:ident) => {{
        use $tokio as library;
        let mut spent = Duration::ZERO;
        let mut left = $count;
        while left != 0 {
            let batch = left.min(1000);
            left -= batch;
            let mut handles = Vec::new();
            for number in 0..batch {
                handles.push(library::spawn(async move { number }));
            }
            for handle in &handles {
                while !handle.is_finished() {
                    ::tokio::task::yield_now().await;
                }
            }
            let start = Instant::now();
            for handle in &mut handles {
                let _ = std::hint::black_box(handle.await);
            }
            spent += start.elapsed();
        }
        spent
    }};
}

async fn timed(measured: impl Future<Output = ()>) -> Duration {
    let start = Instant::now();
    measured.await;
    start.elapsed()
}

/// Runs a future as a task without a cooperative budget, so that it never yields.
fn run(future: impl Future<Output = Duration> + Send + 'static) -> Duration {
    let runtime = wrapped::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(async { wrapped::spawn(::tokio::task::unconstrained(future)).await.expect("no panic") })
}

type Measured = fn(u64) -> Duration;

const BENCHMARKS: [(&str, Measured, Measured); 8] = [
    ("oneshot", |n| run(timed(own::single(n))), |n| run(timed(ours::single(n)))),
    ("mpsc send recv", |n| run(timed(own::bounded(n))), |n| run(timed(ours::bounded(n)))),
    ("mpsc try_send try_recv", |n| run(timed(own::tried(n))), |n| run(timed(ours::tried(n)))),
    ("mpsc carrying", |n| run(timed(own::carrying(n))), |n| run(timed(ours::carrying(n)))),
    ("mpsc unbounded", |n| run(timed(own::unbounded(n))), |n| run(timed(ours::unbounded(n)))),
    ("watch send borrow", |n| run(timed(own::watched(n))), |n| run(timed(ours::watched(n)))),
    ("broadcast send recv", |n| run(timed(own::broadcast(n))), |n| run(timed(ours::broadcast(n)))),
    ("join", |n| run(async move { joined!(::tokio, n) }), |n| run(async move { joined!(crate::wrapped, n) })),
];

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("channels");
    // Many samples of a millisecond each, so that some of them are undisturbed.
    group.sampling_mode(SamplingMode::Flat).sample_size(1000);
    group.warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
    for (name, own, ours) in BENCHMARKS {
        group.bench_function(format!("tokio {name}"), |bencher| bencher.iter_custom(own));
        group.bench_function(format!("ours {name}"), |bencher| bencher.iter_custom(ours));
    }
    group.finish();
    println!("\n{:<24} {:>10} {:>10} {:>10}", "ns", "tokio", "wrapped", "more");
    for (name, ..) in BENCHMARKS {
        if let (Some(own), Some(ours)) = (least(&format!("tokio {name}")), least(&format!("ours {name}"))) {
            println!("{name:<24} {own:>10.1} {ours:>10.1} {:>10.1}", ours - own);
        }
    }
}

/// The shortest time per iteration, in ns, of the samples that criterion wrote; `None` if it wrote
/// none.
fn least(name: &str) -> Option<f64> {
    let target = std::env::var("CARGO_TARGET_DIR")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../target").to_owned());
    let json = fs::read_to_string(format!("{target}/criterion/channels/{name}/new/sample.json")).ok()?;
    let numbers = |field: &str| -> Option<Vec<f64>> {
        let (_, list) = json.split_once(&format!("\"{field}\":["))?;
        list.split(']').next()?.split(',').map(|number| number.trim().parse().ok()).collect()
    };
    let turns = numbers("times")?.into_iter().zip(numbers("iters")?).map(|(time, count)| time / count);
    turns.reduce(f64::min)
}
