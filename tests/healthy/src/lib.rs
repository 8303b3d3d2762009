//! Healthy services under load: each wait resolves itself, and some last longer than the watchdog's
//! threshold. Parts of each service are not annotated and not on record, as in any program with
//! dependencies.
//!
//! Before a release, run each for ten minutes on an otherwise idle machine:
//!
//! ```text
//! cargo run --release -p diagnose-healthy-tests -- server 600
//! cargo run --release -p diagnose-healthy-tests -- actors 600
//! cargo run --release -p diagnose-healthy-tests -- pipeline 600
//! cargo run --release -p diagnose-healthy-tests -- idioms 600
//! cargo run --release -p diagnose-healthy-tests -- alone 600
//! ```
//! Each prints the work done, the watchdog's alarms, and the proven and likely verdicts of its
//! snapshots. It fails if there is any alarm or verdict.

mod actors;
mod alone;
mod idioms;
mod pipeline;
mod server;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// The end signal of a service, and the count of its work.
#[derive(Debug, Default)]
pub struct Load {
    is_over: AtomicBool,
    done: AtomicU64,
}

impl Load {
    /// Stops new work.
    pub fn end(&self) {
        self.is_over.store(true, Relaxed);
    }

    /// The number of requests, messages or batches done.
    pub fn done(&self) -> u64 {
        self.done.load(Relaxed)
    }

    fn goes_on(&self) -> bool {
        !self.is_over.load(Relaxed)
    }

    fn count(&self) -> u64 {
        self.done.fetch_add(1, Relaxed)
    }
}

/// A service that runs until it is told to end.
pub type Service = fn(Arc<Load>) -> Pin<Box<dyn Future<Output = ()> + Send>>;

/// The services, by name.
pub const SERVICES: [(&str, Service); 5] = [
    ("server", |load| Box::pin(server::run(load))),
    ("actors", |load| Box::pin(actors::run(load))),
    ("pipeline", |load| Box::pin(pipeline::run(load))),
    ("idioms", |load| Box::pin(idioms::run(load))),
    ("alone", |load| Box::pin(alone::run(load))),
];
