//! Services that are healthy, and under load: each of their waits ends by itself, and some last for longer than the
//! watchdog is patient. In each, parts are not annotated and not on record, as in any program that has dependencies.
//!
//! Before a release, ten minutes of each, on a machine that is otherwise idle:
//!
//! ```text
//! cargo run --release -p diagnose-healthy-tests -- server 600
//! cargo run --release -p diagnose-healthy-tests -- actors 600
//! cargo run --release -p diagnose-healthy-tests -- pipeline 600
//! cargo run --release -p diagnose-healthy-tests -- idioms 600
//! ```
//! It prints how much was done, what the watchdog said, and what was proven or likely in a look, and fails if that is anything.

mod actors;
mod idioms;
mod pipeline;
mod server;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// What tells a service to end, and counts what it has done.
#[derive(Debug, Default)]
pub struct Load {
    is_over: AtomicBool,
    done: AtomicU64,
}

impl Load {
    /// From now on nothing new is begun.
    pub fn end(&self) {
        self.is_over.store(true, Relaxed);
    }

    /// How many requests, messages or batches are done.
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

/// A service under load, until that ends.
pub type Service = fn(Arc<Load>) -> Pin<Box<dyn Future<Output = ()> + Send>>;

/// All of them, by name.
pub const SERVICES: [(&str, Service); 4] = [
    ("server", |load| Box::pin(server::run(load))),
    ("actors", |load| Box::pin(actors::run(load))),
    ("pipeline", |load| Box::pin(pipeline::run(load))),
    ("idioms", |load| Box::pin(idioms::run(load))),
];
