//! A drop-in for smol that records its tasks.
//!
//! ```
//! use diagnose::smol;
//!
//! let answer = smol::block_on(async {
//!     let task = smol::spawn(async { 42 });
//! #   #[cfg(feature = "on")]
//!     println!("{}", diagnose::tree());
//!     task.await
//! });
//! assert_eq!(answer, 42);
//! ```
//! Everything of smol is re-exported. [`spawn`], [`unblock`] and [`block_on`] are wrapped; the
//! future of `block_on` is the task `main`. Record spawns on your own `Executor` with
//! [`spawn_with`](crate::spawn_with).
//!
//! With the feature `async-lock`, `lock` is [`async_lock`](crate::async_lock). With
//! `async-channel`, `channel` is [`async_channel`](crate::async_channel).
//!
//! Without the feature `on` this module is smol itself.

use std::future::Future;
use std::panic::Location;

pub use ::smol::*;

#[cfg(feature = "async-channel")]
pub use crate::async_channel as channel;
#[cfg(feature = "async-lock")]
pub use crate::async_lock as lock;

use crate::live::SpawnRuntime;
use crate::spawned::{self, launch};

/// Spawns a task, as `smol::spawn`. It is listed by its function and this place.
#[track_caller]
pub fn spawn<T: Send + 'static>(future: impl Future<Output = T> + Send + 'static) -> Task<T> {
    spawn_it(future)
}

#[track_caller]
fn spawn_it<F>(future: F) -> Task<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    launch!(SpawnRuntime::Smol, None, future: F, |task, _| ::smol::spawn(task))
}

/// Runs a closure on the blocking pool. It is listed as a task from this call until it returns.
#[track_caller]
pub fn unblock<T, F>(f: F) -> Task<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    ::smol::unblock(spawned::blocking(SpawnRuntime::Smol.into(), Location::caller(), f).0)
}

/// Runs a future on the current thread until it completes. It is listed as the task `main`.
#[track_caller]
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    block_on_it(future)
}

#[track_caller]
fn block_on_it<F: Future>(future: F) -> F::Output {
    launch!(SpawnRuntime::Smol, Some("main"), future: F, |task, _| {
        ::smol::block_on(task)
    })
}
