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

    /// A poll starts. Returns whether it is recorded; then [`Running`] must be made.
    #[inline(always)]
    pub(crate) fn enter(&mut self, entry: &mut Entry) -> bool {
        if !self.site.is_on() {
            self.enter_unrecorded();
            return false;
        }
        let current = local::current();
        match (self.state, self.node, current) {
            (State::Waiting(wait), Some(node), Some(current))
                if node.parent.is_some_and(|parent| ptr::eq(parent, current)) =>
            {
                entry.visit.begin(node, current, clock::now(), Some(wait));
                entry.outer_pending = local::replace_pending_children(0).wrapping_sub(1);
                true
            }
            (State::Unpolled, Some(maker), Some(current))
                if ptr::eq(maker, current) && self.site.kind != Kind::Task && !switch::tasks_only() =>
            {
                let Some(node) = current.child(self.site, self.label) else { return self.enter_slow(entry) };
                let now = clock::now();
                entry.visit.begin(node, current, now, None);
                entry.outer_pending = local::replace_pending_children(0);
                add(&node.calls, 1);
                add(&node.unpolled, now.saturating_sub(self.made));
                self.node = Some(node);
                true
            }
            _ => self.enter_slow(entry),
        }
    }

    /// The first poll of a path, a parent that has changed, a thread that has changed, a root, a poll after the end.
    #[cold]
    #[inline(never)]
    fn enter_slow(&mut self, entry: &mut Entry) -> bool {
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
            self.pending_children = 0;
            self.state = State::Unseen;
            return false;
        };
        let now = clock::now();
        let mut ended = None;
        match self.state {
            State::Waiting(wait) if self.node.is_some_and(|old| old.same_path(node)) => ended = Some(wait),
            // It waited under another path. Here it is new, as far as the parent's children are concerned.
            State::Waiting(_) => self.end_wait(place, now),
            State::Unpolled => {
                add(&node.calls, 1);
                add(&node.unpolled, now.saturating_sub(self.made));
            }
            // A future that is polled again after its end has begun again.
            State::Unseen | State::Done => add(&node.calls, 1),
        }
        entry.visit.begin_root(node, place, now, ended);
        let was_pending = ended.is_some() && !entry.visit.is_nested();
        entry.outer_pending = local::replace_pending_children(0).wrapping_sub(i32::from(was_pending));
        self.node = Some(node);
        true
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
        self.pending_children = 0;
        self.state = State::Unseen;
    }

    /// Books the end of a wait on its own path, in this thread's tree.
    #[cold]
    fn end_wait(&self, place: Place, now: u64) {
        if let (State::Waiting(wait), Some(node)) = (self.state, self.node) {
            place.tree.book(node, |own| own.times.end_wait(now, wait));
            if is_child_of_running(node, place) {
                local::replace_pending_children(local::replace_pending_children(0).wrapping_sub(1));
            }
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
                on_own_tree(|place| {
                    let gone = i32::from(is_child_of_running(node, place));
                    local::replace_pending_children(self.pending_children.wrapping_sub(gone));
                    place.tree.book(node, |own| {
                        own.times.end_wait(now, wait);
                        add(&own.cancelled, 1);
                    });
                });
            }
            (State::Unpolled, maker) => on_own_tree(|place| {
                let root = self.site.kind == Kind::Task;
                let parent = match maker {
                    Some(maker) if !root => place.tree.mirror(maker),
                    _ => Some(&place.tree.root),
                };
                let Some(parent) = parent else { return place.tree.count_over() };
                if switch::tasks_only() && !parent.is_root() {
                    return;
                }
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

/// Whether the running poll counts `node` among its pending children.
fn is_child_of_running(node: &'static Node, place: Place) -> bool {
    node.parent.is_some_and(|parent| parent.span().same_path(place.current.span()))
}

/// Runs with the thread's tree, lent if need be.
fn on_own_tree(book: impl FnOnce(Place)) {
    let place = local::place();
    book(place);
    if place.lent {
        local::end_loan();
    }
}

/// What the poll around a running one will find again.
#[derive(Debug)]
pub(crate) struct Entry {
    visit: Visit,
    /// The count of pending children of the poll around this one, without this span.
    outer_pending: i32,
}

impl Entry {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self { visit: Visit::new(), outer_pending: 0 }
    }
}

/// A poll that is running, and recorded. Dropped without [`leave`](Running::leave), it was ended by a panic.
#[derive(Debug)]
pub(crate) struct Running<'a> {
    pub(crate) span: &'a mut Span,
    pub(crate) entry: &'a mut Entry,
}

impl Running<'_> {
    /// The poll has returned.
    #[inline(always)]
    pub(crate) fn leave(mut self, pending: bool) {
        self.end(pending);
        // Its drop is for panics.
        std::mem::forget(self);
    }

    #[inline(always)]
    fn end(&mut self, pending: bool) {
        let Self { span, entry } = self;
        // A running span has a node.
        let Some(node) = span.node else { return };
        // A task inside another task's poll is nobody's child. The count wraps: between polls it means nothing.
        let is_pending = i32::from(pending && !entry.visit.is_nested());
        let children = local::replace_pending_children(entry.outer_pending.wrapping_add(is_pending));
        if pending {
            // Never below zero: a child may have been pending elsewhere before it came here.
            span.pending_children = span.pending_children.saturating_add(children).max(0);
            let wait = if span.pending_children == 0 { Wait::Own } else { Wait::Child };
            span.state = State::Waiting(wait);
            entry.visit.end(node, Some(wait));
        } else {
            span.pending_children = 0;
            span.state = State::Done;
            add(&node.completed, 1);
            entry.visit.end(node, None);
        }
    }
}

impl Drop for Running<'_> {
    #[cold]
    fn drop(&mut self) {
        let Self { span, entry } = self;
        let Some(node) = span.node else { return };
        local::replace_pending_children(entry.outer_pending);
        span.pending_children = 0;
        span.state = State::Done;
        add(&node.panicked, 1);
        entry.visit.end(node, None);
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
