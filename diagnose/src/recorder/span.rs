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

use super::local::{self, AwaitState};
use super::moved::{is_child_of_running, list_unpolled, on_own_tree};
use super::root::RootPoll;
use super::running::{Entry, parent_id};
use crate::clock;
use crate::label::Label;
use crate::live::{self, Anchor, Listed, Task};
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

/// What a timed future carries: 64 bytes.
#[derive(Debug)]
pub struct Span {
    pub(super) site: &'static Site,
    /// The node of the last poll; before the first, the node that was running when the span was made.
    pub(super) node: Option<&'static Node>,
    /// When it was made, in ticks.
    pub(super) made: u64,
    /// Where it is listed as alive, from its first `Pending` on; without it then, all slots were taken.
    pub(super) anchor: Option<&'static Anchor>,
    /// The await where the body has stopped, unless that is a span of its own.
    pub(super) at: Option<&'static Node>,
    pub(super) label: Label,
    /// Annotated children that are pending.
    pub(super) pending_children: i32,
    /// Those of them that the await at `at` polls.
    pub(super) await_pending: i32,
    pub(super) state: State,
    /// Whether the body has stopped at the await of a span.
    pub(super) is_in_child: bool,
    /// Of a root, its task. It is taken out while the span is polled.
    pub(super) root: Option<&'static Task>,
}

impl Span {
    /// A span that begins now: one reading of the clock.
    #[inline]
    #[must_use]
    pub fn new(site: &'static Site, label: Label) -> Self {
        let (mut node, mut made, mut state) = (None, 0, State::Unseen);
        // All that could unwind comes before there is a span, which is kept in registers if nobody could have to drop it.
        if site.is_on() {
            (node, made, state) = (local::current(), clock::now(), State::Unpolled);
            if switch::lists_unpolled() {
                list_unpolled(site, label, made);
            }
        }
        Self {
            site,
            node,
            made,
            anchor: None,
            at: None,
            label,
            pending_children: 0,
            await_pending: 0,
            state,
            is_in_child: false,
            root: None,
        }
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
        // The body goes on where it has stopped: at the await that polls this span.
        let goes_on = stamp != 0
            && via.is_none()
            && self.anchor.and_then(Anchor::slot).is_some_and(|slot| slot.parent() == local::id());
        let current = local::current();
        match (self.state, self.node, current) {
            (State::Waiting(wait), Some(node), Some(current))
                if node.parent.is_some_and(|parent| ptr::eq(parent, current))
                    && (goes_on || same(node.via, via)) =>
            {
                let now = self.begin(entry, if goes_on { stamp } else { 0 });
                entry.visit.begin(node, current, now, Some(wait));
                entry.begin_wait_end(node, wait);
                entry.outer_pending = local::replace_pending_children(0).wrapping_sub(1);
                self.go_on(entry, now);
                true
            }
            (State::Unpolled, Some(maker), Some(current))
                if ptr::eq(maker, current)
                    && !current.is_root()
                    && current.site.kind != Kind::Sync
                    && !local::is_spawned()
                    && self.site.kind != Kind::Task
                    && !switch::is_special() =>
            {
                self.enter_first(entry, current, via)
            }
            _ => {
                let via = if goes_on { self.node.and_then(|node| node.via) } else { via };
                self.enter_slow(entry, via, if goes_on { stamp } else { 0 })
            }
        }
    }

    /// The first poll. Not compiled into each future: see [`awaits`](super::awaits).
    #[inline(never)]
    fn enter_first(&mut self, entry: &mut Entry, current: &'static Node, via: Option<&'static Site>) -> bool {
        let key = Key { site: self.site, label: self.label, via };
        let Some(node) = current.child(key) else { return self.enter_slow(entry, via, 0) };
        let now = self.begin(entry, 0);
        entry.begin_awaits();
        entry.visit.begin(node, current, now, None);
        entry.outer_pending = local::replace_pending_children(0);
        add(&node.calls, 1);
        add(&node.unpolled, now.saturating_sub(self.made));
        self.node = Some(node);
        true
    }

    /// The body goes on at the await where it has stopped.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn go_on(&self, entry: &mut Entry, now: u64) {
        entry.begin_awaits();
        if let Some(at) = self.at {
            let wait = self.await_wait();
            at.times.enter(now, Some(wait));
            local::set_current(Some(at));
            let waited = wait == Wait::Own;
            if waited {
                local::polled_again(at);
            }
            local::set_awaiting(Some(at), AwaitState { waited, ..AwaitState::NONE });
        } else if self.is_in_child {
            local::set_awaiting(None, AwaitState { is_span: true, ..AwaitState::NONE });
            local::set_stamp(now);
        }
    }

    /// The account of the wait of the await where the body has stopped.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn await_wait(&self) -> Wait {
        if self.await_pending == 0 { Wait::Own } else { Wait::Child }
    }

    /// Makes the span the running one, and reads the clock unless the body around has just been entered.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn begin(&self, entry: &mut Entry, stamp: u64) -> u64 {
        let parent = local::id();
        entry.outer = parent;
        let (id, now) = match self.anchor.and_then(Anchor::slot) {
            Some(slot) => {
                let now = if stamp == 0 { clock::now() } else { stamp };
                (slot.enter(parent, now), now)
            }
            None => (local::new_id(), clock::now()),
        };
        local::set_id(id);
        now
    }

    /// The span is not listed as alive any more.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn unlist(&mut self) {
        if let Some(anchor) = self.anchor.take() {
            local::put_slot(anchor);
        }
    }

    /// The future is about to be dropped: what its parts do to the count of pending children while they are dropped
    /// does not concern the poll that drops it.
    #[inline]
    pub(crate) fn begin_drop(&mut self) {
        if matches!(self.state, State::Waiting(_)) {
            self.pending_children = local::replace_pending_children(0);
            if let Some(task) = self.root {
                task.begin_drop(clock::now());
            }
        }
    }

    #[cold]
    fn end_drop(&mut self) {
        self.end_unpolled();
        self.unlist();
        self.end_task();
        let now = clock::now();
        match (self.state, self.node) {
            (State::Waiting(wait), Some(node)) => {
                on_own_tree(|place| {
                    let gone = i32::from(is_child_of_running(node, place));
                    local::replace_pending_children(self.pending_children.wrapping_sub(gone));
                    self.end_await(place, now, true);
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

impl Span {
    /// The poll of a task, if this is a root that is being polled.
    #[inline(never)]
    pub(crate) fn enter_root(&mut self, outer: &Waker) -> Option<RootPoll> {
        let task = self.root?;
        self.root = None;
        Some(RootPoll::enter(task, self.node?, outer))
    }

    /// The poll is over, and in the books.
    #[inline(never)]
    pub(crate) fn leave_root(&mut self, root: Option<RootPoll>) {
        if let Some(root) = root {
            // Otherwise the task is done.
            if matches!(self.state, State::Waiting(_)) {
                self.root = Some(root.leave());
            }
        }
    }

    /// The task is done, or none any more.
    pub(super) fn end_task(&mut self) {
        if let Some(task) = self.root.take() {
            live::remove_task(task);
        }
    }

    /// Lists the span as alive.
    #[cold]
    pub(super) fn list(&self, node: &'static Node, entry: &Entry) -> Option<&'static Anchor> {
        let entered = node.times.entered();
        let made = if matches!(self.state, State::Unpolled) { self.made } else { entered };
        let numbers = (local::id(), parent_id(node, entry));
        local::take_slot(&Listed::new(numbers, (live::State::Running, made, entered), node))
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
        assert!(size_of::<Span>() <= 64, "{}", size_of::<Span>());
    }
}
