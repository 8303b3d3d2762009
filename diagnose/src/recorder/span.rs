//! A span: the recorder's part of one annotated future.
//!
//! ```text
//!              first poll           Pending                    Ready
//!  Unpolled ───────────────▶ (running) ──▶ Waiting ──▶ (running) ──▶ Done
//!     │ drop                                  │ drop
//!     ▼                                       ▼
//!  never polled                            cancelled
//! ```
//! A future that was made while recording was off is `Unseen`: it is counted from its first recorded poll on.

use std::ptr;

use super::local::{self, Place};
use super::visit::Visit;
use crate::clock;
use crate::label::Label;
use crate::site::{Kind, Site};
use crate::switch;
use crate::sync::add;
use crate::tree::{Node, Wait};

/// Where a span is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Made, or last polled, while nothing was recorded for it.
    Unseen,
    /// Made at the tick `since`, not polled yet.
    Unpolled,
    /// Returned `Pending` at a tick that its node has booked.
    Waiting(Wait),
    /// Returned `Ready`, or panicked.
    Done,
}

/// What a timed future carries: 40 bytes.
#[derive(Debug)]
pub struct Span {
    site: &'static Site,
    /// The node of the last poll; before the first, the node that was running when the span was made.
    node: Option<&'static Node>,
    /// When the span was made.
    made: u64,
    label: Label,
    /// Annotated children that are pending.
    pending_children: i32,
    state: State,
}

impl Span {
    /// A span that begins now: one reading of the clock.
    #[inline]
    #[must_use]
    pub fn new(site: &'static Site, label: Label) -> Self {
        let mut span = Self { site, node: None, made: 0, label, pending_children: 0, state: State::Unseen };
        if site.is_on() {
            span.node = local::current();
            span.made = clock::now();
            span.state = State::Unpolled;
        }
        span
    }

    /// A poll starts. `None` if it is not to be recorded.
    #[inline(always)]
    pub(crate) fn enter(&mut self) -> Option<Entered<'_>> {
        if !self.site.is_on() {
            self.enter_unrecorded();
            return None;
        }
        let current = local::current();
        let visit = match (self.state, self.node, current) {
            (State::Waiting(wait), Some(node), Some(current))
                if node.parent.is_some_and(|parent| ptr::eq(parent, current)) =>
            {
                let visit = Visit::plain(node, current);
                node.times.enter(clock::now(), Some(wait));
                visit
            }
            (State::Unpolled, Some(maker), Some(current))
                if ptr::eq(maker, current) && self.site.kind != Kind::Task =>
            {
                let Some(node) = current.child(self.site, self.label) else { return self.enter_slow() };
                let visit = Visit::plain(node, current);
                let now = clock::now();
                add(&node.calls, 1);
                add(&node.unpolled, now.saturating_sub(self.made));
                node.times.enter(now, None);
                visit
            }
            _ => return self.enter_slow(),
        };
        Some(Entered::new(self, visit))
    }

    /// The first poll of a path, a parent that has changed, a thread that has changed, a root, a poll after the end.
    #[cold]
    #[inline(never)]
    fn enter_slow(&mut self) -> Option<Entered<'_>> {
        let place = local::place();
        let root = self.site.kind == Kind::Task || place.current.is_root();
        let parent = if root { &place.tree.root } else { place.current };
        let node = if switch::tasks_only() && !root {
            None
        } else {
            place.tree.child(parent, self.site, self.label, clock::now)
        };
        let Some(node) = node else {
            // Only below another node, so the tree is not a lent one.
            self.end_wait(place, clock::now());
            self.state = State::Unseen;
            return None;
        };
        let now = clock::now();
        match self.state {
            State::Waiting(wait) if self.node.is_some_and(|old| old.same_path(node)) => {
                node.times.enter(now, Some(wait));
            }
            State::Waiting(_) => {
                // It waited under another path. Here it is new, as far as the parent's children are concerned.
                self.end_wait(place, now);
                self.state = State::Unseen;
                node.times.enter(now, None);
            }
            State::Unpolled => {
                add(&node.calls, 1);
                add(&node.unpolled, now.saturating_sub(self.made));
                node.times.enter(now, None);
            }
            // A future that is polled again after its end has begun again.
            State::Unseen | State::Done => {
                add(&node.calls, 1);
                node.times.enter(now, None);
            }
        }
        let visit = Visit::special(node, place, now);
        Some(Entered::new(self, visit))
    }

    /// Recording was switched off: a wait that is open in the books ends, so that it does not grow for ever.
    #[inline]
    fn enter_unrecorded(&mut self) {
        if !matches!(self.state, State::Unseen) {
            self.forget();
        }
    }

    #[cold]
    fn forget(&mut self) {
        if matches!(self.state, State::Waiting(_)) {
            on_own_tree(|place| self.end_wait(place, clock::now()));
        }
        self.state = State::Unseen;
    }

    /// Books the end of a wait on its own path, in this thread's tree.
    #[cold]
    fn end_wait(&self, place: Place, now: u64) {
        if let (State::Waiting(wait), Some(node)) = (self.state, self.node) {
            place.tree.mirror(node).times.end_wait(now, wait);
        }
    }

    /// The future is about to be dropped: what its parts do to the count of pending children while they are dropped
    /// does not concern the poll that drops it.
    #[inline]
    pub(crate) fn begin_drop(&mut self) {
        if matches!(self.state, State::Waiting(_)) {
            self.pending_children = local::replace_pending_children(0);
        }
    }

    #[cold]
    fn end_drop(&self) {
        let now = clock::now();
        match (self.state, self.node) {
            (State::Waiting(wait), Some(node)) => {
                local::replace_pending_children(self.pending_children.wrapping_sub(1));
                on_own_tree(|place| {
                    let node = place.tree.mirror(node);
                    node.times.end_wait(now, wait);
                    add(&node.cancelled, 1);
                });
            }
            (State::Unpolled, maker) => on_own_tree(|place| {
                let root = self.site.kind == Kind::Task;
                let parent = match maker {
                    Some(maker) if !root => place.tree.mirror(maker),
                    _ => &place.tree.root,
                };
                if let Some(node) = place.tree.child(parent, self.site, self.label, clock::now) {
                    add(&node.never_polled, 1);
                }
            }),
            _ => {}
        }
    }
}

impl Drop for Span {
    #[inline]
    fn drop(&mut self) {
        if matches!(self.state, State::Waiting(_) | State::Unpolled) {
            self.end_drop();
        }
    }
}

/// Runs with the thread's tree, lent if need be.
fn on_own_tree(book: impl FnOnce(Place)) {
    let place = local::place();
    book(place);
    if place.lent {
        local::end_loan();
    }
}

/// A poll that is running. Dropped without [`leave`](Entered::leave), it was ended by a panic.
#[derive(Debug)]
pub(crate) struct Entered<'a> {
    span: &'a mut Span,
    visit: Visit,
    /// The count of pending children of the poll around this one, without this span.
    outer_pending: i32,
}

impl<'a> Entered<'a> {
    #[inline(always)]
    fn new(span: &'a mut Span, visit: Visit) -> Self {
        span.node = Some(visit.node);
        let was_pending = matches!(span.state, State::Waiting(_)) && !visit.is_nested();
        let outer_pending = local::replace_pending_children(0).wrapping_sub(i32::from(was_pending));
        Self { span, visit, outer_pending }
    }

    /// The poll has returned.
    #[inline(always)]
    pub(crate) fn leave(mut self, pending: bool) {
        self.end(pending);
        std::mem::forget(self);
    }

    #[inline(always)]
    fn end(&mut self, pending: bool) {
        let span = &mut *self.span;
        // A task inside another task's poll is nobody's child. The count wraps: between polls it means nothing.
        let is_pending = i32::from(pending && !self.visit.is_nested());
        let children = local::replace_pending_children(self.outer_pending.wrapping_add(is_pending));
        if pending {
            // Never below zero: a child may have been pending elsewhere before it came here.
            span.pending_children = span.pending_children.saturating_add(children).max(0);
            let wait = if span.pending_children == 0 { Wait::Own } else { Wait::Child };
            span.state = State::Waiting(wait);
            self.visit.end(Some(wait));
        } else {
            span.pending_children = 0;
            span.state = State::Done;
            add(&self.visit.node.completed, 1);
            self.visit.end(None);
        }
    }
}

impl Drop for Entered<'_> {
    #[cold]
    fn drop(&mut self) {
        local::replace_pending_children(self.outer_pending);
        self.span.pending_children = 0;
        self.span.state = State::Done;
        add(&self.visit.node.panicked, 1);
        self.visit.end(None);
    }
}

#[cfg(test)]
mod tests {
    use super::Span;

    #[test]
    fn a_span_is_small() {
        assert!(size_of::<Span>() <= 40, "{}", size_of::<Span>());
    }
}
