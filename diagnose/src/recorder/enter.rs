//! How a poll begins: its node, its start, and the clock reading that it uses.
//!
//! ```text
//! enter ─ enter_again       where the last poll stopped: see `resume`
//!       └ enter_other ─ enter_outermost   an executor polls a root
//!                     ├ enter_below       below the running node, on a known path
//!                     └ enter_slow        anything else: see `reparent`
//! ```

use std::ptr;
use std::task::Waker;

use super::await_state::AwaitState;
use super::first_poll;
use super::local::{self, AGAIN, DIRECT, is_reading};
use super::poll_entry::PollEntry;
use super::resume::Resume;
use super::root::{OuterPoll, enter_spawned, enter_task};
use super::span::{Span, SpanState};
use crate::clock;
use crate::context;
use crate::live::{self, SlotRef, Task};
use crate::site::{Site, SiteKind};
use crate::switch;
use crate::sync::add;
use crate::tree::{Node, NodeKey, PassingChain, WaitAccount};

impl Span {
    /// Starts a poll with the executor's waker.
    pub(crate) fn enter(&mut self, entry: &mut PollEntry, outer: &Waker) {
        if self.resume != Resume::Unknown {
            self.enter_again(entry, outer);
        } else if self.site.is_still_on() {
            self.enter_other(entry, outer);
        } else {
            self.enter_unsure(entry, outer);
        }
    }

    /// The site is reached for the first time, or is switched off.
    #[inline(never)]
    pub(super) fn enter_unsure(&mut self, entry: &mut PollEntry, outer: &Waker) {
        if self.site.is_on() {
            return self.enter_other(entry, outer);
        }
        self.enter_unrecorded(entry);
    }

    #[inline(never)]
    pub(super) fn enter_other(&mut self, entry: &mut PollEntry, outer: &Waker) {
        let is_entered = match local::current() {
            Some(current) if current.is_root() => self.enter_outermost(entry, outer, current),
            Some(current) => self.enter_below(entry, current),
            None => false,
        };
        if !is_entered {
            self.enter_slow(entry);
            if entry.begun.is_root {
                self.enter_root(entry, outer);
            }
        }
    }

    /// Starts a poll outside every other poll, the common case for an executor: nothing has to be
    /// saved. Returns `false` unless the span is a root on a known path.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn enter_outermost(&mut self, entry: &mut PollEntry, outer: &Waker, tree: &'static Node) -> bool {
        // Such a task is known from a runtime's hooks, or is a blocking closure.
        let is_inside = live::current::registered().is_some();
        if let SpanState::Waiting(wait) = self.state {
            let (Some(node), Some(task)) = (self.node, self.root) else { return false };
            if !node.is_child_of(Some(tree)) {
                return false;
            }
            let now = self.begin(entry, 0);
            entry.begin_outermost(false);
            self.go_on(entry, node, wait, now);
            let waited = enter_task(task, node, now);
            let around = if is_inside { Some(OuterPoll::leave()) } else { None };
            entry.begin_root(task, outer, waited, around);
            return true;
        }
        if !matches!(self.state, SpanState::Unpolled) || is_inside || switch::is_special() {
            return false;
        }
        let key = NodeKey { site: self.site, label: self.label, via: None };
        let Some(node) = tree.child(key) else { return false };
        let now = self.begin(entry, 0);
        entry.begin_outermost(false);
        node.times.enter(now, None);
        local::set_current(Some(node));
        let spawned = local::take_spawned();
        self.count_call(node, now, spawned);
        self.node = Some(node);
        let (task, waited) = match spawned {
            Some(task) => (task, enter_spawned(task, node, now)),
            None => (self.meet(node, now), 0),
        };
        self.root = Some(task);
        entry.begin_root(task, outer, waited, None);
        true
    }

    /// Creates the task of a root called from code that is not annotated.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn meet(&self, node: &'static Node, now: u64) -> &'static Task {
        let (task, is_new) = live::meet_outermost(self.site, self.label, now, context::span(), node.tree);
        if is_new {
            local::note_task();
        }
        task
    }

    /// Starts a poll below another. Returns `false` unless the span is polled where it was before,
    /// or on a known path.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn enter_below(&mut self, entry: &mut PollEntry, current: &'static Node) -> bool {
        let down = local::down();
        match (self.state, self.node) {
            (SpanState::Waiting(wait), Some(node)) if node.is_child_of(Some(current)) => {
                if is_reading(down) {
                    let Some(slot) = self.anchor.and_then(SlotRef::slot) else { return false };
                    let parent = context::span();
                    // The body resumes where it stopped: at the await that polls this span.
                    if slot.parent() != parent {
                        return false;
                    }
                    entry.begin_handed(parent, false);
                    slot.start(down);
                    context::set_span(slot.id());
                    self.go_on(entry, node, wait, down);
                } else {
                    if down != AGAIN && !same(node.via, local::via()) {
                        return false;
                    }
                    if down != 0 {
                        local::hand_down(None, 0);
                    }
                    entry.begun.hands_on = down == DIRECT;
                    let now = self.begin(entry, 0);
                    entry.begin(node, true);
                    self.go_on(entry, node, wait, now);
                }
                true
            }
            // A first poll may be anywhere, whichever node created the span.
            (SpanState::Unpolled, _) if !switch::is_special() => {
                if matches!(current.site.kind, SiteKind::Sync | SiteKind::Traced)
                    || self.site.kind == SiteKind::Task
                    || local::is_spawned()
                {
                    return false;
                }
                let key = NodeKey { site: self.site, label: self.label, via: local::via() };
                let Some(node) = current.child(key) else { return false };
                if down != 0 {
                    local::hand_down(None, 0);
                }
                entry.begun.hands_on = down == DIRECT;
                let now = self.begin(entry, 0);
                entry.begin(node, false);
                node.times.enter(now, None);
                local::set_current(Some(node));
                local::set_awaiting(None, AwaitState::NONE);
                self.count_call(node, now, None);
                self.node = Some(node);
                true
            }
            _ => false,
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn count_call(&self, node: &'static Node, now: u64, spawned: Option<&'static Task>) {
        add(&node.calls, 1);
        // A spawned future counts as unpolled since its spawn.
        let unpolled = match spawned {
            Some(task) => {
                first_poll::drop_unpolled(self.made);
                now.saturating_sub(task.made())
            }
            None => first_poll::unpolled(self.made, now, self.site, self.node),
        };
        if unpolled != 0 {
            add(&node.unpolled, unpolled);
        }
    }

    /// Starts the poll of a node that waited on the same path; the body resumes where it stopped.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn go_on(&self, entry: &mut PollEntry, node: &'static Node, wait: WaitAccount, now: u64) {
        node.times.enter(now, Some(wait));
        local::set_current(Some(node));
        if wait == WaitAccount::Own {
            entry.begun.waited = true;
            local::polled_again(node);
        }
        self.go_on_at(entry, node, Some(wait), now);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn go_on_at(
        &self,
        entry: &mut PollEntry,
        node: &'static Node,
        ended: Option<WaitAccount>,
        now: u64,
    ) {
        let has_child_wait = ended == Some(WaitAccount::Child);
        let mut state = AwaitState::NONE.with_span(self.is_in_child);
        let mut goes_down = self.is_in_child && has_child_wait;
        if let Some(at) = self.at {
            let wait = self.await_wait();
            at.times.enter(now, Some(wait));
            local::set_current(Some(at));
            if wait == WaitAccount::Own {
                local::polled_again(at);
                state = state.with_waited();
            }
            state = state.with_depth(self.depth);
            goes_down &= wait == WaitAccount::Child;
        }
        entry.begun.goes_down = has_child_wait && (goes_down || self.at.is_some());
        local::set_awaiting(self.at, state);
        if goes_down {
            let levels = entry.levels + 1 + u32::from(self.at.is_some());
            local::set_chain(PassingChain { levels, stopper: entry.stopper });
        } else if self.is_in_child {
            local::set_chain(PassingChain { levels: 0, stopper: Some(self.at.unwrap_or(node)) });
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

    /// Makes the span the running one, and reads the clock unless `down` is a reading.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn begin(&self, entry: &mut PollEntry, down: u64) -> u64 {
        let parent = context::span();
        entry.outer = parent;
        let now = if is_reading(down) { down } else { clock::now() };
        context::note_reading(now, false);
        let id = match self.anchor.and_then(SlotRef::slot) {
            Some(slot) => slot.enter(parent, now),
            None => context::new_span(),
        };
        context::set_span(id);
        now
    }
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn same(a: Option<&'static Site>, b: Option<&'static Site>) -> bool {
    let address = |site: Option<&'static Site>| site.map_or(ptr::null(), ptr::from_ref);
    ptr::eq(address(a), address(b))
}
