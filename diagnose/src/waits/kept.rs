//! A leaf that is made where something waits, and not before: what does not wait moves no more than a word for it.

use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use super::leaf::Leaf;
use super::record::Record;
use super::stake::Stake;
use super::wait::Mode;
use crate::switch;

/// The recorder's part of a value that is polled by calls of its own, such as a receiver, and of a future that is kept by
/// whoever polls it, such as a handle. It costs a word until the first `Pending`.
///
/// Such a value does not tell when its owner gives up waiting: the wait ends with the next that is ready, or when
/// [`Kept::end`] says so.
#[derive(Debug, Default)]
pub(crate) struct Kept(Option<Box<Leaf>>);

impl Kept {
    /// A poll. If it is the first that returns `Pending`, `leaf` says what is waited for, and another follows at once.
    #[inline]
    pub(crate) fn poll<T>(
        &mut self,
        context: &mut Context<'_>,
        leaf: impl FnOnce() -> Leaf,
        mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<T> {
        if self.0.is_none() {
            let ready = poll(context);
            if ready.is_ready() || !self.begin(context, leaf) {
                return ready;
            }
        }
        self.poll_again(context, &mut poll)
    }

    /// Returns whether it waits. One that is only forced to is kept too.
    #[cold]
    fn begin(&mut self, context: &Context<'_>, leaf: impl FnOnce() -> Leaf) -> bool {
        if !switch::records() {
            return false;
        }
        let mut leaf = leaf();
        let begins = leaf.begin(context);
        if begins || leaf.is_kept() {
            self.0 = Some(Box::new(leaf));
        }
        begins
    }

    #[cold]
    fn poll_again<T>(
        &mut self,
        context: &mut Context<'_>,
        poll: &mut impl FnMut(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<T> {
        let Some(leaf) = &mut self.0 else { return poll(context) };
        let ready = leaf.poll(context, poll);
        if ready.is_ready() || !leaf.is_kept() {
            self.0 = None;
        }
        ready
    }

    /// Nobody waits any more.
    #[inline]
    pub(crate) fn end(&mut self) {
        if self.0.is_some() {
            self.0 = None;
        }
    }
}

pin_project! {
    /// A future of a primitive, and what says what it waits for.
    // The future stands first: it leaves its queue before the records say so.
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub(crate) struct Waits<F, L> {
        #[pin]
        future: F,
        kept: Kept,
        leaf: L,
        has_waited: bool,
    }
}

impl<F, L> Waits<F, L> {
    #[inline]
    pub(crate) fn new(future: F, leaf: L) -> Self {
        Self { future, kept: Kept::default(), leaf, has_waited: false }
    }

    /// Whether it has returned `Pending`.
    #[inline]
    pub(crate) fn has_waited(&self) -> bool {
        self.has_waited
    }
}

impl<F: Future, L: FnMut() -> Leaf> Future for Waits<F, L> {
    type Output = F::Output;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        let ready = this.kept.poll(context, this.leaf, |context| this.future.as_mut().poll(context));
        *this.has_waited |= ready.is_pending();
        ready
    }
}

/// What is asked of a lock, and where.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ask {
    pub(crate) record: Option<&'static Record>,
    pub(crate) mode: Mode,
    pub(crate) units: u64,
    pub(crate) at: &'static Location<'static>,
    /// Whether the guard can go to another thread without being seen.
    pub(crate) is_movable: bool,
}

pin_project! {
    /// The future of a lock, and what becomes of it: a guard with its stake.
    // Inlined where it is awaited: a guard that is returned in memory and moved from there costs as much as the record of it.
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub(crate) struct Entered<F, G> {
        #[pin]
        future: F,
        kept: Kept,
        ask: Ask,
        has_waited: bool,
        guard: G,
    }
}

impl<F, G> Entered<F, G> {
    #[inline]
    pub(crate) fn new(future: F, ask: Ask, guard: G) -> Self {
        Self { future, kept: Kept::default(), ask, has_waited: false, guard }
    }
}

impl<F: Future, T, G: Fn(F::Output, Stake) -> T> Future for Entered<F, G> {
    type Output = T;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let mut this = self.project();
        let Ask { record, mode, units, at, is_movable } = *this.ask;
        // Not by `Kept::poll`: what was just written in pieces stalls whoever moves it at once, so it stays where it is
        // until the stake is made.
        if this.kept.0.is_none() {
            let ready = this.future.as_mut().poll(context);
            if ready.is_ready() {
                let stake = Stake::hold_after(record, units, at, is_movable, *this.has_waited);
                return ready.map(|output| (this.guard)(output, stake));
            }
            *this.has_waited = true;
            if !this.kept.begin(context, || Leaf::on(record, mode, units, at)) {
                return Poll::Pending;
            }
        }
        let ready = this.kept.poll_again(context, &mut |context| this.future.as_mut().poll(context));
        ready.map(|output| (this.guard)(output, Stake::hold_after(record, units, at, is_movable, true)))
    }
}
