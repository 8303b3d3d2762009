//! `tokio::runtime::Builder`, with hooks of its own beside the program's.

use std::io;
use std::ops::DerefMut;
use std::time::Duration;

use ::tokio::runtime::LocalOptions;

use super::{LocalRuntime, Runtime, number};
use crate::live::{self, workers};
use crate::wrap::{debug, deref};

/// tokio's `Builder`: the runtime that it builds lists its tasks and worker threads.
///
/// The hooks of the program run as they would without this, each beside the recorder's own, which only stores what the
/// thread is doing.
pub struct Builder {
    builder: ::tokio::runtime::Builder,
    /// How many threads for blocking code there may be; `None` if that is not known.
    max_blocking: Option<u64>,
}

/// The default maximum number of threads for blocking code.
const MAX_BLOCKING: u64 = 512;

/// Methods that only pass their arguments on.
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
    /// For a runtime whose tasks run on the thread that calls `block_on`.
    #[must_use]
    pub fn new_current_thread() -> Self {
        Self { max_blocking: Some(MAX_BLOCKING), ..::tokio::runtime::Builder::new_current_thread().into() }
    }

    /// For a runtime with several worker threads.
    #[must_use]
    pub fn new_multi_thread() -> Self {
        Self { max_blocking: Some(MAX_BLOCKING), ..::tokio::runtime::Builder::new_multi_thread().into() }
    }

    forward! {
        /// Enables the drivers for I/O and time.
        enable_all();
        /// Enables the driver for I/O.
        enable_io();
        /// Enables the driver for time.
        enable_time();
        /// Starts with the clock paused, for tests.
        start_paused(start_paused: bool);
        /// How many worker threads there are.
        worker_threads(val: usize);
        /// The name of all threads.
        thread_name(val: impl Into<String>);
        /// The name of the runtime.
        name(val: impl Into<String>);
        /// What names a new thread.
        thread_name_fn(f: impl Fn() -> String + Send + Sync + 'static);
        /// The size of a thread's stack.
        thread_stack_size(val: usize);
        /// How long a thread for blocking code waits for more of it.
        thread_keep_alive(duration: Duration);
        /// After how many polls the global queue is looked at.
        global_queue_interval(val: u32);
        /// After how many polls the drivers are looked at.
        event_interval(val: u32);
        /// How many events of I/O are taken at once.
        max_io_events_per_tick(capacity: usize);
        /// How many are taken at once while there are tasks to run.
        max_io_events_per_busy_tick(capacity: usize);
    }

    /// How many threads for blocking code there may be.
    #[track_caller]
    pub fn max_blocking_threads(&mut self, val: usize) -> &mut Self {
        self.builder.max_blocking_threads(val);
        self.max_blocking = Some(val as u64);
        self
    }

    /// What runs on a new thread, also on one for blocking code.
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

    /// What runs on a thread before it ends, also on one for blocking code.
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

    /// What runs on a worker thread before it parks.
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

    /// What runs on a worker thread after it was parked.
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
    /// If the system does not give what its drivers or threads need.
    #[track_caller]
    pub fn build(&mut self) -> io::Result<Runtime> {
        Ok(Runtime::built(self.builder.build()?, self.max_blocking))
    }

    /// Builds a runtime for one thread, which may spawn what is not `Send`.
    ///
    /// # Errors
    /// If the system does not give what its drivers need.
    #[track_caller]
    pub fn build_local(&mut self, options: LocalOptions) -> io::Result<LocalRuntime> {
        Ok(LocalRuntime::built(self.builder.build_local(options)?, self.max_blocking))
    }

    /// tokio's own builder, with the hooks in it.
    #[must_use]
    pub fn into_inner(self) -> ::tokio::runtime::Builder {
        self.builder
    }
}

/// The hooks take the place of any that the builder has: it does not tell them.
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

// For what is there with `--cfg tokio_unstable` only.
deref!([] Builder, builder: ::tokio::runtime::Builder);

impl DerefMut for Builder {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.builder
    }
}

/// What tokio's builder has only with some of tokio's features, which nothing tells here. Its own methods go before
/// those of a trait; if it lacks one, a program that calls it does not compile without this crate.
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
