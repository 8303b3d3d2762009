//! How a poll begins: its node, its start, and the clock reading that it uses.
//!
//! ```text
//! enter ┬ enter_again     the span has waited: see `resume`
//!       ├ enter_first ┬ enter_first_outermost   an executor polls a root: see `ready_root`
//!       │             └ enter_first_below       below the running node, on a known path
//!       └ enter_slow      anything else: see `reparent`
//! ```

use std::task::Waker;

use super::await_state::AwaitState;
use super::first_poll;
use super::local::{self, AGAIN, DIRECT, is_reading};
use super::poll_entry::{Before, PollEntry, PollStart, PollStartKind};
use super::resume::Resume;
use super::span::{Span, SpanState};
use crate::clock;
use crate::context;
use crate::label::Label;
use crate::live::{self, Task};
use crate::site::SiteKind;
use crate::switch;
use crate::sync::add;
use crate::task_attr;
use crate::tree::{Node, NodeKey, WaitAccount};

impl Span {
    /// Starts a poll with the executor's waker.
    #[inline(never)]
    pub(crate) fn enter(&mut self, entry: &mut PollEntry, outer: &Waker) {
        if self.resume != Resume::No {
            self.enter_again(entry, outer);
        } else if self.label.is_unlisted() {
            self.enter_unlisted(entry, outer);
        } else if matches!(self.state, SpanState::Unpolled) && self.site.is_still_on() {
            self.enter_first(entry, outer);
        } else {
            self.enter_unsure(entry, outer);
        }
    }

    /// Starts a first poll whose label is `[other]` in the trees. If the span becomes a task, it
    /// still shows the label.
    #[cold]
    fn enter_unlisted(&mut self, entry: &mut PollEntry, outer: &Waker) {
        let text = self.label.take_unlisted();
        self.label = Label::OTHER;
        self.enter(entry, outer);
        if let (Some(text), Some(task)) = (text, self.root) {
            task_attr::set_label(task.id(), text);
        }
    }

    /// Starts a poll if the site is reached for the first time, is or was switched off, or the span
    /// is done.
    #[inline(never)]
    pub(super) fn enter_unsure(&mut self, entry: &mut PollEntry, outer: &Waker) {
        if self.site.is_on() {
            return self.enter_slow(entry, outer);
        }
        self.enter_unrecorded(entry);
    }

    /// Starts the first poll of a span.
    #[inline(never)]
    fn enter_first(&mut self, entry: &mut PollEntry, outer: &Waker) {
        let Some(current) = local::current().filter(|_| !switch::is_special()) else {
            return self.enter_slow(entry, outer);
        };
        if current.is_root() {
            self.enter_first_outermost(entry, outer, current);
        } else {
            self.enter_first_below(entry, outer, current);
        }
    }

    /// Starts the first poll of a span inside another poll, which need not be the poll that created
    /// the span.
    #[inline(never)]
    fn enter_first_below(&mut self, entry: &mut PollEntry, outer: &Waker, current: &'static Node) {
        let down = local::down();
        if is_reading(down)
            || down == AGAIN
            || current.is_outside_of_tasks()
            || self.site.kind == SiteKind::Task
            || local::spawned().is_some()
        {
            return self.enter_slow(entry, outer);
        }
        let key = NodeKey { site: self.site, label: self.label, via: local::via() };
        let Some(node) = current.child(key) else { return self.enter_slow(entry, outer) };
        if down != 0 {
            local::hand_down(None, 0);
        }
        entry.begin_below(node, Before::New);
        entry.begun = PollStart { hands_on: down == DIRECT, ..PollStart::new(PollStartKind::Below) };
        let now = begin_new();
        node.times.enter(now, None);
        local::set_current(Some(node));
        local::set_awaiting(None, AwaitState::NONE);
        self.count_call(node, now, None);
        self.node = Some(node);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn count_call(&self, node: &'static Node, now: u64, spawned: Option<&'static Task>) {
        add(&node.calls, 1);
        // A spawned future counts as unpolled since its spawn.
        let unpolled = match spawned {
            Some(task) => {
                first_poll::drop_unpolled(self.made);
                now.saturating_sub(task.made().max(live::last_reset()))
            }
            None => first_poll::unpolled(self.made, now, self.site, self.node),
        };
        if unpolled != 0 {
            add(&node.unpolled, unpolled);
        }
    }

    /// Starts the poll of `node`, after a wait there if one `ended`. If the body has stopped at an
    /// await, it resumes there.
    pub(super) fn go_on_with(
        &self,
        entry: &mut PollEntry,
        node: &'static Node,
        ended: Option<WaitAccount>,
        now: u64,
    ) {
        node.times.enter(now, ended);
        local::set_current(Some(node));
        if ended == Some(WaitAccount::Own) {
            entry.begun.waited = true;
            local::polled_again(node);
        }
        let has_child_wait = ended == Some(WaitAccount::Child);
        let mut state = AwaitState::NONE.with_span(self.is_in_span());
        let mut goes_down = self.is_in_span() && has_child_wait;
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
            if !entry.is_handed() {
                local::hand_down(None, now);
                local::set_stopper(entry.stopper(node));
            }
        } else if self.is_in_span() {
            local::hand_down(None, AGAIN);
        } else if entry.is_handed() {
            local::hand_down(None, 0);
        }
    }

    /// Makes the span the running one, and reads the clock unless `down` is a reading.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn begin(&self, down: u64) -> u64 {
        let now = if is_reading(down) { down } else { clock::now() };
        context::note_reading(now, false);
        let id = match self.slot {
            Some(slot) => slot.enter(context::span(), now),
            None => context::new_span(),
        };
        context::set_span(id);
        now
    }
}

/// Makes a span without a slot the running one, and reads the clock.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn begin_new() -> u64 {
    let now = clock::now();
    context::note_reading(now, false);
    context::set_span(context::new_span());
    now
}
