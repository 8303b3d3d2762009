//! A span: the recorder's part of one annotated future.
//!
//! ```text
//!              first poll           Pending                    Ready
//!  Unpolled ───────────────▶ (running) ──▶ Waiting ──▶ (running) ──▶ Done
//!     │ drop                                  │ drop
//!     ▼                                       ▼
//!  never polled                            cancelled
//! ```
//! A future created while recording was off is `Unrecorded`: it is counted from its first recorded
//! poll on.

use super::first_poll;
use super::last_wait;
use super::local;
use super::poll_entry::Before;
use super::reparent::{end_wait, is_child_of, list_unpolled, on_own_tree};
use super::resume::Resume;
use crate::clock;
use crate::label::Label;
use crate::live::{self, LiveSlot, Task};
use crate::site::{Site, SiteKind};
use crate::switch;
use crate::sync::add;
use crate::tree::{Node, NodeKey, WaitAccount};

/// The state of a span between its creation and its end.
#[derive(Debug, Clone, Copy)]
pub(super) enum SpanState {
    /// Created or last polled while not recorded.
    Unrecorded,
    Unpolled,
    /// Returned `Pending`; its node's account of this kind has an open wait.
    Waiting(WaitAccount),
    /// Its call was counted, and its polls since are not recorded.
    Lost,
    /// Returned `Ready`, or panicked.
    Done,
}

impl SpanState {
    /// The account of the open wait.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn wait(self) -> Option<WaitAccount> {
        match self {
            Self::Waiting(wait) => Some(wait),
            _ => None,
        }
    }

    /// The state after a poll that is not recorded.
    pub(super) fn unrecorded(self) -> Self {
        match self {
            Self::Unrecorded | Self::Unpolled | Self::Done => Self::Unrecorded,
            Self::Waiting(_) | Self::Lost => Self::Lost,
        }
    }
}

/// The recorder's state inside a timed future: 64 bytes.
#[derive(Debug)]
pub struct Span {
    pub(super) site: &'static Site,
    /// The node of the last poll; before the first, the node that was running at creation.
    pub(super) node: Option<&'static Node>,
    /// Before the first `Pending`, when the span was created, as encoded by `first_poll::make`.
    /// From then on, the tick at which the first poll of the call began.
    pub(super) made: u64,
    /// The slot that lists the span as alive, from its first `Pending` on. `None` after that if all
    /// slots were taken.
    pub(super) slot: Option<&'static LiveSlot>,
    /// The node of the await where the body has stopped. `None` for the await of a span.
    pub(super) at: Option<&'static Node>,
    pub(super) label: Label,
    /// Number of pending annotated children.
    pub(super) pending_children: i32,
    /// The pending children that the await at `at` polls.
    pub(super) await_pending: i32,
    pub(super) state: SpanState,
    /// While the span waits, how its next poll resumes, if that poll comes from the same place as
    /// the last one.
    pub(super) resume: Resume,
    /// The nesting depth in the macro at which the body has stopped; zero outside of macros.
    pub(super) depth: u8,
    /// The `depth` of the body around.
    pub(super) outer_depth: u8,
    /// For a root, its task, from its spawn or its first `Pending` on.
    pub(super) root: Option<&'static Task>,
}

impl Span {
    /// Creates a span, recording its creation if the site is on.
    #[inline]
    #[must_use]
    pub fn new(site: &'static Site, label: Label) -> Self {
        let (mut node, mut made, mut state) = (None, 0, SpanState::Unrecorded);
        // Everything that can unwind comes before the span exists. A span that unwinding need not
        // drop stays in registers.
        if site.is_on() {
            (node, made, state) = begin(site, label);
        }
        Self {
            site,
            node,
            made,
            slot: None,
            at: None,
            label,
            pending_children: 0,
            await_pending: 0,
            state,
            resume: Resume::No,
            depth: 0,
            outer_depth: 0,
            root: None,
        }
    }

    /// The account that the await's current wait goes to.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn await_wait(&self) -> WaitAccount {
        if self.await_pending == 0 { WaitAccount::Own } else { WaitAccount::Child }
    }

    /// Sets the final `state`, and takes the span off the list of live spans.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn end(&mut self, state: SpanState) {
        self.pending_children = 0;
        self.at = None;
        self.resume = Resume::No;
        self.state = state;
        self.unlist();
    }

    /// Takes the span off the list of live spans.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn unlist(&mut self) {
        if let Some(slot) = self.slot.take() {
            live::put(slot);
        }
    }

    /// Called before the future is dropped. Its children change the count of pending children as
    /// they drop, which must not affect the poll that drops it.
    #[inline]
    pub(crate) fn begin_drop(&mut self) {
        if matches!(self.state, SpanState::Waiting(_)) {
            self.begin_drop_pending();
        }
    }

    #[cold]
    fn begin_drop_pending(&mut self) {
        self.pending_children = local::replace_pending_children(0);
        if let (Some(task), Some(node)) = (self.root, self.node) {
            last_wait::begin_drop(task, node, clock::now());
        }
    }

    #[cold]
    fn end_drop(&mut self) {
        self.end_unpolled();
        self.label = self.label.without_text();
        let is_by_path = || {
            let current = local::current();
            self.node.zip(current).is_some_and(|(node, current)| is_child_of(node, current))
        };
        let is_child = self.before(is_by_path) != Before::New;
        let is_task = self.root.is_some();
        self.unlist();
        self.end_task();
        let now = clock::now();
        match (self.state, self.node) {
            (SpanState::Waiting(wait), Some(node)) => {
                on_own_tree(|place| {
                    local::replace_pending_children(self.pending_children);
                    self.end_await(place, now, true);
                    let length = now.saturating_sub(self.made);
                    end_wait(node, (wait, is_child), place, now, |own| {
                        own.cancel(length);
                        if is_task || wait == WaitAccount::Own {
                            last_wait::charge(own);
                        }
                    });
                });
            }
            (SpanState::Unpolled, maker) => on_own_tree(|place| {
                first_poll::drop_unpolled(self.made);
                let root = self.site.kind == SiteKind::Task;
                let parent = match maker {
                    Some(maker) if !root => place.tree.mirror(maker),
                    _ => Some(&place.tree.root),
                };
                let Some(parent) = parent else { return place.tree.count_over() };
                if switch::tasks_only() && !parent.is_root() {
                    return;
                }
                let key = NodeKey { site: self.site, label: self.label, via: None };
                if let Some(node) = place.tree.child(parent, key, clock::now) {
                    add(&node.never_polled, 1);
                }
            }),
            (SpanState::Lost, _) => self.end_lost(Node::cancel),
            _ => {}
        }
    }

    /// The tick of creation, or `entered` if that is unknown.
    pub(super) fn made_at(&self, entered: u64) -> u64 {
        let made = if matches!(self.state, SpanState::Unpolled) { first_poll::tick(self.made) } else { None };
        made.unwrap_or(entered)
    }

    /// Returns the tick at which the first poll of the call began, if the call has been pending.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn first_poll(&self) -> Option<u64> {
        matches!(self.state, SpanState::Waiting(_) | SpanState::Lost).then_some(self.made)
    }

    /// Keeps the tick at which the first poll began, at the end of that poll.
    pub(super) fn note_first_poll(&mut self, entered: u64) {
        if self.first_poll().is_none() {
            self.made = entered;
        }
    }

    /// Unregisters the span's task: it is done, or its span is no longer a root.
    pub(super) fn end_task(&mut self) {
        if let Some(task) = self.root.take() {
            live::remove_task(task);
        }
    }
}

/// Records a creation. Returns the span's node, creation word and state.
fn begin(site: &'static Site, label: Label) -> (Option<&'static Node>, u64, SpanState) {
    let made = first_poll::make(site);
    if switch::lists_unpolled() {
        // Read before the listing, which creates the tree of a new thread. The span is found by
        // this node.
        let maker = local::current();
        list_unpolled(site, label, maker, made);
        return (maker, made, SpanState::Unpolled);
    }
    (local::current(), made, SpanState::Unpolled)
}

impl Drop for Span {
    #[inline]
    fn drop(&mut self) {
        if matches!(self.state, SpanState::Waiting(_) | SpanState::Unpolled | SpanState::Lost) {
            self.end_drop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Span;

    #[test]
    fn a_span_is_small() {
        assert!(size_of::<Span>() <= 64, "{}", size_of::<Span>());
    }
}
