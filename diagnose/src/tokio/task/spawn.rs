//! The functions that spawn, and the helpers that the wrappers use to spawn.

use std::future::{Future, poll_fn};
use std::panic::Location;
use std::task::Poll;

use ::tokio::task::Id;

use super::JoinHandle;
use super::id_number::IdNumbers;
use crate::label::Label;
use crate::live::{self, SpawnTarget};
use crate::named::call_site_at;
use crate::recorder::Frame;
use crate::spawned::{self, RecordedTask, launch};
use crate::tokio::runtime::number;

/// Spawns a task. It is listed by the name of the future's function, with the place of this call.
#[track_caller]
pub fn spawn<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    launch!(number::here(), None, future: F, |task, number| {
        JoinHandle::new(::tokio::task::spawn(task), number)
    })
}

/// Spawns a task, which need not be `Send`, on the current `LocalSet`. Listed as in [`spawn`].
#[track_caller]
pub fn spawn_local<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + 'static,
    F::Output: 'static,
{
    launch!(number::local(), None, future: F, |task, number| {
        JoinHandle::new(::tokio::task::spawn_local(task), number)
    })
}

/// Runs a closure on a thread for blocking code. It is listed as a task until it returns.
#[track_caller]
pub fn spawn_blocking<F, R>(f: F) -> JoinHandle<R>
where
    F: FnOnce() -> R + Send + 'static,
    R: Send + 'static,
{
    let at = Location::caller();
    let (work, number) = blocking(number::here(), at, f);
    JoinHandle::new(::tokio::task::spawn_blocking(work), number)
}

/// Yields to the runtime. Recorded as a wake of the task by itself: tokio wakes it after the poll,
/// when no task is running.
pub async fn yield_now() {
    poll_fn(|context| {
        live::current::note_yield(context.waker());
        Poll::Ready(())
    })
    .await;
    ::tokio::task::yield_now().await;
}

/// Runs a blocking closure without blocking the executor. Its time counts as its task's.
#[track_caller]
pub fn block_in_place<F, R>(f: F) -> R
where
    F: FnOnce() -> R,
{
    let location = Location::caller();
    ::tokio::task::block_in_place(move || {
        live::workers::replaced();
        let _frame = Frame::enter(call_site_at("block_in_place", location), Label::NONE);
        f()
    })
}

/// Wraps a closure as a task that is spawned on `target`.
pub(in crate::tokio) fn blocking<F, R>(
    target: SpawnTarget,
    location: &'static Location<'static>,
    f: F,
) -> (impl FnOnce() -> R + use<F, R>, RecordedTask)
where
    F: FnOnce() -> R,
{
    spawned::blocking(target, location, f)
}

/// The numbers in tokio's task ids.
static IDS: IdNumbers = IdNumbers::new();

/// Records tokio's id of the task.
pub(in crate::tokio) fn numbered<T: HasId>(number: RecordedTask, task: T) -> T {
    if let Some(id) = IDS.of(task.id()) {
        number.set_runtime_id(id);
    }
    task
}

/// A handle that has tokio's id of its task.
pub(in crate::tokio) trait HasId {
    fn id(&self) -> Id;
}

impl<T> HasId for ::tokio::task::JoinHandle<T> {
    fn id(&self) -> Id {
        self.id()
    }
}

impl HasId for ::tokio::task::AbortHandle {
    fn id(&self) -> Id {
        self.id()
    }
}
