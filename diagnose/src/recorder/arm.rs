//! An arm of a `join!` or `select!`: an await point that the code of a macro polls, beside others.
//!
//! ```text
//!            first poll            Pending                  Ready
//!  Fresh ───────────────▶ (polled) ──▶ Live ──▶ (polled) ──▶ Done
//! ```
//! It is a span like any other, but it lives in the poll of a body, never is a root, and carries one word: between polls
//! everything is in its slot of the live registry.

use std::ptr;

use super::local::{self, ARM, TreePosition};
use super::reparent::{is_child_of_running, on_own_tree};
use crate::clock;
use crate::context;
use crate::live::{self, LiveSlot, SlotCopy, SlotRef, SlotState};
use crate::site::Site;
use crate::switch;
use crate::sync::{add, sub};
use crate::tree::{Node, NodeKey, PassingChain, WaitAccount};

/// What the future of an arm carries: 8 bytes.
#[derive(Debug)]
pub(crate) struct Point {
    anchor: &'static SlotRef,
}

static DONE: SlotRef = SlotRef::Done;

/// The static of one arm of a `join!` or `select!`: polled by the macro's code, and not by the body itself.
#[derive(Debug)]
pub struct Arm {
    site: Site,
    /// What a future points to that has not been polled yet.
    fresh: SlotRef,
}

impl Arm {
    /// An arm that is written where this is called; `this` is the static itself. For the rest see [`Site::at`].
    #[must_use]
    #[track_caller]
    pub const fn new(
        this: &'static Self,
        owner: &'static Site,
        text: &'static str,
        end_line: u32,
        end_column: u32,
    ) -> Self {
        let mut site = Site::at(owner, text, end_line, end_column);
        site.is_direct = false;
        Self { site, fresh: SlotRef::Fresh(&this.site) }
    }

    /// An arm of a `join!`: no other arm that is done takes it along.
    #[must_use]
    pub const fn joined(mut self) -> Self {
        self.site.is_joined = true;
        self
    }
}

impl Point {
    pub(crate) const fn new(place: &'static Arm) -> Self {
        Self { anchor: &place.fresh }
    }

    /// What is awaited is a span of its own: it is only told through which await it is polled.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn hand_down(&self) {
        let SlotRef::Fresh(site) = self.anchor else { return };
        if running_body(site).is_some() {
            local::hand_down(Some(site), ARM);
        }
    }

    /// A poll starts. Returns whether it is recorded; then [`Awaiting`] must be made.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn enter(&mut self, entry: &mut AwaitEntry) -> bool {
        let Some(body) = local::current() else { return self.enter_slow(entry) };
        match self.anchor {
            SlotRef::Live(slot) => match slot.node() {
                Some(node)
                    if node.parent.is_some_and(|parent| ptr::eq(parent, body))
                        && is_owner(node.site, body) =>
                {
                    entry.begin_again(slot, node, body, slot.wait());
                    true
                }
                _ => self.enter_slow(entry),
            },
            SlotRef::Fresh(site) => {
                if !is_owner(site, body) || switch::tasks_only() {
                    return self.enter_slow(entry);
                }
                let Some(node) = body.child(NodeKey::plain(site)) else { return self.enter_slow(entry) };
                entry.begin(node, body);
                true
            }
            SlotRef::Done => false,
        }
    }

    /// The first poll of a path, a thread that has changed, a body that is not recorded.
    #[cold]
    #[inline(never)]
    fn enter_slow(&mut self, entry: &mut AwaitEntry) -> bool {
        let (site, live) = match self.anchor {
            SlotRef::Fresh(site) => (*site, None),
            SlotRef::Live(slot) => match slot.node() {
                Some(node) => (node.site, Some((slot, node))),
                None => return false,
            },
            SlotRef::Done => return false,
        };
        let body = if switch::tasks_only() { None } else { running_body(site) };
        // The body is running, so there is a tree, and it is not a lent one.
        let child = body.and_then(|body| {
            let node = local::place().tree.child(body, NodeKey::plain(site), clock::now)?;
            Some((node, body))
        });
        match (child, live) {
            (Some((node, body)), None) => entry.begin(node, body),
            (Some((node, body)), Some((slot, old))) => {
                slot.follow(node);
                if old.same_path(node) {
                    entry.begin_again(slot, node, body, slot.wait());
                } else {
                    let place = local::place();
                    end_wait(old, slot.wait(), place);
                    place.tree.book(old, |own| sub(&own.moved, 1));
                    self.unlist();
                    entry.begin(node, body);
                }
            }
            (None, Some((slot, old))) => {
                on_own_tree(|place| {
                    end_wait(old, slot.wait(), place);
                    place.tree.book(old, |own| add(&own.completed, 1));
                });
                self.unlist();
                return false;
            }
            (None, None) => return false,
        }
        true
    }

    /// The future is about to be dropped: what its parts do to the count of pending children while they are dropped does
    /// not concern the poll that drops it.
    #[inline]
    pub(crate) fn begin_drop(&mut self) {
        if let SlotRef::Live(slot) = self.anchor {
            slot.set_pending_below(local::replace_pending_children(0), slot.wait());
        }
    }

    /// It is not listed as alive any more.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn unlist(&mut self) {
        if let SlotRef::Live(_) = self.anchor {
            live::put(self.anchor);
        }
        self.anchor = &DONE;
    }

    #[cold]
    fn end_drop(&mut self) {
        let SlotRef::Live(slot) = self.anchor else { return };
        let (pending, wait) = (slot.pending_children(), slot.wait());
        if let Some(node) = slot.node() {
            let now = clock::now();
            on_own_tree(|place| {
                let gone = i32::from(is_child_of_running(node, place));
                local::replace_pending_children(pending.wrapping_sub(gone));
                place.tree.book(node, |own| {
                    own.times.end_wait(now, wait);
                    add(&own.cancelled, 1);
                });
            });
        }
        self.unlist();
    }
}

impl Drop for Point {
    #[inline]
    fn drop(&mut self) {
        if let SlotRef::Live(_) = self.anchor {
            self.end_drop();
        }
    }
}

/// The node that is running, if it is that of the body in which the await stands.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn running_body(site: &'static Site) -> Option<&'static Node> {
    local::current().filter(|current| is_owner(site, current))
}

/// Whether `body`, which is the running node, is that of the body in which the await stands. A call of the same function that is
/// not recorded may run inside of one that is.
#[cfg_attr(not(debug_assertions), inline(always))]
fn is_owner(site: &'static Site, body: &Node) -> bool {
    site.owner.is_some_and(|owner| ptr::eq(owner, body.site)) && !local::awaiting().1.is_hidden()
}

/// Books the end of a wait on its own path, in this thread's tree.
#[cold]
fn end_wait(node: &'static Node, wait: WaitAccount, place: TreePosition) {
    place.tree.book(node, |own| own.times.end_wait(clock::now(), wait));
    if is_child_of_running(node, place) {
        local::replace_pending_children(local::pending_children().wrapping_sub(1));
    }
}

/// What the end of a poll needs. It is filled in where it lies: see [`entry`](super::entry).
#[derive(Debug)]
pub(crate) struct AwaitEntry {
    node: Option<&'static Node>,
    body: Option<&'static Node>,
    /// The number of the span of the body.
    outer: u64,
    /// The count of pending children of the body, without this await.
    outer_pending: i32,
    /// Annotated futures that were pending below.
    pending_children: i32,
    /// Whether it has waited by itself.
    waited: bool,
}

impl AwaitEntry {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn new() -> Self {
        Self { node: None, body: None, outer: 0, outer_pending: 0, pending_children: 0, waited: false }
    }

    /// The first poll.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn begin(&mut self, node: &'static Node, body: &'static Node) {
        self.node = Some(node);
        self.body = Some(body);
        self.outer = context::span();
        context::set_span(context::new_span());
        add(&node.calls, 1);
        let now = clock::now();
        context::note_reading(now, false);
        node.times.enter(now, None);
        local::set_current(Some(node));
        self.outer_pending = local::replace_pending_children(0);
    }

    /// A later poll.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn begin_again(&mut self, slot: &LiveSlot, node: &'static Node, body: &'static Node, ended: WaitAccount) {
        self.node = Some(node);
        self.body = Some(body);
        let outer = context::span();
        self.outer = outer;
        let now = clock::now();
        context::note_reading(now, false);
        context::set_span(slot.enter(outer, now));
        node.times.enter(now, Some(ended));
        local::set_current(Some(node));
        self.pending_children = slot.pending_children();
        if ended == WaitAccount::Own {
            self.waited = true;
            local::polled_again(node);
        }
        self.outer_pending = local::replace_pending_children(0).wrapping_sub(1);
    }
}

/// A poll that is running, and recorded. Dropped without [`leave`](Awaiting::leave), it was ended by a panic.
#[derive(Debug)]
pub(crate) struct RunningAwait<'a> {
    pub(crate) point: &'a mut Point,
    pub(crate) entry: &'a mut AwaitEntry,
}

impl RunningAwait<'_> {
    /// The poll has returned.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn leave(mut self, pending: bool) {
        self.end(pending);
        // Its drop is for panics.
        std::mem::forget(self);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn end(&mut self, pending: bool) {
        let Self { point, entry } = self;
        let Some(node) = entry.node else { return };
        // Without a slot there is no place to wait in: the next poll begins anew.
        let slot = if pending { point.slot(node, entry) } else { None };
        let children =
            local::replace_pending_children(entry.outer_pending.wrapping_add(i32::from(slot.is_some())));
        context::set_span(entry.outer);
        let now = clock::now();
        context::note_reading(now, false);
        let begun = match slot {
            Some(slot) => {
                // Never below zero: a child may have been pending elsewhere before it came here.
                let pending_children = entry.pending_children.saturating_add(children).max(0);
                let wait = if pending_children == 0 { WaitAccount::Own } else { WaitAccount::Child };
                slot.leave(now);
                slot.set_pending_below(pending_children, wait);
                Some(wait)
            }
            None => {
                add(&node.completed, u64::from(!pending));
                if !pending {
                    point.unlist();
                    if entry.waited {
                        local::charge(node);
                    }
                }
                None
            }
        };
        node.leave(now, begun, PassingChain::NONE);
        local::set_current(entry.body);
    }
}

impl Point {
    /// The slot to wait in, from the first `Pending` on.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn slot(&mut self, node: &'static Node, entry: &AwaitEntry) -> Option<&'static LiveSlot> {
        if !matches!(self.anchor, SlotRef::Live(_)) {
            self.list(node, entry);
        }
        self.anchor.slot()
    }

    #[cold]
    fn list(&mut self, node: &'static Node, entry: &AwaitEntry) {
        let entered = node.times.entered();
        let listed =
            SlotCopy::new((context::span(), entry.outer), (SlotState::Running, entered, entered), node);
        if let Some(anchor) = live::take(&listed) {
            self.anchor = anchor;
        }
    }
}

impl Drop for RunningAwait<'_> {
    #[cold]
    fn drop(&mut self) {
        let Self { point, entry } = self;
        let Some(node) = entry.node else { return };
        local::replace_pending_children(entry.outer_pending);
        context::set_span(entry.outer);
        point.unlist();
        add(&node.panicked, 1);
        node.leave(clock::now(), None, PassingChain::NONE);
        local::set_current(entry.body);
    }
}
