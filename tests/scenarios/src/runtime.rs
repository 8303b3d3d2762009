//! Four runtimes, one at a time, with the timers and spawns of the current one.

use std::cell::RefCell;
use std::future::Future;
use std::sync::atomic::{AtomicU8, Ordering::SeqCst};
use std::time::{Duration, Instant};

use futures::FutureExt as _;
use futures::executor::{LocalPool, LocalSpawner};
use futures::future::BoxFuture;
use futures::task::LocalSpawnExt as _;

/// A runtime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runtime {
    /// tokio's current-thread runtime.
    TokioCurrent,
    /// tokio with two workers.
    TokioMulti,
    /// The executor of futures, with smol's timers.
    LocalPool,
    /// An executor of smol, run by its `block_on`.
    Smol,
}

/// All runtimes.
pub const ALL: [Runtime; 4] = [Runtime::TokioCurrent, Runtime::TokioMulti, Runtime::LocalPool, Runtime::Smol];

static RUNS: AtomicU8 = AtomicU8::new(0);
static EXECUTOR: smol::Executor<'static> = smol::Executor::new();

thread_local! {
    static SPAWNER: RefCell<Option<LocalSpawner>> = const { RefCell::new(None) };
}

/// Returns the current runtime.
///
/// # Panics
/// If none is running.
#[must_use]
pub fn current() -> Runtime {
    ALL[usize::from(RUNS.load(SeqCst))]
}

/// Returns `true` if the current runtime is tokio.
#[must_use]
pub fn is_tokio() -> bool {
    matches!(current(), Runtime::TokioCurrent | Runtime::TokioMulti)
}

impl Runtime {
    /// Runs a future to completion on this runtime, and drops the tasks that it spawned.
    ///
    /// # Panics
    /// If the runtime cannot be created.
    pub fn run<T>(self, future: impl Future<Output = T>) -> T {
        RUNS.store(self as u8, SeqCst);
        match self {
            Self::TokioCurrent => tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime")
                .block_on(future),
            Self::TokioMulti => tokio_with_workers(2).block_on(future),
            Self::LocalPool => {
                let mut pool = LocalPool::new();
                SPAWNER.set(Some(pool.spawner()));
                let value = pool.run_until(future);
                SPAWNER.set(None);
                value
            }
            Self::Smol => smol::block_on(EXECUTOR.run(future)),
        }
    }
}

/// Creates a tokio runtime with this number of workers.
///
/// # Panics
/// If it cannot be created.
#[must_use]
pub fn tokio_with_workers(workers: usize) -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(workers)
        .enable_all()
        .build()
        .expect("a runtime")
}

/// Runs a future on the current thread with tokio's clock paused: it advances only when every task
/// waits. Sleeps end in the order of their deadlines.
///
/// # Panics
/// If the runtime cannot be created.
pub fn run_paused<T>(future: impl Future<Output = T>) -> T {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().start_paused(true).build().expect("a runtime").block_on(future)
}

/// Blocks the current thread until `is_so` returns `true`.
///
/// # Panics
/// If it does not within a minute.
#[track_caller]
pub fn until(is_so: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < end, "not within a minute\n{}", diagnose::tree());
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Sleeps for `ms` milliseconds.
pub async fn sleep(ms: u64) {
    let time = Duration::from_millis(ms);
    if is_tokio() {
        tokio::time::sleep(time).await;
    } else {
        smol::Timer::after(time).await;
    }
}

/// Spawns a future, and returns a future of its output.
///
/// # Panics
/// If no runtime is running.
pub fn spawn<T: Send + 'static>(future: impl Future<Output = T> + Send + 'static) -> BoxFuture<'static, T> {
    match current() {
        Runtime::TokioCurrent | Runtime::TokioMulti => {
            tokio::spawn(future).map(|result| result.expect("no panic")).boxed()
        }
        Runtime::LocalPool => {
            let spawner = SPAWNER.with_borrow(Clone::clone).expect("it runs");
            spawner.spawn_local_with_handle(future).expect("it runs").boxed()
        }
        Runtime::Smol => EXECUTOR.spawn(future).boxed(),
    }
}
