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
use std::task::Waker;

use super::local::{self, Place};
use super::root::{self, RootPoll};
use super::running::{Entry, parent_id};
use crate::clock;
use crate::label::Label;
use crate::live::{self, Anchor, Task};
use crate::site::{Kind, Site};
use crate::switch;
use crate::sync::add;
use crate::tree::{Key, Node, Wait};

/// Where a span is in its life.
#[derive(Debug, Clone, Copy)]
pub(super) enum State {
    /// Made, or last polled, while nothing was recorded for it.
    Unseen,
    /// Made at that tick, not polled yet.
    Unpolled,
    /// Returned `Pending` at a tick that its node has booked.
    Waiting(Wait),
    /// Returned `Ready`, or panicked.
    Done,
}

/// What a timed future carries: 56 bytes.
#[derive(Debug)]
pub struct Span {
    pub(super) site: &'static Site,
    /// The node of the last poll; before the first, the node that was running when the span was made.
    pub(super) node: Option<&'static Node>,
    /// When it was made, in ticks.
    pub(super) made: u64,
    /// Where it is listed as alive, from its first `Pending` on; without it then, all slots were taken.
    pub(super) anchor: Option<&'static Anchor>,
    pub(super) label: Label,
    /// Annotated children that are pending.
    pub(super) pending_children: i32,
    pub(super) state: State,
    /// Of a root, its task. It is taken out while the span is polled.
    pub(super) root: Option<&'static Task>,
}

impl Span {
    /// A span that begins now: one reading of the clock.
    #[inline]
    #[must_use]
    pub fn new(site: &'static Site, label: Label) -> Self {
        let mut span = Self {
            site,
            node: None,
            made: 0,
            anchor: None,
            label,
            pending_children: 0,
            state: State::Unseen,
            root: None,
        };
        if site.is_on() {
            span.node = local::current();
            span.made = clock::now();
            span.state = State::Unpolled;
        }
        span
    }

    /// A poll starts. Returns whether it is recorded; then [`Running`] must be made.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn enter(&mut self, entry: &mut Entry) -> bool {
        if !self.site.is_on() {
            self.enter_unrecorded();
            return false;
        }
        // Through that await; the stamp is when the body around was entered, if the await is directly in it.
        let (via, stamp) = local::take_handed();
        entry.hands_on = stamp != 0;
        let current = local::current();
        match (self.state, self.node, current) {
            (State::Waiting(wait), Some(node), Some(current))
                if node.parent.is_some_and(|parent| ptr::eq(parent, current)) && same(node.via, via) =>
            {
                let now = self.begin(entry, stamp);
                entry.visit.begin(node, current, now, Some(wait));
                entry.begin_wait_end(node, wait);
                entry.outer_pending = local::replace_pending_children(0).wrapping_sub(1);
                true
            }
            (State::Unpolled, Some(maker), Some(current))
                if ptr::eq(maker, current)
                    && !current.is_root()
                    && self.site.kind != Kind::Task
                    && !switch::tasks_only() =>
            {
                let key = Key { site: self.site, label: self.label, via };
                let Some(node) = current.child(key) else { return self.enter_slow(entry, via) };
                let now = self.begin(entry, 0);
                entry.visit.begin(node, current, now, None);
                entry.outer_pending = local::replace_pending_children(0);
                add(&node.calls, 1);
                add(&node.unpolled, now.saturating_sub(self.made));
                self.node = Some(node);
                true
            }
            _ => self.enter_slow(entry, via),
        }
    }

    /// Makes the span the running one, and reads the clock: or takes the reading that an await hands down, if it is that
    /// await that goes on, because then the body has just been entered.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn begin(&self, entry: &mut Entry, stamp: u64) -> u64 {
        let parent = local::id();
        entry.outer = parent;
        let (id, now) = match self.anchor.and_then(Anchor::slot) {
            Some(slot) => {
                let now = if stamp != 0 && slot.parent() == parent { stamp } else { clock::now() };
                (slot.enter(parent, now), now)
            }
            None => (local::new_id(), clock::now()),
        };
        local::set_id(id);
        now
    }

    /// The first poll of a path, a parent that has changed, a thread that has changed, a root, a poll after the end.
    #[cold]
    #[inline(never)]
    fn enter_slow(&mut self, entry: &mut Entry, via: Option<&'static Site>) -> bool {
        let place = local::place();
        let is_root = self.site.kind == Kind::Task || place.current.is_root();
        let parent = if is_root { &place.tree.root } else { place.current };
        let key = Key { site: self.site, label: self.label, via: if is_root { None } else { via } };
        let node =
            if switch::tasks_only() && !is_root { None } else { place.tree.child(parent, key, clock::now) };
        let Some(node) = node else {
            // Only below another node, so the tree is not a lent one.
            self.end_wait(place, clock::now());
            self.unlist();
            self.pending_children = 0;
            self.state = State::Unseen;
            return false;
        };
        let now = self.begin(entry, 0);
        if let Some(slot) = self.anchor.and_then(Anchor::slot) {
            slot.follow(node);
            slot.set_parent(parent_id(node, entry));
        }
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
        if let (Some(wait), false) = (ended, is_root) {
            entry.begin_wait_end(node, wait);
        }
        if is_root {
            if self.root.is_none() {
                self.root = Some(root::task_of(self.site, self.label));
            }
        } else {
            self.end_task();
        }
        let was_pending = ended.is_some() && !entry.visit.is_nested();
        entry.outer_pending = local::replace_pending_children(0).wrapping_sub(i32::from(was_pending));
        self.node = Some(node);
        true
    }

    /// The span is not listed as alive any more.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn unlist(&mut self) {
        if let Some(anchor) = self.anchor.take() {
            local::put_slot(anchor);
        }
    }

    /// Recording was switched off: a wait that is open in the books ends, so that it does not grow for ever.
    #[inline]
    fn enter_unrecorded(&mut self) {
        if !matches!(self.state, State::Unseen) || local::has_via() {
            self.forget();
        }
    }

    /// Ends what is open in the books, and is not listed any more.
    #[cold]
    pub(super) fn forget(&mut self) {
        if matches!(self.state, State::Waiting(_)) {
            on_own_tree(|place| self.end_wait(place, clock::now()));
        }
        self.unlist();
        self.end_task();
        local::take_handed();
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
    fn end_drop(&mut self) {
        self.unlist();
        self.end_task();
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
                let key = Key { site: self.site, label: self.label, via: None };
                if let Some(node) = place.tree.child(parent, key, clock::now) {
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
pub(super) fn is_child_of_running(node: &'static Node, place: Place) -> bool {
    node.parent.is_some_and(|parent| parent.span().same_path(place.current.span()))
}

/// Runs with the thread's tree, lent if need be.
pub(super) fn on_own_tree(book: impl FnOnce(Place)) {
    let place = local::place();
    book(place);
    if place.lent {
        local::end_loan();
    }
}

impl Span {
    /// The poll of a task, if this is a root that is being polled.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn enter_root(&mut self, outer: &Waker) -> Option<RootPoll> {
        let task = self.root?;
        self.root = None;
        Some(RootPoll::enter(task, self.node?, outer))
    }

    /// The poll is over, and in the books.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn leave_root(&mut self, root: Option<RootPoll>) {
        if let Some(root) = root {
            // Otherwise the task is done.
            if matches!(self.state, State::Waiting(_)) {
                self.root = Some(root.leave());
            }
        }
    }

    /// The task is done, or none any more.
    fn end_task(&mut self) {
        if let Some(task) = self.root.take() {
            live::remove_task(task);
        }
    }

    /// Lists the span as alive.
    #[cold]
    pub(super) fn list(&self, node: &'static Node, entry: &Entry) -> Option<&'static Anchor> {
        let made = match self.state {
            State::Unpolled => self.made,
            _ => node.times.entered(),
        };
        let anchor = local::take_slot(local::id(), node, made)?;
        if let Some(slot) = anchor.slot() {
            slot.set_parent(parent_id(node, entry));
        }
        Some(anchor)
    }
}

/// Whether both are the same site.
#[cfg_attr(not(debug_assertions), inline(always))]
fn same(a: Option<&'static Site>, b: Option<&'static Site>) -> bool {
    let address = |site: Option<&'static Site>| site.map_or(ptr::null(), ptr::from_ref);
    ptr::eq(address(a), address(b))
}

#[cfg(test)]
mod tests {
    use super::Span;

    #[test]
    fn a_span_is_small() {
        assert!(size_of::<Span>() <= 56, "{}", size_of::<Span>());
    }
}
