//! `tokio::runtime::Builder`, with recording hooks beside the program's own.

use std::io;
use std::ops::DerefMut;
use std::time::Duration;

use ::tokio::runtime::{LocalOptions, RuntimeFlavor};

use super::{LocalRuntime, Runtime, number};
use crate::live::{self, workers};
use crate::tokio::task::ids;
use crate::wrap::{debug, deref};

/// tokio's `Builder`. The runtime that it builds lists its tasks and worker threads.
///
/// The program's hooks run as usual, before or after the recorder's. A recorder's hook only stores
/// the state of its thread.
pub struct Builder {
    builder: ::tokio::runtime::Builder,
    /// Maximum number of threads for blocking code; `None` if unknown.
    max_blocking: Option<u64>,
}

/// tokio's default for the maximum number of threads for blocking code.
const MAX_BLOCKING: u64 = 512;

/// Declares methods that only pass their arguments on.
macro_rules! forward {
    ($($(#[$doc:meta])* $name:ident($($argument:ident: $type:ty),*);)*) => {$(
        $(#[$doc])*
        #[track_caller]
        pub fn $name(&mut self $(, $argument: $type)*) -> &mut Self {
            self.builder.$name($($argument),*);
            self
        }
    )*};
}

impl Builder {
    /// Creates a builder of a runtime that runs its tasks on the thread that calls `block_on`.
    #[must_use]
    pub fn new_current_thread() -> Self {
        Self { max_blocking: Some(MAX_BLOCKING), ..::tokio::runtime::Builder::new_current_thread().into() }
    }

    /// Creates a builder of a runtime with several worker threads.
    #[must_use]
    pub fn new_multi_thread() -> Self {
        Self { max_blocking: Some(MAX_BLOCKING), ..::tokio::runtime::Builder::new_multi_thread().into() }
    }

    forward! {
        /// Enables the I/O and time drivers.
        enable_all();
        /// Enables the I/O driver.
        enable_io();
        /// Enables the time driver.
        enable_time();
        /// Sets whether the clock starts paused, for tests.
        start_paused(start_paused: bool);
        /// Sets the number of worker threads.
        worker_threads(val: usize);
        /// Sets the name of all threads.
        thread_name(val: impl Into<String>);
        /// Sets the name of the runtime.
        name(val: impl Into<String>);
        /// Sets a function that returns the name of a new thread.
        thread_name_fn(f: impl Fn() -> String + Send + Sync + 'static);
        /// Sets the stack size of the threads, in bytes.
        thread_stack_size(val: usize);
        /// Sets the time after which an idle thread for blocking code ends.
        thread_keep_alive(duration: Duration);
        /// Sets the number of polls between checks of the global queue.
        global_queue_interval(val: u32);
        /// Sets the number of polls between checks of the drivers.
        event_interval(val: u32);
        /// Sets the maximum number of I/O events that are handled at once.
        max_io_events_per_tick(capacity: usize);
        /// Sets the maximum number of I/O events that are handled at once while tasks are ready.
        max_io_events_per_busy_tick(capacity: usize);
    }

    /// Sets the maximum number of threads for blocking code.
    #[track_caller]
    pub fn max_blocking_threads(&mut self, val: usize) -> &mut Self {
        self.builder.max_blocking_threads(val);
        self.max_blocking = Some(val as u64);
        self
    }

    /// Calls `f` on each new thread, including those for blocking code.
    pub fn on_thread_start<F>(&mut self, f: F) -> &mut Self
    where
        F: Fn() + Send + Sync + 'static,
    {
        self.builder.on_thread_start(move || {
            workers::started(live::SpawnRuntime::Tokio, number::begin_thread());
            f();
        });
        self
    }

    /// Calls `f` on each thread before it ends, including those for blocking code.
    pub fn on_thread_stop<F>(&mut self, f: F) -> &mut Self
    where
        F: Fn() + Send + Sync + 'static,
    {
        self.builder.on_thread_stop(move || {
            f();
            workers::stopped();
        });
        self
    }

    /// Calls `f` on a worker thread before it parks.
    pub fn on_thread_park<F>(&mut self, f: F) -> &mut Self
    where
        F: Fn() + Send + Sync + 'static,
    {
        self.builder.on_thread_park(move || {
            f();
            workers::parked(live::SpawnRuntime::Tokio, number::current);
        });
        self
    }

    /// Calls `f` on a worker thread after it was parked.
    pub fn on_thread_unpark<F>(&mut self, f: F) -> &mut Self
    where
        F: Fn() + Send + Sync + 'static,
    {
        self.builder.on_thread_unpark(move || {
            workers::unparked();
            f();
        });
        self
    }

    /// Builds the runtime.
    ///
    /// # Errors
    /// If the system does not provide the resources for its drivers or threads.
    #[track_caller]
    pub fn build(&mut self) -> io::Result<Runtime> {
        // A runtime for one thread has no worker thread.
        let workers = |runtime: &::tokio::runtime::Runtime| match runtime.handle().runtime_flavor() {
            RuntimeFlavor::MultiThread => runtime.metrics().num_workers() as u64,
            _ => 0,
        };
        let runtime = ids::count_workers(|| self.builder.build(), workers)?;
        Ok(Runtime::built(runtime, self.max_blocking))
    }

    /// Builds a runtime for one thread, which can spawn futures that are not `Send`.
    ///
    /// # Errors
    /// If the system does not provide the resources for its drivers.
    #[track_caller]
    pub fn build_local(&mut self, options: LocalOptions) -> io::Result<LocalRuntime> {
        Ok(LocalRuntime::built(self.builder.build_local(options)?, self.max_blocking))
    }

    /// Returns tokio's own builder, with the hooks set.
    ///
    /// With the feature `on` only; `.into()` works without it, too.
    #[must_use]
    pub fn into_inner(self) -> ::tokio::runtime::Builder {
        self.builder
    }
}

/// The recorder's hooks replace the hooks of the given builder, which does not expose its own.
impl From<::tokio::runtime::Builder> for Builder {
    fn from(mut builder: ::tokio::runtime::Builder) -> Self {
        builder.on_thread_start(|| workers::started(live::SpawnRuntime::Tokio, number::begin_thread()));
        builder.on_thread_stop(workers::stopped);
        builder.on_thread_park(|| workers::parked(live::SpawnRuntime::Tokio, number::current));
        builder.on_thread_unpark(workers::unparked);
        #[cfg(all(feature = "tokio-hooks", tokio_unstable))]
        crate::tokio::hooks::install(&mut builder);
        Self { builder, max_blocking: None }
    }
}

impl From<Builder> for ::tokio::runtime::Builder {
    fn from(builder: Builder) -> Self {
        builder.into_inner()
    }
}

debug!([] Builder, builder: ::tokio::runtime::Builder);

// Provides the methods that exist only with `--cfg tokio_unstable`.
deref!([] Builder, builder: ::tokio::runtime::Builder);

impl DerefMut for Builder {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.builder
    }
}

/// Stand-ins for methods that tokio's builder has with certain tokio features only. This crate
/// cannot detect these features. tokio's inherent methods take precedence over a trait's. If tokio
/// lacks one, a program that calls it does not compile without this crate, either.
#[allow(dead_code)]
trait Lacking: Sized {
    fn enable_io(&mut self) -> &mut Self {
        lacks("net")
    }

    fn enable_time(&mut self) -> &mut Self {
        lacks("time")
    }

    fn start_paused(&mut self, _: bool) -> &mut Self {
        lacks("test-util")
    }

    fn max_io_events_per_tick(&mut self, _: usize) -> &mut Self {
        lacks("net")
    }

    fn max_io_events_per_busy_tick(&mut self, _: usize) -> &mut Self {
        lacks("net")
    }
}

impl Lacking for ::tokio::runtime::Builder {}

#[allow(dead_code)]
fn lacks(feature: &str) -> ! {
    panic!("tokio has this with its feature `{feature}` only")
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::{Duration, Instant};

    use super::Builder;
    use crate::live::workers::{ListedWorker, all_workers};

    fn named(name: &str) -> Vec<ListedWorker> {
        all_workers().into_iter().filter(|worker| worker.name == name).collect()
    }

    #[test]
    fn workers_are_listed_from_their_first_park_to_their_end() {
        let runtime = Builder::new_multi_thread().worker_threads(2).thread_name("listed").build().unwrap();
        runtime.block_on(runtime.spawn_blocking(|| ())).unwrap();
        let start = Instant::now();
        while named("listed").len() < 2 {
            assert!(start.elapsed() < Duration::from_secs(60), "{:?}", named("listed"));
            thread::yield_now();
        }
        runtime.block_on(runtime.spawn(async { crate::tokio::task::block_in_place(|| ()) })).unwrap();
        drop(runtime);
        assert!(named("listed").is_empty(), "{:?}", named("listed"));
    }

    #[test]
    fn a_thread_that_blocks_on_a_runtime_is_its_worker_meanwhile() {
        let test = || {
            let runtime = Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                tokio::time::sleep(Duration::from_millis(1)).await;
                assert_eq!(named("blocks").len(), 1);
            });
            assert!(named("blocks").is_empty());
        };
        thread::Builder::new().name("blocks".to_owned()).spawn(test).unwrap().join().unwrap();
    }
}
