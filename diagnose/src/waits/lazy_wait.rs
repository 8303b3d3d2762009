//! The futures of primitives, polled with a waker of ours: what puts them into a queue, and takes them out.
//!
//! ```text
//! first poll   ├ lent waker ┤ Ready: nothing happens     Pending: a wait is listed, which that waker is promoted to
//! later polls  ├ the wait's ┤ Ready: the wait ends       Pending
//! ```
//! Each poll is one poll of the original. What moves is no more than a word.
//!
//! Unsafe is kept in this file because the waker of a first poll lies on its stack.

#![allow(unsafe_code)]

use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use pin_project_lite::pin_project;

use super::holding::Holding;
use super::record::Record;
use super::wait_cell::{WaitCell, WaitMode, WaitStart, WaitWaker};
use super::wait_future::{WaitInfo, WaitTarget};
use crate::live::{self, PollWaker, Promoted as _};
use crate::recorder;
use crate::switch;

/// The recorder's part of a value that is polled by calls of its own, such as a receiver, and of a future. It costs a word until
/// the first `Pending`.
///
/// A value that is polled by calls does not tell when its owner gives up waiting: the wait ends with the next that is ready, or
/// when [`LazyWait::end`] says so.
#[derive(Debug, Default)]
pub(crate) struct LazyWait(Option<&'static WaitCell>);

impl LazyWait {
    /// A poll. If it returns `Pending`, `leaf` says what is waited for.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn poll<T>(
        &mut self,
        context: &mut Context<'_>,
        leaf: impl FnMut() -> WaitInfo,
        poll: impl FnMut(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<T> {
        self.poll_in_order(context, None, leaf, poll)
    }

    /// The same at a resource whose queue has an order: that of `record`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn poll_in_order<T>(
        &mut self,
        context: &mut Context<'_>,
        record: Option<&'static Record>,
        mut leaf: impl FnMut() -> WaitInfo,
        mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<T> {
        let entry = PollScope::new(self.0, record, context.waker());
        // SAFETY: the entry stays where it is until the poll is over.
        let waker = unsafe { entry.lend(context.waker()) };
        let outer = context.waker();
        let ready = poll(&mut Context::from_waker(waker.as_ref().map_or(outer, PollWaker::get)));
        if ready.is_ready() {
            self.end_poll(&entry);
        } else if waker.is_some() {
            self.end_pending(&entry, outer, leaf());
        }
        ready
    }

    #[inline]
    fn end_poll(&mut self, entry: &PollScope) {
        if self.0.is_some() || entry.lent.wait().is_some() {
            self.end_ready(entry);
        }
    }

    #[inline(never)]
    fn end_ready(&mut self, entry: &PollScope) {
        if let Some(wait) = self.0.take().or_else(|| entry.lent.wait()) {
            wait.forward().give_back();
            wait.end(false);
        }
    }

    #[inline(never)]
    fn end_pending(&mut self, entry: &PollScope, outer: &Waker, leaf: WaitInfo) {
        let is_forced = leaf.is_forced();
        if let Some(wait) = self.0 {
            wait.forward().give_back();
            if wait.is_listed() {
                return wait.leave(is_forced, entry.answered);
            }
        }
        let wait = self.0.or_else(|| entry.lent.wait());
        if leaf.is_nothing() {
            self.0 = wait;
            return;
        }
        // One that was forced to return `Pending` is in no queue. Its task polls it again, unless something in between does that
        // would have to be told: then it is known where that is.
        if is_forced && live::current::is_waker(outer) {
            self.0 = wait;
            return;
        }
        let Some(wait) = wait.or_else(WaitCell::take) else { return };
        self.0 = Some(wait);
        wait.begin(begun(leaf, entry.asked, is_forced), Some(outer));
        if is_forced {
            wait.force();
        }
    }

    fn give_up(&mut self) {
        if let Some(wait) = self.0.take() {
            wait.end(true);
        }
    }

    /// Whether its wait is listed already. Then the next poll uses nothing of its leaf except whether the `Pending` was forced.
    #[inline]
    pub(crate) fn is_listed(&self) -> bool {
        self.0.is_some_and(WaitCell::is_listed)
    }

    /// Nobody waits any more.
    #[inline]
    pub(crate) fn end(&mut self) {
        if self.0.is_some() {
            self.give_up();
        }
    }
}

impl Drop for LazyWait {
    #[inline]
    fn drop(&mut self) {
        self.end();
    }
}

/// One that is forced is listed at no resource.
fn begun(leaf: WaitInfo, asked: u64, is_forced: bool) -> WaitStart {
    let awaited = if leaf.is_made_there { recorder::awaited() } else { None };
    let WaitInfo { target, mode, units, at, .. } = leaf;
    let (record, tasks, due) = match target {
        WaitTarget::Resource(record) => (record.filter(|_| !is_forced), Vec::new(), 0),
        WaitTarget::Tasks(tasks) => (None, tasks, 0),
        WaitTarget::Moment(due) => (None, Vec::new(), due),
    };
    WaitStart { record, mode, units, tasks, due, at, awaited, asked, is_blocking: false }
}

/// What a poll needs until it is over.
struct PollScope {
    lent: WaitWaker,
    wait: Option<&'static WaitCell>,
    is_on: bool,
    /// How many were in the queue of the resource before this poll.
    asked: u64,
    /// The wake that the poll answers.
    answered: u64,
}

impl PollScope {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn new(wait: Option<&'static WaitCell>, record: Option<&'static Record>, outer: &Waker) -> Self {
        let answered = wait.filter(|wait| wait.is_listed()).map_or(0, |wait| wait.enter(outer));
        let is_on = wait.is_some() || (switch::records() && live::has_leaf_wakers());
        let asked = record.map_or(0, Record::queued);
        Self { lent: WaitWaker::new(), wait, is_on, asked, answered }
    }

    /// The waker for the poll. `None` if none is recorded.
    ///
    /// # Safety
    /// This does not move before the poll is over.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn lend(&self, outer: &Waker) -> Option<PollWaker> {
        match self.wait {
            Some(wait) => Some(PollWaker::of(wait, outer)),
            // SAFETY: as the caller says; the executor's waker is borrowed for the length of the poll.
            None => self.is_on.then(|| unsafe { PollWaker::lend(&self.lent, outer, WaitWaker::table()) }),
        }
    }
}

pin_project! {
    /// A future of a primitive, and what says what it waits for.
    // The future stands first: it leaves its queue before the records say so.
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub(crate) struct LazyWaitFuture<F, L> {
        #[pin]
        future: F,
        kept: LazyWait,
        record: Option<&'static Record>,
        leaf: L,
        has_waited: bool,
    }
}

impl<F, L> LazyWaitFuture<F, L> {
    #[inline]
    pub(crate) fn new(future: F, leaf: L) -> Self {
        Self::in_order(future, None, leaf)
    }

    /// One at a resource whose queue has an order.
    #[inline]
    pub(crate) fn in_order(future: F, record: Option<&'static Record>, leaf: L) -> Self {
        Self { future, kept: LazyWait::default(), record, leaf, has_waited: false }
    }

    /// Whether it has returned `Pending`.
    #[inline]
    pub(crate) fn has_waited(&self) -> bool {
        self.has_waited
    }
}

impl<F: Future, L: FnMut() -> WaitInfo> Future for LazyWaitFuture<F, L> {
    type Output = F::Output;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        let ready = this
            .kept
            .poll_in_order(context, *this.record, this.leaf, |context| this.future.as_mut().poll(context));
        *this.has_waited |= ready.is_pending();
        ready
    }
}

/// What is asked of a lock, and where.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AcquireArgs {
    pub(crate) record: Option<&'static Record>,
    pub(crate) mode: WaitMode,
    pub(crate) units: u64,
    pub(crate) at: &'static Location<'static>,
    /// Whether the guard can go to another thread without being seen.
    pub(crate) is_movable: bool,
}

pin_project! {
    /// The future of a lock, and what becomes of it: a guard with its holding.
    // Inlined where it is awaited: a guard that is returned in memory and moved from there costs as much as the record of it.
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub(crate) struct Acquire<F, G> {
        #[pin]
        future: F,
        kept: LazyWait,
        ask: AcquireArgs,
        has_waited: bool,
        guard: G,
    }
}

impl<F, G> Acquire<F, G> {
    #[inline]
    pub(crate) fn new(future: F, ask: AcquireArgs, guard: G) -> Self {
        Self { future, kept: LazyWait::default(), ask, has_waited: false, guard }
    }
}

impl<F: Future, T, G: Fn(F::Output, Holding) -> T> Future for Acquire<F, G> {
    type Output = T;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let this = self.project();
        let AcquireArgs { record, mode, units, at, is_movable } = *this.ask;
        let entry = PollScope::new(this.kept.0, record, context.waker());
        // SAFETY: the entry stays where it is until the poll is over.
        let waker = unsafe { entry.lend(context.waker()) };
        let outer = context.waker();
        // Not by `LazyWait::poll`: what was just written in pieces stalls whoever moves it at once, so it stays where it is
        // until the holding is made.
        match this.future.poll(&mut Context::from_waker(waker.as_ref().map_or(outer, PollWaker::get))) {
            Poll::Ready(output) => {
                this.kept.end_poll(&entry);
                Poll::Ready((this.guard)(
                    output,
                    Holding::hold_after(record, units, at, is_movable, *this.has_waited),
                ))
            }
            Poll::Pending => {
                *this.has_waited = true;
                if waker.is_some() {
                    this.kept.end_pending(&entry, outer, WaitInfo::on(record, mode, units, at));
                }
                Poll::Pending
            }
        }
    }
}
