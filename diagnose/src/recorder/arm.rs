//! An arm of a `join!` or `select!`: an await that the macro's code polls, next to others.
//!
//! ```text
//!            first poll            Pending                  Ready
//!  Fresh ───────────────▶ (polled) ──▶ Live ──▶ (polled) ──▶ Done
//! ```
//! An arm is a span, but it is polled only inside a body's poll and is never a root. It takes one
//! word: between polls, its slot in the live registry holds all its state.

use std::ptr;

use super::last_wait;
use super::local::{self, ARM};
use super::reparent::{end_wait, on_own_tree};
use crate::clock;
use crate::context;
use crate::live::{self, ArmSlot, LiveSlot, RunState, SlotCopy};
use crate::site::Site;
use crate::switch;
use crate::sync::{add, sub};
use crate::tree::{Node, NodeKey, PassingChain, WaitAccount};

/// The recorder's state inside the future of an arm: 8 bytes.
#[derive(Debug)]
pub(crate) struct Point {
    slot: &'static ArmSlot,
}

static DONE: ArmSlot = ArmSlot::Done;

/// The static of one arm of a `join!` or `select!`, which the macro's code polls, not the body
/// itself.
#[derive(Debug)]
pub struct Arm {
    site: Site,
    /// The slot that a [`Point`] refers to before its first poll.
    fresh: ArmSlot,
}

impl Arm {
    /// An arm at the place of this call. `this` is the static itself; the other arguments are those
    /// of [`Site::at`].
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
        Self { site, fresh: ArmSlot::Fresh(&this.site) }
    }

    pub(crate) fn site(&self) -> &Site {
        &self.site
    }

    /// Marks an arm of a `join!`: another arm that is ready does not drop it.
    #[must_use]
    pub const fn joined(mut self) -> Self {
        self.site.is_joined = true;
        self
    }

    /// Adds what the arm's handler does with its value, as [`Site::used`].
    #[must_use]
    pub const fn used(mut self, itself: u8, inside: u8) -> Self {
        self.site = self.site.used(itself, inside);
        self
    }
}

impl Point {
    pub(crate) const fn new(place: &'static Arm) -> Self {
        Self { slot: &place.fresh }
    }

    /// Hands this arm's site down to the awaited span, which has records of its own.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn hand_down(&self) {
        let ArmSlot::Fresh(site) = self.slot else { return };
        if running_body(site).is_some() {
            local::hand_down(Some(site), ARM);
        }
    }

    /// Starts a poll. Returns whether it is recorded; if so, the caller must create a
    /// [`RunningAwait`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn enter(&mut self, entry: &mut AwaitEntry) -> bool {
        let Some(body) = local::current() else { return self.enter_slow(entry) };
        match self.slot {
            ArmSlot::Live(slot) => match slot.node() {
                Some(node)
                    if node.parent.is_some_and(|parent| ptr::eq(parent, body))
                        && is_owner(node.site, body) =>
                {
                    entry.begin_again(slot, node, body, slot.wait());
                    true
                }
                _ => self.enter_slow(entry),
            },
            ArmSlot::Fresh(site) => {
                if !is_owner(site, body) || switch::tasks_only() {
                    return self.enter_slow(entry);
                }
                let Some(node) = body.child(NodeKey::plain(site)) else { return self.enter_slow(entry) };
                entry.begin(node, body);
                true
            }
            ArmSlot::Done => false,
        }
    }

    /// Starts a poll in every other case: a first poll on its path, another thread, an unrecorded
    /// body.
    #[cold]
    #[inline(never)]
    fn enter_slow(&mut self, entry: &mut AwaitEntry) -> bool {
        let (site, live) = match self.slot {
            ArmSlot::Fresh(site) => (*site, None),
            ArmSlot::Live(slot) => match slot.node() {
                Some(node) => (node.site, Some((slot, node))),
                None => return false,
            },
            ArmSlot::Done => return false,
        };
        let body = if switch::tasks_only() { None } else { running_body(site) };
        // The body is running, so there is a tree, and it is not a lent one.
        let child = body.and_then(|body| {
            let node = local::place().tree.child(body, NodeKey::plain(site), clock::now)?;
            Some((node, body))
        });
        let waited = |slot: &LiveSlot| (slot.wait(), slot.is_child_of_running());
        match (child, live) {
            (Some((node, body)), None) => entry.begin(node, body),
            (Some((node, body)), Some((slot, old))) => {
                slot.follow(node);
                if old.same_path(node) {
                    entry.begin_again(slot, node, body, slot.wait());
                } else {
                    end_wait(old, waited(slot), local::place(), clock::now(), |own| sub(&own.moved, 1));
                    self.unlist();
                    entry.begin(node, body);
                }
            }
            (None, Some((slot, old))) => {
                on_own_tree(|place| {
                    end_wait(old, waited(slot), place, clock::now(), |own| add(&own.completed, 1));
                });
                self.unlist();
                return false;
            }
            (None, None) => return false,
        }
        true
    }

    /// Called before the future is dropped. Its children change the count of pending children as
    /// they drop, which must not affect the poll that drops it.
    #[inline]
    pub(crate) fn begin_drop(&mut self) {
        if let ArmSlot::Live(slot) = self.slot {
            slot.set_pending_below(local::replace_pending_children(0), slot.wait());
        }
    }

    /// Takes the arm off the list of live spans.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn unlist(&mut self) {
        if let ArmSlot::Live(_) = self.slot {
            live::put_of_arm(self.slot);
        }
        self.slot = &DONE;
    }

    #[cold]
    fn end_drop(&mut self) {
        let ArmSlot::Live(slot) = self.slot else { return };
        let (pending, wait) = (slot.pending_children(), (slot.wait(), slot.is_child_of_running()));
        if let Some(node) = slot.node() {
            let now = clock::now();
            on_own_tree(|place| {
                local::replace_pending_children(pending);
                end_wait(node, wait, place, now, |own| {
                    add(&own.cancelled, 1);
                    if wait.0 == WaitAccount::Own {
                        last_wait::charge(own);
                    }
                });
            });
        }
        self.unlist();
    }
}

impl Drop for Point {
    #[inline]
    fn drop(&mut self) {
        if let ArmSlot::Live(_) = self.slot {
            self.end_drop();
        }
    }
}

/// Returns the running node, if it belongs to the body that contains the await.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn running_body(site: &'static Site) -> Option<&'static Node> {
    local::current().filter(|current| is_owner(site, current))
}

/// Returns whether the running node, `body`, belongs to the body that contains the await. Also
/// checks that this body is recorded: an unrecorded call of a function may run inside a recorded
/// call of the same function.
#[cfg_attr(not(debug_assertions), inline(always))]
fn is_owner(site: &'static Site, body: &Node) -> bool {
    site.owner.is_some_and(|owner| ptr::eq(owner, body.site)) && !local::awaiting().1.is_hidden()
}

/// State that the end of a poll needs. Never moved: see [`poll_entry`](super::poll_entry).
#[derive(Debug)]
pub(crate) struct AwaitEntry {
    node: Option<&'static Node>,
    body: Option<&'static Node>,
    /// The id of the body's span.
    outer: u64,
    /// The body's pending children, without this await.
    outer_pending: i32,
    /// Annotated futures pending below the arm.
    pending_children: i32,
    /// Whether the arm had waited by itself.
    waited: bool,
}

impl AwaitEntry {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn new() -> Self {
        Self { node: None, body: None, outer: 0, outer_pending: 0, pending_children: 0, waited: false }
    }

    /// Starts the first poll.
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

    /// Starts a later poll.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn begin_again(&mut self, slot: &LiveSlot, node: &'static Node, body: &'static Node, ended: WaitAccount) {
        self.node = Some(node);
        self.body = Some(body);
        let outer = context::span();
        let was_counted = slot.parent() == outer;
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
        self.outer_pending = local::replace_pending_children(0).wrapping_sub(i32::from(was_counted));
    }
}

/// A running, recorded poll. Dropping it without [`leave`](RunningAwait::leave) records a panic.
#[derive(Debug)]
pub(crate) struct RunningAwait<'a> {
    pub(crate) point: &'a mut Point,
    pub(crate) entry: &'a mut AwaitEntry,
}

impl RunningAwait<'_> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn leave(mut self, pending: bool) {
        self.end(pending);
        // `Drop` is for panics only.
        std::mem::forget(self);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn end(&mut self, pending: bool) {
        let Self { point, entry } = self;
        let Some(node) = entry.node else { return };
        // Without a slot the wait is not recorded: the next poll starts another call.
        let slot = if pending { point.slot(node, entry) } else { None };
        let children =
            local::replace_pending_children(entry.outer_pending.wrapping_add(i32::from(slot.is_some())));
        context::set_span(entry.outer);
        let now = clock::now();
        context::note_reading(now, false);
        let begun = match slot {
            Some(slot) => {
                // Never below zero: a child may have been pending under another parent before it
                // came here.
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
    /// The slot of the wait, taken at the first `Pending`. `None` if all slots are taken.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn slot(&mut self, node: &'static Node, entry: &AwaitEntry) -> Option<&'static LiveSlot> {
        if !matches!(self.slot, ArmSlot::Live(_)) {
            self.list(node, entry);
        }
        self.slot.live()
    }

    #[cold]
    fn list(&mut self, node: &'static Node, entry: &AwaitEntry) {
        let entered = node.times.entered();
        let listed =
            SlotCopy::new((context::span(), entry.outer), (RunState::Running, entered, entered), node);
        if let Some(slot) = live::take_for_arm(&listed) {
            self.slot = slot;
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
