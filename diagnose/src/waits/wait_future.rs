//! What a future of a primitive waits for.

use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use super::holding::Holding;
use super::lazy_wait::LazyWait;
use super::record::Record;
use super::wait_cell::WaitMode;

/// What a leaf waits for.
#[derive(Debug, Clone)]
pub(crate) enum WaitTarget {
    /// A resource; `None` while recording is off.
    Resource(Option<&'static Record>),
    /// The end of one of these tasks, by number.
    Tasks(Vec<u64>),
    /// A moment, as a tick.
    Moment(u64),
}

/// What is on record of a future from its first `Pending` on. It costs nothing before.
#[derive(Debug, Clone)]
pub(crate) struct WaitInfo {
    pub(super) target: WaitTarget,
    pub(super) mode: WaitMode,
    pub(super) units: u64,
    pub(super) at: &'static Location<'static>,
    /// Asked instead of what the resource says.
    is_forced: Option<fn() -> bool>,
    /// Whether `at` is only where it was made.
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

    /// One that waits for a resource.
    #[inline]
    pub(crate) fn on(
        record: Option<&'static Record>,
        mode: WaitMode,
        units: u64,
        at: &'static Location<'static>,
    ) -> Self {
        Self::new(WaitTarget::Resource(record), mode, units, at)
    }

    /// Whether a `Pending` was forced, as that says, and not what the resource says.
    #[must_use]
    pub(crate) fn forced_by(mut self, is_forced: fn() -> bool) -> Self {
        self.is_forced = Some(is_forced);
        self
    }

    /// Its place is only where it was made: the await that polls it says more, if that is on record.
    #[must_use]
    pub(crate) fn made_there(mut self, is_made_there: bool) -> Self {
        self.is_made_there = is_made_there;
        self
    }

    /// What was acquired, now that the future is ready.
    #[inline]
    pub(crate) fn hold(&self, is_movable: bool, has_waited: bool) -> Holding {
        let WaitTarget::Resource(record) = self.target else { return Holding::NONE };
        Holding::hold_after(record, self.units, self.at, is_movable, has_waited)
    }

    /// The resource, if it waits for one.
    #[inline]
    pub(super) fn record(&self) -> Option<&'static Record> {
        match self.target {
            WaitTarget::Resource(record) => record,
            _ => None,
        }
    }

    /// Whether there is nothing to put on record.
    pub(super) fn is_nothing(&self) -> bool {
        matches!(self.target, WaitTarget::Resource(None))
    }

    /// Whether the `Pending` that was just returned was forced.
    pub(super) fn is_forced(&self) -> bool {
        match (self.is_forced, &self.target) {
            (Some(is_forced), _) => is_forced(),
            (None, WaitTarget::Resource(Some(record))) => record.what().is_none_or(|what| (what.is_forced)()),
            _ => false,
        }
    }
}

pin_project! {
    /// A future of a primitive, and its leaf.
    // The future stands first: it leaves its queue before the records say so.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub(crate) struct WaitFuture<F> {
        #[pin]
        future: F,
        kept: LazyWait,
        leaf: WaitInfo,
        is_pending: bool,
    }
}

impl<F> WaitFuture<F> {
    #[inline]
    pub(crate) fn new(future: F, leaf: WaitInfo) -> Self {
        Self { future, kept: LazyWait::default(), leaf, is_pending: false }
    }

    /// Whether it has returned `Pending`.
    #[inline]
    pub(crate) fn has_waited(&self) -> bool {
        self.is_pending
    }

    /// What was acquired, now that it is ready.
    #[inline]
    pub(crate) fn hold(&self, is_movable: bool) -> Holding {
        self.leaf.hold(is_movable, self.is_pending)
    }

    /// The future of the primitive.
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
        let (leaf, future) = (&*this.leaf, &mut this.future);
        let poll = this.kept.poll_in_order(
            context,
            leaf.record(),
            || leaf.clone(),
            |context| future.as_mut().poll(context),
        );
        *this.is_pending |= poll.is_pending();
        poll
    }
}
