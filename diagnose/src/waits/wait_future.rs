//! Futures that wait, with a description of the wait.

use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use super::holding::Holding;
use super::lazy_wait::{LazyWait, Polled};
use super::record::Record;
use super::wait_cell::WaitMode;
use crate::live::{Memory, is_pinned};

#[derive(Debug, Clone)]
pub(crate) enum WaitTarget {
    /// A resource; `None` while recording is off.
    Resource(Option<&'static Record>),
    /// The end of one of these tasks, by number.
    Tasks(Vec<u64>),
    /// A moment, by [`instant_ns`](crate::clock::instant_ns).
    Moment(u64),
}

/// The description of a wait, recorded at the first `Pending`. Before that it costs nothing.
#[derive(Debug, Clone)]
pub(crate) struct WaitInfo {
    pub(super) target: WaitTarget,
    pub(super) mode: WaitMode,
    pub(super) units: u64,
    pub(super) at: &'static Location<'static>,
    /// Replaces [`ResourceType::is_forced`](super::ResourceType) of the resource.
    is_forced: Option<fn() -> bool>,
    /// Whether `at` is only the place where the future was made.
    pub(super) is_made_there: bool,
}

impl WaitInfo {
    #[inline]
    pub(crate) fn new(
        target: WaitTarget,
        mode: WaitMode,
        units: u64,
        at: &'static Location<'static>,
    ) -> Self {
        Self { target, mode, units, at, is_forced: None, is_made_there: false }
    }

    /// Describes a wait for a resource.
    #[inline]
    pub(crate) fn on(
        record: Option<&'static Record>,
        mode: WaitMode,
        units: u64,
        at: &'static Location<'static>,
    ) -> Self {
        Self::new(WaitTarget::Resource(record), mode, units, at)
    }

    /// Sets the function that says whether a `Pending` was forced, instead of the resource's own.
    #[must_use]
    pub(crate) fn forced_by(mut self, is_forced: fn() -> bool) -> Self {
        self.is_forced = Some(is_forced);
        self
    }

    /// Sets whether `at` is only where the future was made. The await that polls it is more
    /// precise, if it is recorded.
    #[must_use]
    pub(crate) fn made_there(mut self, is_made_there: bool) -> Self {
        self.is_made_there = is_made_there;
        self
    }

    /// Removes the resource: a forced wait is in no queue.
    #[cold]
    pub(super) fn forget_resource(&mut self) {
        if let WaitTarget::Resource(record) = &mut self.target {
            *record = None;
        }
    }

    /// Records the acquisition, once the future is ready.
    #[inline]
    pub(crate) fn hold(&self, is_movable: bool, has_waited: bool) -> Holding {
        let WaitTarget::Resource(record) = self.target else { return Holding::NONE };
        Holding::hold_after(record, self.units, self.at, is_movable, has_waited)
    }

    #[inline]
    pub(super) fn record(&self) -> Option<&'static Record> {
        match self.target {
            WaitTarget::Resource(record) => record,
            _ => None,
        }
    }

    /// Returns whether there is nothing to record.
    pub(super) fn is_nothing(&self) -> bool {
        matches!(self.target, WaitTarget::Resource(None))
    }

    /// Returns whether the `Pending` that was just returned was forced.
    pub(super) fn is_forced(&self) -> bool {
        match (self.is_forced, &self.target) {
            (Some(is_forced), _) => is_forced(),
            (None, WaitTarget::Resource(Some(record))) => {
                record.resource_type().is_none_or(|it| (it.is_forced)())
            }
            _ => false,
        }
    }
}

pin_project! {
    /// A future of a primitive with the description of its wait.
    // The future is the first field: it leaves the primitive's queue before the record says so.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub(crate) struct WaitFuture<F> {
        #[pin]
        future: F,
        wait: LazyWait,
        info: WaitInfo,
        is_pending: bool,
        // It never moves again, once it is pinned.
        is_pinned: bool,
    }
}

impl<F> WaitFuture<F> {
    #[inline]
    pub(crate) fn new(future: F, info: WaitInfo) -> Self {
        let is_pinned = is_pinned::<F>();
        Self { future, wait: LazyWait::default(), info, is_pending: false, is_pinned }
    }

    /// Declares that `F` is not `Unpin`.
    #[inline]
    pub(crate) fn pinned(mut self) -> Self {
        self.is_pinned = true;
        self
    }

    #[inline]
    pub(crate) fn has_waited(&self) -> bool {
        self.is_pending
    }

    /// Records the acquisition, once the future is ready.
    #[inline]
    pub(crate) fn hold(&self, is_movable: bool) -> Holding {
        let memory = if self.is_pinned { Memory::of(self) } else { Memory::UNKNOWN };
        self.info.hold(is_movable, self.is_pending).taken_in(memory)
    }

    #[inline]
    pub(crate) fn future(&self) -> &F {
        &self.future
    }
}

impl<F: Future> Future for WaitFuture<F> {
    type Output = F::Output;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        let (info, future) = (&*this.info, &mut this.future);
        // A future that the program implements may poll anything.
        let shares_waker = info.mode == WaitMode::Custom;
        let poll = this.wait.poll_where(
            context,
            Polled { record: info.record(), is_pinned: *this.is_pinned, shares_waker },
            || info.clone(),
            |context| future.as_mut().poll(context),
        );
        *this.is_pending |= poll.is_pending();
        poll
    }
}
