//! Cost of the recorded locks of std, async-lock and `parking_lot` over the originals, when free.
//!
//! ```text
//! cargo bench -p diagnose --bench others --features async-lock,parking-lot
//! ```
//! Each line is one lock and unlock with one access in between: the original's time, the wrapper's,
//! and the difference, in ns. They run inside a span, as in a task, except `std Mutex outside`.
//! Absolute numbers depend on the machine; the difference must stay below 15 ns.

#[path = "support/medians.rs"]
mod medians;

use std::future::Future;
use std::hint::black_box;
use std::pin::pin;
use std::task::{Context, Waker};
use std::time::{Duration, Instant};

use criterion::Criterion;
use diagnose::diagnose;
use medians::median;

/// Polls a future once, which must be enough.
fn run(future: impl Future<Output = ()>) {
    let mut future = pin!(future);
    assert!(future.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready());
}

/// Awaits a future inside a span.
#[diagnose]
async fn inside(future: impl Future<Output = ()>) {
    future.await;
}

/// Defines two functions that lock, access the value and unlock, `count` times.
macro_rules! measured {
    ($name:ident, $($path:ident)::+, $new:expr, |$lock:ident| $access:expr) => {
        mod $name {
            use super::*;

            pub(super) fn original(count: u64) {
                use ::$($path)::+ as library;
                let $lock = { use library::*; black_box($new) };
                run(inside(async { for _ in 0..count { $access; } }));
            }

            pub(super) fn wrapped(count: u64) {
                use ::diagnose::$($path)::+ as library;
                let $lock = { use library::*; black_box($new) };
                run(inside(async { for _ in 0..count { $access; } }));
            }
        }
    };
}

measured!(async_mutex, async_lock, Mutex::new(1_u64), |it| *it.lock().await += 1);
measured!(async_try, async_lock, Mutex::new(1_u64), |it| *it.try_lock().unwrap() += 1);
measured!(async_arc, async_lock, ::std::sync::Arc::new(Mutex::new(1_u64)), |it| *it.lock_arc().await += 1);
measured!(async_read, async_lock, RwLock::new(1_u64), |it| black_box(*it.read().await));
measured!(async_write, async_lock, RwLock::new(1_u64), |it| *it.write().await += 1);
measured!(async_semaphore, async_lock, Semaphore::new(1), |it| black_box(it.acquire().await));
measured!(std_mutex, std::sync, Mutex::new(1_u64), |it| *it.lock().unwrap() += 1);
measured!(std_read, std::sync, RwLock::new(1_u64), |it| black_box(*it.read().unwrap()));
measured!(std_write, std::sync, RwLock::new(1_u64), |it| *it.write().unwrap() += 1);
measured!(parking_mutex, parking_lot, Mutex::new(1_u64), |it| *it.lock() += 1);
measured!(parking_read, parking_lot, RwLock::new(1_u64), |it| black_box(*it.read()));
measured!(parking_write, parking_lot, RwLock::new(1_u64), |it| *it.write() += 1);

/// On a thread that runs no task.
mod outside {
    use super::black_box;

    pub(super) fn original(count: u64) {
        let mutex = black_box(std::sync::Mutex::new(1_u64));
        for _ in 0..count {
            *mutex.lock().unwrap() += 1;
        }
    }

    pub(super) fn wrapped(count: u64) {
        let mutex = black_box(diagnose::std::sync::Mutex::new(1_u64));
        for _ in 0..count {
            *mutex.lock().unwrap() += 1;
        }
    }
}

type Measured = fn(u64);

const BENCHMARKS: [(&str, Measured, Measured); 13] = [
    ("async_lock Mutex", async_mutex::original, async_mutex::wrapped),
    ("async_lock Mutex try", async_try::original, async_try::wrapped),
    ("async_lock Mutex arc", async_arc::original, async_arc::wrapped),
    ("async_lock RwLock read", async_read::original, async_read::wrapped),
    ("async_lock RwLock write", async_write::original, async_write::wrapped),
    ("async_lock Semaphore", async_semaphore::original, async_semaphore::wrapped),
    ("std Mutex", std_mutex::original, std_mutex::wrapped),
    ("std RwLock read", std_read::original, std_read::wrapped),
    ("std RwLock write", std_write::original, std_write::wrapped),
    ("parking_lot Mutex", parking_mutex::original, parking_mutex::wrapped),
    ("parking_lot RwLock read", parking_read::original, parking_read::wrapped),
    ("parking_lot RwLock write", parking_write::original, parking_write::wrapped),
    ("std Mutex outside", outside::original, outside::wrapped),
];

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .configure_from_args();
    for (name, original, wrapped) in BENCHMARKS {
        for (kind, measured) in [("original", original), ("wrapped", wrapped)] {
            criterion.bench_function(&format!("{name} {kind}"), |bencher| {
                bencher.iter_custom(|count| {
                    let start = Instant::now();
                    measured(count);
                    start.elapsed()
                });
            });
        }
    }
    criterion.final_summary();
    print_differences();
}

/// Prints the table of this run from the medians that criterion wrote. A run that only tests the
/// benchmarks writes none, and the table is empty.
fn print_differences() {
    println!("\n{:<26} {:>10} {:>10} {:>10}", "ns", "original", "wrapped", "more");
    for (name, ..) in BENCHMARKS {
        let medians = (median(&format!("{name} original")), median(&format!("{name} wrapped")));
        if let (Some(original), Some(wrapped)) = medians {
            println!("{name:<26} {original:>10.2} {wrapped:>10.2} {:>10.2}", wrapped - original);
        }
    }
}
