//! `async_std::task`: what spawns makes tasks that are listed; the rest is async-std's own.

use std::future::Future;
use std::io;
use std::panic::Location;

pub use ::async_std::task::*;

use crate::live::SpawnRuntime;
use crate::number::shown;
use crate::spawned::{self, Numbered, launch};

/// `async_std::task::spawn`; the task is listed under the name of the future's function, with the place of this call.
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

/// `async_std::task::spawn_local`; the task is listed as those of [`spawn`] are.
///
/// # Panics
/// If async-std is without its feature `unstable`, with which only it has this function.
#[track_caller]
pub fn spawn_local<F, T>(future: F) -> JoinHandle<T>
where
    F: Future<Output = T> + 'static,
    T: 'static,
{
    Builder::new().local(future).expect("async-std spawns with its feature `unstable`")
}

/// `async_std::task::spawn_blocking`; the closure is listed as a task, from now until it returns.
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

/// `async_std::task::block_on`; the future is the task `main`.
#[track_caller]
pub fn block_on<F, T>(future: F) -> T
where
    F: Future<Output = T>,
{
    launch!(SpawnRuntime::AsyncStd, Some("main"), future: F, |task, _| ::async_std::task::block_on(task))
}

/// async-std's `Builder`; what it spawns is listed, under its name if it has one.
#[derive(Debug, Default)]
pub struct Builder {
    builder: ::async_std::task::Builder,
    name: Option<String>,
}

impl Builder {
    /// A builder without a name.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Names the task.
    #[must_use]
    pub fn name(self, name: String) -> Self {
        Self { name: Some(name.clone()), builder: self.builder.name(name) }
    }

    /// Spawns a task.
    ///
    /// # Errors
    /// Those of async-std.
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

    /// Spawns a task on this thread.
    ///
    /// # Errors
    /// Those of async-std.
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

    /// Runs a future on this thread, as the task of that name, else as `main`.
    #[track_caller]
    pub fn blocking<F, T>(self, future: F) -> T
    where
        F: Future<Output = T>,
    {
        let name = self.name.as_deref().or(Some("main"));
        launch!(SpawnRuntime::AsyncStd, name, future: F, |task, _| self.builder.blocking(task))
    }
}

fn numbered<T>(number: Numbered, task: JoinHandle<T>) -> JoinHandle<T> {
    if let Some(id) = shown(task.task().id()) {
        number.set_runtime_id(id);
    }
    task
}

/// What async-std has only with its feature `unstable`, which nothing tells here. Its own methods go before those of a
/// trait; if it lacks one, a program that calls it does not compile without this crate.
#[allow(dead_code)]
trait Lacking: Sized {
    fn local<F, T>(self, _: F) -> io::Result<JoinHandle<T>> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "async-std has this with its feature `unstable` only"))
    }
}

impl Lacking for ::async_std::task::Builder {}
