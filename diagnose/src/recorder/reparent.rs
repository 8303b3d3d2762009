//! The rare paths in the life of a span.
//!
//! A first poll on a new path, another thread, another parent, and the end of a span's open
//! accounts once it is no longer recorded.

use std::task::Waker;

use super::first_poll;
use super::last_wait;
use super::local::{self, AGAIN, DIRECT, TreePosition, is_reading};
use super::poll_entry::{Before, PollEntry};
use super::resume::Resume;
use super::span::{Span, SpanState};
use crate::clock;
use crate::context;
use crate::label::Label;
use crate::live::{self, SlotCopy, Task};
use crate::site::{Site, SiteKind};
use crate::switch;
use crate::sync::{add, sub};
use crate::tree::{Node, NodeKey, WaitAccount};

impl Span {
    /// Starts a poll in every other case: the first poll of a path, a changed parent or thread, a
    /// poll after the end.
    #[cold]
    #[inline(never)]
    pub(super) fn enter_slow(&mut self, entry: &mut PollEntry, outer: &Waker) {
        let around = context::span();
        let down = local::down();
        let goes_on = is_reading(down);
        let via = if goes_on || down == AGAIN { self.node.and_then(|node| node.via) } else { local::via() };
        local::hand_down(None, 0);
        let place = local::place();
        let is_root = self.site.kind == SiteKind::Task
            || place.current.is_outside_of_tasks()
            || local::spawned().is_some()
            || self.root.is_some_and(Task::was_spawned);
        let parent = if is_root { &place.tree.root } else { place.current };
        let key = NodeKey { site: self.site, label: self.label, via: if is_root { None } else { via } };
        let node =
            if switch::tasks_only() && !is_root { None } else { place.tree.child(parent, key, clock::now) };
        let Some(node) = node else {
            // `None` is returned only below another node, so the tree is not a lent one.
            let now = clock::now();
            self.end_wait(place, now);
            self.end_await(place, now, false);
            self.end_unpolled();
            self.unlist();
            self.end_task();
            self.go_unrecorded();
            entry.begin_unrecorded();
            return;
        };
        // Read before the span gets its new parent.
        let is_by_path = || self.node.is_some_and(|old| is_child_of(old, place.current));
        let is_waiting = matches!(self.state, SpanState::Waiting(_));
        let before = if is_waiting { self.before(is_by_path) } else { Before::New };
        #[cfg(feature = "tracing-layer")]
        let before = if node.parent.is_some_and(Node::is_traced) {
            let old = self.node.and_then(|old| old.parent);
            super::traced::before_in_span(before, old.is_some_and(Node::is_traced))
        } else {
            before
        };
        self.end_unpolled();
        entry.begun.hands_on = (goes_on || down == DIRECT) && !is_root;
        let now = self.begin(if goes_on { down } else { 0 });
        if let Some(slot) = self.slot {
            slot.follow(node);
            slot.set_parent(if is_root { 0 } else { around });
        }
        let mut ended = None;
        match self.state {
            SpanState::Waiting(wait) if self.node.is_some_and(|old| old.same_path(node)) => {
                ended = Some(wait);
            }
            // The span waited on another path.
            SpanState::Waiting(wait) => {
                if let Some(old) = self.node {
                    place.tree.book(old, |own| own.times.end_wait(now, wait));
                }
                self.move_call(node, place);
            }
            SpanState::Lost => self.move_call(node, place),
            SpanState::Unpolled => {
                self.count_call(node, now, local::spawned());
                if self.slot.is_some() {
                    self.note_first_poll(now);
                }
            }
            // A future that is polled again after its end starts another call.
            SpanState::Unrecorded | SpanState::Done => add(&node.calls, 1),
        }
        if !is_root {
            self.end_task();
        }
        entry.begin_anywhere(node, place, (now, around), before);
        self.move_await(node, ended.is_some(), place, now);
        if let SpanState::Waiting(wait) = self.state {
            self.resume = self.resume_after(wait, self.is_in_span());
        }
        if let (Some(at), Some(slot)) = (self.at, self.slot) {
            // Snapshots show the await, because the body is still there and reports again only when
            // it moves on.
            slot.follow(at);
        }
        self.node = Some(node);
        if is_root {
            self.enter_root(entry, outer, now);
        }
        self.go_on_with(entry, node, ended, now);
    }

    /// Continues the call at `node`, possibly on another path.
    fn move_call(&self, node: &'static Node, place: TreePosition) {
        if let Some(old) = self.node.filter(|old| !old.same_path(node)) {
            place.tree.book(old, |own| sub(&own.moved, 1));
            add(&node.moved, 1);
        }
    }

    /// Moves the await where the body has stopped to this thread's tree, or to another path.
    #[cold]
    fn move_await(&mut self, node: &'static Node, is_same_path: bool, place: TreePosition, now: u64) {
        let Some(at) = self.at else { return };
        let moved = place.tree.child(node, at.key(), clock::now).filter(|moved| !moved.is_other());
        self.at = moved;
        if is_same_path && moved.is_some() {
            return;
        }
        let wait = self.await_wait();
        place.tree.book(at, |own| {
            own.times.end_wait(now, wait);
            sub(&own.moved, 1);
        });
        if let Some(moved) = moved {
            // The wait begins again on the new node, with a length of zero.
            moved.times.begin_wait(now, wait);
            add(&moved.calls, 1);
        }
    }

    /// Starts a poll with recording off: an open wait ends, so that it does not grow forever.
    #[inline]
    pub(super) fn enter_unrecorded(&mut self, entry: &mut PollEntry) {
        if !matches!(self.state, SpanState::Unrecorded | SpanState::Lost) || local::down() != 0 {
            self.forget();
        }
        entry.begin_unrecorded();
    }

    /// Records that an unrecorded poll has returned.
    #[inline]
    pub(super) fn leave_unrecorded(&mut self, entry: &PollEntry, is_pending: bool) {
        entry.end_unrecorded();
        if !is_pending && matches!(self.state, SpanState::Lost) {
            self.end_lost(Node::complete);
        }
    }

    /// Records that an unrecorded poll has panicked.
    pub(super) fn panic_unrecorded(&mut self, entry: &PollEntry) {
        entry.end_unrecorded();
        if matches!(self.state, SpanState::Lost) {
            self.end_lost(|node, _| add(&node.panicked, 1));
        }
    }

    /// Counts the end of a call on its last recorded path. The call was counted when it began, and
    /// is no longer recorded.
    #[cold]
    pub(super) fn end_lost(&mut self, count: fn(&Node, u64)) {
        self.state = SpanState::Done;
        if let Some(node) = self.node {
            let ticks = clock::now().saturating_sub(self.made);
            on_own_tree(|place| place.tree.book(node, |own| count(own, ticks)));
        }
    }

    /// Ends the open accounts and takes the span off the list of live spans.
    #[cold]
    pub(super) fn forget(&mut self) {
        if matches!(self.state, SpanState::Waiting(_)) {
            on_own_tree(|place| {
                let now = clock::now();
                self.end_wait(place, now);
                self.end_await(place, now, false);
            });
        }
        self.end_unpolled();
        self.unlist();
        self.end_task();
        local::hand_down(None, 0);
        self.go_unrecorded();
    }

    /// Forgets where the body has stopped: from now on nothing records where it is.
    fn go_unrecorded(&mut self) {
        self.pending_children = 0;
        self.depth = 0;
        self.resume = Resume::No;
        self.state = self.state.unrecorded();
    }

    /// Ends the unpolled state. If the span was listed as unpolled, it takes over that slot.
    #[cold]
    pub(super) fn end_unpolled(&mut self) {
        if matches!(self.state, SpanState::Unpolled) && switch::has_listed_unpolled() {
            self.slot = live::unpolled::take((self.site, self.label), self.node, self.made);
        }
    }

    /// Records the end of a wait on its own path, in this thread's tree.
    #[cold]
    pub(super) fn end_wait(&self, place: TreePosition, now: u64) {
        if let (SpanState::Waiting(wait), Some(node)) = (self.state, self.node) {
            let is_child = self.before(|| is_child_of(node, place.current)) != Before::New;
            end_wait(node, (wait, is_child), place, now, |_| ());
        }
    }

    /// Records the end of the await where the body has stopped. An await that is no longer recorded
    /// counts as completed.
    #[cold]
    pub(super) fn end_await(&mut self, place: TreePosition, now: u64, is_cancelled: bool) {
        if let Some(at) = self.at.take() {
            let wait = self.await_wait();
            place.tree.book(at, |own| {
                own.times.end_wait(now, wait);
                add(if is_cancelled { &own.cancelled } else { &own.completed }, 1);
                if is_cancelled && wait == WaitAccount::Own {
                    last_wait::charge(own);
                }
            });
        }
    }
}

/// Lists an unpolled future below the one that creates it, in `maker`. Tasks are listed elsewhere.
#[cold]
#[inline(never)]
pub(super) fn list_unpolled(site: &'static Site, label: Label, maker: Option<&'static Node>, made: u64) {
    if site.kind == SiteKind::Task || switch::tasks_only() {
        return;
    }
    on_own_tree(|place| {
        let key = NodeKey { site, label: label.in_tree(), via: None };
        let Some(node) = place.tree.child(place.current, key, clock::now) else { return };
        let numbers = (context::new_span(), context::span());
        let now = first_poll::tick(made).unwrap_or_else(clock::now);
        let listed = SlotCopy::new(numbers, (live::RunState::Unpolled, now, now), node);
        if let Some(slot) = live::take(&listed) {
            live::unpolled::insert((site, label), maker, made, slot);
        }
    });
}

/// Records the end of a wait on its own path, in this thread's tree, and what `count` counts there.
/// `is_child` says whether the running poll counts it among its pending children.
#[cold]
pub(super) fn end_wait(
    node: &'static Node,
    (wait, is_child): (WaitAccount, bool),
    place: TreePosition,
    now: u64,
    count: impl FnOnce(&'static Node),
) {
    place.tree.book(node, |own| {
        own.times.end_wait(now, wait);
        count(own);
    });
    if is_child {
        local::replace_pending_children(local::pending_children().wrapping_sub(1));
    }
}

/// Returns whether `current`, the running poll, counts `node` among its pending children, as far as
/// paths tell.
pub(super) fn is_child_of(node: &'static Node, current: &'static Node) -> bool {
    node.parent.is_some_and(|parent| parent.span().same_path(current.span()))
}

/// Runs `book` with the thread's tree, or with a lent one.
pub(super) fn on_own_tree(book: impl FnOnce(TreePosition)) {
    let place = local::place();
    book(place);
    if place.lent {
        local::end_loan();
    }
}
