//! Cost of the recorded locks of `diagnose::tokio` over tokio's own.
//!
//! ```text
//! cargo bench -p diagnose --features tokio --bench locks
//! ```
//! Read the table at the end: medians of this run in ns, and their difference. Each line is one
//! operation that need not wait, such as an acquisition and its release. It runs inside the poll of
//! a task, as in a program.
//!
//! The lines before the table are for a contended lock: the time of one handover in ns, with
//! tokio's own lock and with each setting of `Wakers`.

#[path = "support/medians.rs"]
mod medians;

use std::future::Future;
use std::hint::black_box;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::{Duration, Instant};

use criterion::Criterion;
use diagnose::{Wakers, diagnose};
use medians::median;

/// Defines the benchmarks, once for tokio's own primitives and once for the recorded ones.
macro_rules! measured {
    ($module:ident, $sync:path) => {
        mod $module {
            use super::*;
            use $sync as sync;

            pub(crate) fn lock(count: u64) {
                let lock = sync::Mutex::new(0_u64);
                run(async {
                    for _ in 0..count {
                        *black_box(&lock).lock().await += 1;
                    }
                });
            }

            pub(crate) fn lock_owned(count: u64) {
                let lock = Arc::new(sync::Mutex::new(0_u64));
                run(async {
                    for _ in 0..count {
                        *Arc::clone(black_box(&lock)).lock_owned().await += 1;
                    }
                });
            }

            pub(crate) fn try_lock(count: u64) {
                let lock = sync::Mutex::new(0_u64);
                run(async {
                    for _ in 0..count {
                        *black_box(&lock).try_lock().unwrap() += 1;
                    }
                });
            }

            pub(crate) fn read(count: u64) {
                let lock = sync::RwLock::new(0_u64);
                run(async {
                    for _ in 0..count {
                        black_box(*black_box(&lock).read().await);
                    }
                });
            }

            pub(crate) fn write(count: u64) {
                let lock = sync::RwLock::new(0_u64);
                run(async {
                    for _ in 0..count {
                        *black_box(&lock).write().await += 1;
                    }
                });
            }

            pub(crate) fn acquire(count: u64) {
                let semaphore = sync::Semaphore::new(2);
                run(async {
                    for _ in 0..count {
                        drop(black_box(black_box(&semaphore).acquire().await.unwrap()));
                    }
                });
            }

            pub(crate) fn get_or_init(count: u64) {
                let cell = sync::OnceCell::const_new_with(1_u64);
                run(async {
                    for _ in 0..count {
                        black_box(black_box(&cell).get_or_init(|| async { 2 }).await);
                    }
                });
            }

            pub(crate) fn notify(count: u64) {
                let notify = sync::Notify::new();
                run(async {
                    for _ in 0..count {
                        black_box(&notify).notify_one();
                        notify.notified().await;
                    }
                });
            }
        }
    };
}
measured!(original, ::tokio::sync);
measured!(recorded, diagnose::tokio::sync);

/// Runs a future that does not wait, inside a span.
fn run(future: impl Future<Output = ()>) {
    #[diagnose]
    async fn task(future: impl Future<Output = ()>) {
        future.await;
    }
    let mut future = pin!(task(future));
    assert!(future.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready());
}

type Measured = fn(u64);

/// The lines of the table: name, function that uses tokio's own primitive, and function that uses
/// the recorded one.
const BENCHMARKS: [(&str, Measured, Measured); 8] = [
    ("lock", original::lock, recorded::lock),
    ("lock_owned", original::lock_owned, recorded::lock_owned),
    ("try_lock", original::try_lock, recorded::try_lock),
    ("read", original::read, recorded::read),
    ("write", original::write, recorded::write),
    ("acquire", original::acquire, recorded::acquire),
    ("get_or_init, done", original::get_or_init, recorded::get_or_init),
    ("notify_one, notified", original::notify, recorded::notify),
];

/// Two tasks hand a lock to each other, so that every acquisition but the first has to wait.
macro_rules! handed_over {
    ($($tokio:tt)+) => {{
        use $($tokio)+ as library;
        fn measured(count: u64) {
            let runtime = ::tokio::runtime::Builder::new_current_thread().build().expect("it starts");
            let lock = Arc::new(library::sync::Mutex::new(0_u64));
            runtime.block_on(async {
                let turns = |lock: Arc<library::sync::Mutex<u64>>| async move {
                    for _ in 0..count {
                        let mut guard = lock.lock().await;
                        *guard += 1;
                        ::tokio::task::yield_now().await;
                    }
                };
                let tasks = [(); 2].map(|()| library::spawn(turns(Arc::clone(&lock))));
                for task in tasks {
                    task.await.expect("no panic");
                }
            });
        }
        measured
    }};
}

/// Measures each setting of `Wakers` on a contended lock, and prints the medians.
fn handed_over(criterion: &mut Criterion) {
    let measured: [(&str, Option<Wakers>, Measured); 4] = [
        ("handed over, original", None, handed_over!(::tokio)),
        ("handed over, wakers off", Some(Wakers::Off), handed_over!(diagnose::tokio)),
        ("handed over, wakers of tasks", Some(Wakers::Tasks), handed_over!(diagnose::tokio)),
        ("handed over, wakers of all", Some(Wakers::All), handed_over!(diagnose::tokio)),
    ];
    for (name, wakers, measured) in measured {
        if let Some(wakers) = wakers {
            diagnose::Builder::new().signal(None).wakers(wakers).reinstall().unwrap();
        }
        criterion.bench_function(name, |bencher| {
            bencher.iter_custom(|count| {
                let start = Instant::now();
                measured(count);
                start.elapsed() / 2
            });
        });
    }
    println!();
    for (name, ..) in measured {
        if let Some(median) = median(name) {
            println!("{name:<30} {median:>9.1}");
        }
    }
}

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .configure_from_args();
    for (name, original, recorded) in BENCHMARKS {
        for (kind, measured) in [("original", original), ("recorded", recorded)] {
            criterion.bench_function(&format!("{name} {kind}"), |bencher| {
                bencher.iter_custom(|count| {
                    let start = Instant::now();
                    measured(count);
                    start.elapsed()
                });
            });
        }
    }
    handed_over(&mut criterion);
    criterion.final_summary();
    println!("\n{:<22} {:>9} {:>9} {:>11}", "ns", "original", "recorded", "difference");
    for (name, ..) in BENCHMARKS {
        let medians = (median(&format!("{name} original")), median(&format!("{name} recorded")));
        // A run that only tests the benchmarks writes no medians.
        if let (Some(original), Some(recorded)) = medians {
            println!("{name:<22} {original:>9.1} {recorded:>9.1} {:>11.1}", recorded - original);
        }
    }
}
