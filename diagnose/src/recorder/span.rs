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

use super::first_poll;
use super::local;
use super::reparent::{is_child_of_running, list_unpolled, on_own_tree};
use crate::clock;
use crate::label::Label;
use crate::live::{self, SlotRef, Task};
use crate::site::{Site, SiteKind};
use crate::switch;
use crate::sync::add;
use crate::tree::{Node, NodeKey, WaitAccount};

/// Where a span is in its life.
#[derive(Debug, Clone, Copy)]
pub(super) enum SpanState {
    /// Made, or last polled, while nothing was recorded for it.
    Unseen,
    /// Not polled yet.
    Unpolled,
    /// Returned `Pending` at a tick that its node has booked.
    Waiting(WaitAccount),
    /// Its call was counted, and what came after it is not recorded.
    Lost,
    /// Returned `Ready`, or panicked.
    Done,
}

impl SpanState {
    /// What comes after it in a poll that is not recorded.
    pub(super) fn unrecorded(self) -> Self {
        match self {
            Self::Unseen | Self::Unpolled | Self::Done => Self::Unseen,
            Self::Waiting(_) | Self::Lost => Self::Lost,
        }
    }
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
    pub(super) anchor: Option<&'static SlotRef>,
    /// The await where the body has stopped, unless that is a span of its own.
    pub(super) at: Option<&'static Node>,
    pub(super) label: Label,
    /// Annotated children that are pending.
    pub(super) pending_children: i32,
    /// Those of them that the await at `at` polls.
    pub(super) await_pending: i32,
    pub(super) state: SpanState,
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
        let (mut node, mut made, mut state) = (None, 0, SpanState::Unseen);
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

    /// Whether its polls only pass through where it has stopped: see [`passes`](Span::passes).
    pub(super) fn can_pass(&self, wait: WaitAccount) -> bool {
        wait == WaitAccount::Child
            && self.is_in_child
            && (self.at.is_none() || self.await_wait() == WaitAccount::Child)
            && self.anchor.and_then(SlotRef::slot).is_some()
    }

    /// The account of the wait of the await where the body has stopped.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn await_wait(&self) -> WaitAccount {
        if self.await_pending == 0 { WaitAccount::Own } else { WaitAccount::Child }
    }

    /// It does not wait any more, and is not listed as alive.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn end(&mut self, state: SpanState) {
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
        if matches!(self.state, SpanState::Waiting(_)) {
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
            (SpanState::Waiting(wait), Some(node)) => {
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
            (SpanState::Lost, _) => self.end_lost(|node| &node.cancelled),
            _ => {}
        }
    }

    /// When it was made, as far as that is known; otherwise, when its first poll began.
    pub(super) fn made_at(&self, entered: u64) -> u64 {
        let made = if matches!(self.state, SpanState::Unpolled) { first_poll::tick(self.made) } else { None };
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
fn begin(site: &'static Site, label: Label) -> (Option<&'static Node>, u64, SpanState) {
    let made = first_poll::make(site);
    if switch::lists_unpolled() {
        list_unpolled(site, label, made);
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
