//! `async_std::task` with spawns that record their tasks; the rest is async-std's own.

use std::future::Future;
use std::io;
use std::panic::Location;

pub use ::async_std::task::*;

use crate::live::SpawnRuntime;
use crate::number::shown;
use crate::spawned::{self, RecordedTask, launch};

/// Spawns a task, as `async_std::task::spawn`. It is listed by its function and this place.
#[track_caller]
pub fn spawn<F, T>(future: F) -> JoinHandle<T>
where
    F: Future<Output = T> + Send + 'static,
    T: Send + 'static,
{
    launch!(SpawnRuntime::AsyncStd, None, future: F, |task, number| {
        numbered(number, ::async_std::task::spawn(task))
    })
}

/// Spawns a task on the current thread, listed as those of [`spawn`] are.
///
/// # Panics
/// If async-std lacks its feature `unstable`, which this function needs.
#[track_caller]
pub fn spawn_local<F, T>(future: F) -> JoinHandle<T>
where
    F: Future<Output = T> + 'static,
    T: 'static,
{
    Builder::new().local(future).expect("async-std spawns with its feature `unstable`")
}

/// Runs a closure on the blocking pool. It is listed as a task from this call until it returns.
#[track_caller]
pub fn spawn_blocking<F, T>(f: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    ::async_std::task::spawn_blocking(
        spawned::blocking(SpawnRuntime::AsyncStd.into(), Location::caller(), f).0,
    )
}

/// Runs a future on the current thread until it completes. It is listed as the task `main`.
#[track_caller]
pub fn block_on<F, T>(future: F) -> T
where
    F: Future<Output = T>,
{
    launch!(SpawnRuntime::AsyncStd, Some("main"), future: F, |task, _| {
        ::async_std::task::block_on(task)
    })
}

/// async-std's task `Builder`. Its tasks are listed, under their name if they have one.
#[derive(Debug, Default)]
pub struct Builder {
    builder: ::async_std::task::Builder,
    name: Option<String>,
}

impl Builder {
    /// Creates a builder without a name.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the name of the task.
    #[must_use]
    pub fn name(self, name: String) -> Self {
        Self { name: Some(name.clone()), builder: self.builder.name(name) }
    }

    /// Spawns a task.
    ///
    /// # Errors
    /// The errors of async-std's `Builder`.
    #[track_caller]
    pub fn spawn<F, T>(self, future: F) -> io::Result<JoinHandle<T>>
    where
        F: Future<Output = T> + Send + 'static,
        T: Send + 'static,
    {
        launch!(SpawnRuntime::AsyncStd, self.name.as_deref(), future: F, |task, number| {
            self.builder.spawn(task).map(|task| numbered(number, task))
        })
    }

    /// Spawns a task on the current thread.
    ///
    /// # Errors
    /// The errors of async-std's `Builder`.
    #[track_caller]
    pub fn local<F, T>(self, future: F) -> io::Result<JoinHandle<T>>
    where
        F: Future<Output = T> + 'static,
        T: 'static,
    {
        launch!(SpawnRuntime::AsyncStd, self.name.as_deref(), future: F, |task, number| {
            self.builder.local(task).map(|task| numbered(number, task))
        })
    }

    /// Runs a future on the current thread, as a task with the builder's name, or `main`.
    #[track_caller]
    pub fn blocking<F, T>(self, future: F) -> T
    where
        F: Future<Output = T>,
    {
        let name = self.name.as_deref().or(Some("main"));
        launch!(SpawnRuntime::AsyncStd, name, future: F, |task, _| self.builder.blocking(task))
    }
}

fn numbered<T>(number: RecordedTask, task: JoinHandle<T>) -> JoinHandle<T> {
    if let Some(id) = shown(task.task().id()) {
        number.set_runtime_id(id);
    }
    task
}

/// Stands in for methods that async-std has only with its feature `unstable`.
///
/// This crate cannot detect whether that feature is on. An inherent method takes precedence over a
/// trait's. A program that calls a missing method does not compile without this crate either.
#[allow(dead_code)]
trait Lacking: Sized {
    fn local<F, T>(self, _: F) -> io::Result<JoinHandle<T>> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "async-std has this with its feature `unstable` only"))
    }
}

impl Lacking for ::async_std::task::Builder {}
