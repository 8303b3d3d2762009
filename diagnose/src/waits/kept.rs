//! A leaf that stands beside what it waits on, from poll to poll.

use std::task::{Context, Poll};

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
