//! `tokio::task::LocalSet`.

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::ops::DerefMut;
use std::panic::Location;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::task::{Context, Poll};

use ::tokio::runtime::{Id, Runtime};
use ::tokio::task::LocalEnterGuard;

use super::JoinHandle;
use crate::live::workers;
use crate::spawned::launch;
use crate::tokio::runtime::number;
use crate::waits::{LazyWait, Polled, WaitInfo, WaitMode, WaitTarget};
use crate::wrap::{convert, debug, default, delegate, deref};

/// tokio's `LocalSet`. The tasks that it spawns are listed. A task that runs the set is recorded as
/// waiting for the tasks of the set.
pub struct LocalSet {
    set: ::tokio::task::LocalSet,
    /// The wait of the task that polls the set.
    wait: LazyWait,
}

impl LocalSet {
    /// Creates an empty set.
    #[must_use]
    pub fn new() -> Self {
        ::tokio::task::LocalSet::new().into()
    }

    /// Spawns a task on this set.
    #[track_caller]
    pub fn spawn_local<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + 'static,
        F::Output: 'static,
    {
        launch!(number::local(), None, future: F, |task, number| {
            JoinHandle::new(self.set.spawn_local(task), number)
        })
    }

    /// Runs a future, as the task `main`, and the tasks of this set until the future completes.
    #[track_caller]
    pub fn block_on<F>(&self, rt: &Runtime, future: F) -> F::Output
    where
        F: Future,
    {
        let (_visit, _entered) = (workers::visit(), EnteredSet::new());
        launch!(number::around(rt.handle()), Some("main"), future: F, |task, _| {
            self.set.block_on(rt, task)
        })
    }

    /// Runs a future and the tasks of this set until the future completes.
    #[track_caller]
    pub fn run_until<F>(&self, future: F) -> impl Future<Output = F::Output> + use<'_, F>
    where
        F: Future,
    {
        let at = Location::caller();
        async move {
            // The set keeps the waker of the wait, and the future gets the waker of the task.
            let outer = Cell::new(None);
            let mut future = pin!(future);
            let future = poll_fn(|cx| match outer.take() {
                Some(waker) => future.as_mut().poll(&mut Context::from_waker(&waker)),
                None => future.as_mut().poll(cx),
            });
            let mut runs = pin!(self.set.run_until(future));
            let mut wait = LazyWait::default();
            poll_fn(|cx| {
                outer.set(Some(cx.waker().clone()));
                wait.poll_where(cx, Polled::SHARED, || wait_info(at), |cx| runs.as_mut().poll(cx))
            })
            .await
        }
    }

    /// Returns tokio's own set, with the tasks of this one.
    ///
    /// With the feature `on` only; `.into()` works without it, too.
    #[must_use]
    pub fn into_inner(self) -> ::tokio::task::LocalSet {
        self.set
    }

    delegate! { set:
        /// Enters the set: `spawn_local` spawns on it until the guard is dropped.
        #[must_use = "the set is left when the guard is dropped"]
        pub fn enter(&self) -> LocalEnterGuard;
        /// Returns the id of this set.
        #[must_use]
        pub fn id(&self) -> Id;
    }
}

impl Future for LocalSet {
    type Output = ();

    #[track_caller]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let at = Location::caller();
        let Self { set, wait } = self.get_mut();
        wait.poll_where(
            context,
            Polled::SHARED,
            || wait_info(at),
            |context| Pin::new(&mut *set).poll(context),
        )
    }
}

/// Number of threads in a `block_on` of a set. The task `main` of such a `block_on` has no waker of
/// the set.
static ENTERED: AtomicU64 = AtomicU64::new(0);

/// Returns whether a thread is in a `block_on` of a set.
pub(crate) fn is_any_entered() -> bool {
    ENTERED.load(Relaxed) != 0
}

/// A thread in a `block_on` of a set.
struct EnteredSet;

impl EnteredSet {
    fn new() -> Self {
        ENTERED.fetch_add(1, Relaxed);
        Self
    }
}

impl Drop for EnteredSet {
    fn drop(&mut self) {
        ENTERED.fetch_sub(1, Relaxed);
    }
}

/// Describes the wait of a task that runs a set. Its tasks are known only once a snapshot is taken.
fn wait_info(at: &'static Location<'static>) -> WaitInfo {
    WaitInfo::new(WaitTarget::Tasks(Vec::new()), WaitMode::LocalSet, 1, at)
}

default!([] LocalSet);
debug!([] LocalSet, set: ::tokio::task::LocalSet);
convert!([] LocalSet: ::tokio::task::LocalSet, |set| Self { set, wait: LazyWait::default() }, |it| it.into_inner());
deref!([] LocalSet, set: ::tokio::task::LocalSet);

impl DerefMut for LocalSet {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.set
    }
}
