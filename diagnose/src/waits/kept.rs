//! A leaf that is made where something waits, and not before: what does not wait moves no more than a word for it.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use super::leaf::Leaf;
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

pin_project! {
    /// The same, and what becomes of it: from what it returns, and whether it has waited.
    // Inlined where it is awaited: a guard that is returned in memory and moved from there costs as much as the record of it.
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub(crate) struct Entered<F, L, G> {
        #[pin]
        waits: Waits<F, L>,
        guard: G,
    }
}

impl<F, L, G> Entered<F, L, G> {
    #[inline]
    pub(crate) fn new(future: F, leaf: L, guard: G) -> Self {
        Self { waits: Waits::new(future, leaf), guard }
    }
}

impl<F: Future, L: FnMut() -> Leaf, T, G: Fn(F::Output, bool) -> T> Future for Entered<F, L, G> {
    type Output = T;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let mut this = self.project();
        let ready = this.waits.as_mut().poll(context);
        ready.map(|output| (this.guard)(output, this.waits.has_waited))
    }
}
