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

use super::local::{self, AwaitState, DIRECT, is_reading};
use super::made;
use super::moved::{is_child_of_running, list_unpolled, on_own_tree};
use super::root::enter_task;
use super::running::Entry;
use crate::clock;
use crate::context;
use crate::label::Label;
use crate::live::{self, Anchor, Slot, Task};
use crate::site::{Kind, Site};
use crate::switch;
use crate::sync::add;
use crate::tree::{Chain, Key, Node, Wait};

/// Where a span is in its life.
#[derive(Debug, Clone, Copy)]
pub(super) enum State {
    /// Made, or last polled, while nothing was recorded for it.
    Unseen,
    /// Not polled yet.
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
    /// When it was made: see [`made`].
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
    /// Of the macro in which it has stopped: see [`AwaitState::depth`].
    pub(super) depth: u8,
    /// Whether its next poll only goes on to the span inside, if the body around is at the await of this one: it is listed, and
    /// waits for that span and nothing else.
    pub(super) passes: bool,
    /// Of a root, its task, from its spawn or its first `Pending` on.
    pub(super) root: Option<&'static Task>,
}

impl Span {
    /// A span that begins now.
    #[inline]
    #[must_use]
    pub fn new(site: &'static Site, label: Label) -> Self {
        let (mut node, mut made, mut state) = (None, 0, State::Unseen);
        // All that could unwind comes before there is a span, which is kept in registers if nobody could have to drop it.
        if site.is_on() {
            (node, made, state) = begin(site, label);
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
            depth: 0,
            passes: false,
            root: None,
        }
    }

    /// A poll starts, with the executor's waker.
    pub(crate) fn enter(&mut self, entry: &mut Entry, outer: &Waker) {
        if self.passes { self.enter_passing(entry, outer) } else { self.enter_other(entry, outer) }
    }

    /// The body around goes on at the await of this span, and so does this one at that of its own: as most do where calls are deep.
    #[inline(never)]
    fn enter_passing(&mut self, entry: &mut Entry, outer: &Waker) {
        let down = local::down();
        if is_reading(down) && self.site.is_still_on() {
            if let (Some(node), Some(slot)) = (self.node, self.anchor.and_then(Anchor::slot)) {
                let around = (local::current(), context::span());
                if node.is_child_of(around.0) && slot.parent() == around.1 {
                    return self.enter_through(entry, (node, slot, around.1), down);
                }
            }
        }
        self.enter_other(entry, outer);
    }

    /// The poll begins with the reading of the body around, and goes straight to the span inside.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn enter_through(
        &self,
        entry: &mut Entry,
        (node, slot, outer): (&'static Node, &'static Slot, u64),
        now: u64,
    ) {
        let mut chain = entry.begin_handed(outer);
        entry.goes_down = true;
        slot.start(now);
        context::set_span(slot.id());
        node.times.enter(now, Some(Wait::Child));
        chain.levels += 1;
        let mut current = node;
        if let Some(at) = self.at {
            at.times.enter(now, Some(Wait::Child));
            chain.levels += 1;
            current = at;
        }
        local::set_current(Some(current));
        local::set_awaiting(self.at, AwaitState::SPAN.with_depth(self.depth));
        local::set_chain(chain);
    }

    #[inline(never)]
    fn enter_other(&mut self, entry: &mut Entry, outer: &Waker) {
        if !self.site.is_on() {
            return self.enter_unrecorded();
        }
        let is_entered = match local::current() {
            Some(current) if current.is_root() => self.enter_outermost(entry, outer, current),
            Some(current) => self.enter_below(entry, current),
            None => false,
        };
        if !is_entered {
            self.enter_slow(entry);
            if entry.is_root {
                self.enter_root(entry, outer);
            }
        }
    }

    /// A poll outside of every other one, as most are that an executor makes: nothing has to be saved. Returns whether it is a
    /// root on a path that is known.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn enter_outermost(&mut self, entry: &mut Entry, outer: &Waker, tree: &'static Node) -> bool {
        if live::current::registered().is_some() {
            return false;
        }
        if let State::Waiting(wait) = self.state {
            let (Some(node), Some(task)) = (self.node, self.root) else { return false };
            if !node.is_child_of(Some(tree)) {
                return false;
            }
            let now = self.begin(entry, 0);
            entry.begin_outermost();
            self.go_on(entry, node, wait, now);
            let waited = enter_task(task, node, now);
            entry.begin_root(task, outer, now, waited);
            return true;
        }
        // A function that is met: called from code that is not annotated.
        if !matches!(self.state, State::Unpolled) || switch::is_special() || local::is_spawned() {
            return false;
        }
        let key = Key { site: self.site, label: self.label, via: None };
        let Some(node) = tree.child(key) else { return false };
        let now = self.begin(entry, 0);
        entry.begin_outermost();
        node.times.enter(now, None);
        local::set_current(Some(node));
        add(&node.calls, 1);
        self.count_unpolled(node, now);
        self.node = Some(node);
        let (task, is_new) = live::meet_outermost(self.site, self.label, now, context::span(), node.tree);
        if is_new {
            local::note_task();
        }
        self.root = Some(task);
        entry.begin_root(task, outer, now, 0);
        true
    }

    /// A poll below another one. Returns whether that is where it was, or is a path that is known.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn enter_below(&mut self, entry: &mut Entry, current: &'static Node) -> bool {
        let down = local::down();
        match (self.state, self.node) {
            (State::Waiting(wait), Some(node)) if node.is_child_of(Some(current)) => {
                if is_reading(down) {
                    let Some(slot) = self.anchor.and_then(Anchor::slot) else { return false };
                    let parent = context::span();
                    // The body goes on where it has stopped: at the await that polls this span.
                    if slot.parent() != parent {
                        return false;
                    }
                    entry.begin_handed(parent);
                    slot.start(down);
                    context::set_span(slot.id());
                    self.go_on(entry, node, wait, down);
                } else {
                    if !same(node.via, local::via()) {
                        return false;
                    }
                    if down != 0 {
                        local::hand_down(None, 0);
                    }
                    entry.hands_on = down == DIRECT;
                    let now = self.begin(entry, 0);
                    entry.begin(node, true);
                    self.go_on(entry, node, wait, now);
                }
                true
            }
            (State::Unpolled, Some(maker)) if !switch::is_special() => {
                if !ptr::eq(maker, current)
                    || current.site.kind == Kind::Sync
                    || self.site.kind == Kind::Task
                    || local::is_spawned()
                {
                    return false;
                }
                let key = Key { site: self.site, label: self.label, via: local::via() };
                let Some(node) = current.child(key) else { return false };
                if down != 0 {
                    local::hand_down(None, 0);
                }
                entry.hands_on = down == DIRECT;
                let now = self.begin(entry, 0);
                entry.begin(node, false);
                node.times.enter(now, None);
                local::set_current(Some(node));
                local::set_awaiting(None, AwaitState::NONE);
                self.count_call(node, now);
                self.node = Some(node);
                true
            }
            _ => false,
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn count_call(&self, node: &'static Node, now: u64) {
        add(&node.calls, 1);
        // What was spawned has been there since.
        match local::spawned() {
            Some(task) => {
                made::drop_unpolled(self.made);
                add(&node.unpolled, now.saturating_sub(task.made()));
            }
            None => self.count_unpolled(node, now),
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn count_unpolled(&self, node: &'static Node, now: u64) {
        let unpolled = made::unpolled(self.made, now, self.site, self.node);
        if unpolled != 0 {
            add(&node.unpolled, unpolled);
        }
    }

    /// The poll of a node begins that has waited on the same path, and the body goes on where it has stopped.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn go_on(&self, entry: &mut Entry, node: &'static Node, wait: Wait, now: u64) {
        node.times.enter(now, Some(wait));
        local::set_current(Some(node));
        if wait == Wait::Own {
            entry.waited = true;
            local::polled_again(node);
        }
        self.go_on_at(entry, node, Some(wait), now);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn go_on_at(&self, entry: &mut Entry, node: &'static Node, ended: Option<Wait>, now: u64) {
        let has_child_wait = ended == Some(Wait::Child);
        let mut state = AwaitState::NONE.with_span(self.is_in_child);
        let mut goes_down = self.is_in_child && has_child_wait;
        if let Some(at) = self.at {
            let wait = self.await_wait();
            at.times.enter(now, Some(wait));
            local::set_current(Some(at));
            if wait == Wait::Own {
                local::polled_again(at);
                state = state.with_waited();
            }
            state = state.with_depth(self.depth);
            goes_down &= wait == Wait::Child;
        }
        entry.goes_down = has_child_wait && (goes_down || self.at.is_some());
        local::set_awaiting(self.at, state);
        if goes_down {
            let levels = entry.chain.levels + 1 + u32::from(self.at.is_some());
            local::set_chain(Chain { levels, stopper: entry.chain.stopper });
        } else if self.is_in_child {
            local::set_chain(Chain { levels: 0, stopper: Some(self.at.unwrap_or(node)) });
        } else {
            if entry.is_handed() {
                local::hand_down(None, 0);
            }
            return;
        }
        if !entry.is_handed() {
            local::hand_down(None, now);
        }
    }

    /// Whether its polls only pass through where it has stopped: see [`passes`](Span::passes).
    pub(super) fn can_pass(&self, wait: Wait) -> bool {
        wait == Wait::Child
            && self.is_in_child
            && (self.at.is_none() || self.await_wait() == Wait::Child)
            && self.anchor.and_then(Anchor::slot).is_some()
    }

    /// The account of the wait of the await where the body has stopped.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn await_wait(&self) -> Wait {
        if self.await_pending == 0 { Wait::Own } else { Wait::Child }
    }

    /// Makes the span the running one, and reads the clock, unless a reading was handed down.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn begin(&self, entry: &mut Entry, down: u64) -> u64 {
        let parent = context::span();
        entry.outer = parent;
        let now = if is_reading(down) { down } else { clock::now() };
        context::note_reading(now, false);
        let id = match self.anchor.and_then(Anchor::slot) {
            Some(slot) => slot.enter(parent, now),
            None => context::new_span(),
        };
        context::set_span(id);
        now
    }

    /// It does not wait any more, and is not listed as alive.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn end(&mut self, state: State) {
        self.pending_children = 0;
        self.at = None;
        self.passes = false;
        self.state = state;
        self.unlist();
    }

    /// The span is not listed as alive any more.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn unlist(&mut self) {
        if let Some(anchor) = self.anchor.take() {
            live::put(anchor);
        }
    }

    /// The future is about to be dropped: what its parts do to the count of pending children while they are dropped
    /// does not concern the poll that drops it.
    #[inline]
    pub(crate) fn begin_drop(&mut self) {
        if matches!(self.state, State::Waiting(_)) {
            self.begin_drop_pending();
        }
    }

    #[cold]
    fn begin_drop_pending(&mut self) {
        self.pending_children = local::replace_pending_children(0);
        if let Some(task) = self.root {
            task.begin_drop(clock::now());
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
                made::drop_unpolled(self.made);
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

    /// When it was made, as far as that is known; otherwise, when its first poll began.
    pub(super) fn made_at(&self, entered: u64) -> u64 {
        let made = if matches!(self.state, State::Unpolled) { made::tick(self.made) } else { None };
        made.unwrap_or(entered)
    }

    /// The task is done, or none any more.
    pub(super) fn end_task(&mut self) {
        if let Some(task) = self.root.take() {
            live::remove_task(task);
        }
    }
}

/// What a span keeps of its making.
fn begin(site: &'static Site, label: Label) -> (Option<&'static Node>, u64, State) {
    let made = made::make(site);
    if switch::lists_unpolled() {
        list_unpolled(site, label, made);
    }
    (local::current(), made, State::Unpolled)
}

impl Drop for Span {
    #[inline]
    fn drop(&mut self) {
        if matches!(self.state, State::Waiting(_) | State::Unpolled) {
            self.end_drop();
        }
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
