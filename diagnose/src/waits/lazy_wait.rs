//! Polls the futures of primitives with this crate's waker, and lists those that wait. It lists a
//! future after its first `Pending` and takes it off the queue when it ends.
//!
//! ```text
//! first poll   ├ lent waker ┤ Ready: nothing listed      Pending: a wait is listed;
//!                                                        the lent waker is promoted to it
//! later polls  ├ the wait's ┤ Ready: the wait ends       Pending
//! ```
//! Each poll is exactly one poll of the original. The state that moves with the value is one word.
//!
//! Unsafe code is in this file because the waker of a first poll is on the stack of that poll.

#![allow(unsafe_code)]

use std::future::Future;
use std::mem;
use std::panic::Location;
use std::pin::Pin;
use std::sync::atomic::Ordering::Relaxed;
use std::task::{Context, Poll, Waker};

use pin_project_lite::pin_project;

use super::holding::Holding;
use super::record::Record;
use super::wait_cell::{FORCED, LENT, LISTED, WaitCell, WaitEnd, WaitMode, WaitStart};
use super::wait_future::WaitInfo;
use crate::live::{self, Lent, Memory, PollWaker, Promoted as _, is_pinned};
use crate::switch;

/// Wait state that is allocated on the first `Pending`; until then it costs one word. It belongs to
/// a future, or to a value that is polled through its own methods, such as a receiver.
///
/// The owner of a polled value can give up waiting without calling anything. The wait then ends
/// with the next ready poll, or with [`LazyWait::end`].
#[derive(Debug, Default)]
pub(crate) struct LazyWait(pub(super) Option<&'static WaitCell>);

/// Properties of a polled future.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Polled {
    /// The resource, if its queue is ordered.
    pub(crate) record: Option<&'static Record>,
    /// Whether this value never moves again.
    pub(crate) is_pinned: bool,
    /// Whether other futures of the task may rely on the waker that this one leaves behind.
    pub(crate) shares_waker: bool,
}

impl Polled {
    /// The primitive keeps one waker for all futures that poll it, even for several of one task.
    pub(crate) const SHARED: Self = Self { record: None, is_pinned: false, shares_waker: true };
}

impl LazyWait {
    /// Calls `poll` once. If that returns `Pending`, `info` describes the wait.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn poll<T>(
        &mut self,
        context: &mut Context<'_>,
        info: impl FnMut() -> WaitInfo,
        poll: impl FnMut(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<T> {
        self.poll_in_order(context, None, info, poll)
    }

    /// Polls at the ordered queue of `record`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn poll_in_order<T>(
        &mut self,
        context: &mut Context<'_>,
        record: Option<&'static Record>,
        info: impl FnMut() -> WaitInfo,
        poll: impl FnMut(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<T> {
        self.poll_where(context, Polled { record, ..Polled::default() }, info, poll)
    }

    /// Polls a future with these properties.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn poll_where<T>(
        &mut self,
        context: &mut Context<'_>,
        polled: Polled,
        mut info: impl FnMut() -> WaitInfo,
        mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<T> {
        let scope = PollScope::new(&mut self.0, polled.record, context.waker());
        // SAFETY: the scope does not move until the poll is over.
        let waker = unsafe { scope.lend(context.waker()) };
        let outer = context.waker();
        let unwinding = Unwinding(&scope);
        let ready = poll(&mut Context::from_waker(waker.as_ref().map_or(outer, PollWaker::get)));
        mem::forget(unwinding);
        if ready.is_ready() {
            self.end_poll(&scope, outer, polled.shares_waker);
        } else if waker.is_some() {
            self.end_pending(&scope, polled.is_pinned, outer, info());
        }
        ready
    }

    #[inline]
    fn end_poll(&mut self, scope: &PollScope, outer: &Waker, shares_waker: bool) {
        let promoted = scope.lent.promoted();
        if self.0.is_some() || promoted.is_some() {
            self.end_ready(promoted, outer, shares_waker);
        }
    }

    #[inline(never)]
    fn end_pending(&mut self, scope: &PollScope, is_pinned: bool, outer: &Waker, mut info: WaitInfo) {
        let is_forced = info.is_forced();
        if let Some(wait) = self.0 {
            wait.forward().give_back();
            let flags = wait.flags.load(Relaxed);
            if flags & LISTED != 0 {
                // A wait that was forced when it began has its place in the queue only now.
                let is_queued_now = || wait.record().is_none() && info.record().is_some();
                if is_forced || flags & FORCED == 0 || !is_queued_now() {
                    return wait.leave(flags, is_forced, scope.answered);
                }
                wait.renew();
            }
        }
        let wait = self.0.or_else(|| scope.lent.promoted());
        if info.is_nothing() {
            self.0 = wait;
            return;
        }
        // A future that was forced to return `Pending` is in no queue. Usually its task polls it
        // again. A combinator with a waker of its own polls it only after a wake of that waker. In
        // that case the wait is listed, so that the place of the future is known.
        if is_forced && live::current::is_waker(outer) {
            self.0 = wait;
            return;
        }
        let Some(wait) = wait.or_else(WaitCell::take) else { return };
        self.0 = Some(wait);
        // A join handle may move. Where it was polled still shows whether its task owned it then.
        let has_memory = is_pinned || matches!(info.mode, WaitMode::Join | WaitMode::LocalSet);
        let memory = if has_memory { Memory::of(self) } else { Memory::UNKNOWN };
        if is_forced {
            info.forget_resource();
        }
        wait.begin(info, WaitStart { gives_up: 0, asked: scope.asked, is_pinned, memory }, Some(outer));
        if is_forced {
            wait.force();
        }
    }

    fn give_up(&mut self) {
        if let Some(wait) = self.0.take() {
            wait.end(WaitEnd::GivenUp);
        }
    }

    /// Returns whether the wait is listed. Then the next poll only needs to know whether its
    /// `Pending` was forced.
    #[inline]
    pub(crate) fn is_listed(&self) -> bool {
        self.0.is_some_and(WaitCell::is_listed)
    }

    /// Returns whether the wait belongs to a future that does not move before the wait ends.
    #[cfg(feature = "tokio")]
    pub(crate) fn is_pinned(&self) -> bool {
        self.0.is_some_and(WaitCell::is_pinned)
    }

    /// Ends the wait as given up, if there is one.
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

/// State of one poll, on its stack.
struct PollScope {
    lent: Lent<WaitCell>,
    wait: Option<&'static WaitCell>,
    is_on: bool,
    /// Number of waits ever put into the resource's queue before this poll.
    asked: u64,
    /// Tick of the wake that this poll answers; 0 if none.
    answered: u64,
}

impl PollScope {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn new(slot: &mut Option<&'static WaitCell>, record: Option<&'static Record>, outer: &Waker) -> Self {
        let answered = match *slot {
            Some(wait) if wait.is_listed() => wait.enter(outer),
            Some(wait) => wait.enter_unlisted(slot),
            None => 0,
        };
        let wait = *slot;
        let is_on = wait.is_some() || (switch::records() && live::has_wait_wakers());
        let asked = record.map_or(0, Record::queued);
        Self { lent: Lent::new(), wait, is_on, asked, answered }
    }

    /// Returns the waker for the poll, or `None` if this poll is not recorded.
    ///
    /// # Safety
    /// `self` must not move before the poll is over.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn lend(&self, outer: &Waker) -> Option<PollWaker> {
        match self.wait {
            Some(wait) => {
                wait.forward().borrow(outer);
                Some(PollWaker::of(wait))
            }
            // SAFETY: the caller keeps `self` in place; the executor's waker is borrowed for the
            // whole poll.
            None => self.is_on.then(|| unsafe { PollWaker::lend(&self.lent, outer, &LENT) }),
        }
    }
}

/// Ends the wait of a first poll that panics: only the poll's own waker refers to it.
struct Unwinding<'a>(&'a PollScope);

impl Drop for Unwinding<'_> {
    #[cold]
    fn drop(&mut self) {
        if let Some(wait) = self.0.lent.promoted() {
            wait.end(WaitEnd::GivenUp);
        }
    }
}

pin_project! {
    /// A future of a primitive with a closure that describes its wait.
    // The future is the first field: it leaves the primitive's queue before the record says so.
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub(crate) struct LazyWaitFuture<F, L> {
        #[pin]
        future: F,
        wait: LazyWait,
        record: Option<&'static Record>,
        info: L,
        has_waited: bool,
    }
}

impl<F, L> LazyWaitFuture<F, L> {
    #[inline]
    pub(crate) fn new(future: F, info: L) -> Self {
        Self::in_order(future, None, info)
    }

    /// Creates a future that waits in the ordered queue of `record`.
    #[inline]
    pub(crate) fn in_order(future: F, record: Option<&'static Record>, info: L) -> Self {
        Self { future, wait: LazyWait::default(), record, info, has_waited: false }
    }

    #[inline]
    pub(crate) fn has_waited(&self) -> bool {
        self.has_waited
    }

    /// Returns the memory of the future, once it is pinned.
    #[inline]
    pub(crate) fn memory(&self) -> Memory {
        if is_pinned::<F>() { Memory::of(self) } else { Memory::UNKNOWN }
    }
}

impl<F: Future, L: FnMut() -> WaitInfo> Future for LazyWaitFuture<F, L> {
    type Output = F::Output;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        let polled = Polled { record: *this.record, is_pinned: is_pinned::<F>(), shares_waker: false };
        let ready =
            this.wait.poll_where(context, polled, this.info, |context| this.future.as_mut().poll(context));
        *this.has_waited |= ready.is_pending();
        ready
    }
}

/// The arguments of an acquisition.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AcquireArgs {
    pub(crate) record: Option<&'static Record>,
    pub(crate) mode: WaitMode,
    pub(crate) units: u64,
    pub(crate) at: &'static Location<'static>,
    /// Whether the guard can move to another thread unseen.
    pub(crate) is_movable: bool,
}

pin_project! {
    /// The future of an acquisition. It yields a guard with its holding.
    // Its poll is inlined into the `.await`: a guard that is returned in memory and moved from
    // there costs as much as recording it.
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub(crate) struct Acquire<F, G> {
        #[pin]
        future: F,
        wait: LazyWait,
        args: AcquireArgs,
        has_waited: bool,
        guard: G,
    }
}

impl<F, G> Acquire<F, G> {
    #[inline]
    pub(crate) fn new(future: F, args: AcquireArgs, guard: G) -> Self {
        Self { future, wait: LazyWait::default(), args, has_waited: false, guard }
    }
}

impl<F: Future, T, G: Fn(F::Output, Holding) -> T> Future for Acquire<F, G> {
    type Output = T;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let this = self.project();
        let AcquireArgs { record, mode, units, at, is_movable } = *this.args;
        let memory = if is_pinned::<F>() { Memory::of(this.wait) } else { Memory::UNKNOWN };
        let scope = PollScope::new(&mut this.wait.0, record, context.waker());
        // SAFETY: as in `LazyWait`: the scope does not move until the poll is over.
        let waker = unsafe { scope.lend(context.waker()) };
        let outer = context.waker();
        // This does not call `LazyWait::poll`: moving a value that was just written in pieces
        // stalls the processor. So the output stays in place until the holding is made.
        match this.future.poll(&mut Context::from_waker(waker.as_ref().map_or(outer, PollWaker::get))) {
            Poll::Ready(output) => {
                this.wait.end_poll(&scope, outer, false);
                Poll::Ready((this.guard)(
                    output,
                    Holding::hold_after(record, units, at, is_movable, *this.has_waited).taken_in(memory),
                ))
            }
            Poll::Pending => {
                *this.has_waited = true;
                if waker.is_some() {
                    this.wait.end_pending(
                        &scope,
                        is_pinned::<F>(),
                        outer,
                        WaitInfo::on(record, mode, units, at),
                    );
                }
                Poll::Pending
            }
        }
    }
}
