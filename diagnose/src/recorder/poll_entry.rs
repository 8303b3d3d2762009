//! State that the start of a poll leaves for its end.
//!
//! A `PollEntry` is filled in where it lies, on the stack of the future's poll, and never moved. A
//! move would load in one piece what several stores have just written. The processor stalls on such
//! a load for longer than the rest of the work takes.

use super::await_state::AwaitState;
use super::local::{self, TreePosition};
use super::root::OuterPoll;
use super::span::Span;
use crate::clock;
use crate::context;
use crate::live::{LiveSlot, PollWaker};
use crate::site::SiteKind;
use crate::tree::{Node, PassingChain};

/// How a poll began. This decides what its end restores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PollStartKind {
    /// Not recorded.
    Unrecorded,
    /// Not recorded, inside a recorded poll.
    Hidden,
    /// With the clock reading of the body around it, which resumes at the await that polls this
    /// span.
    Handed,
    /// With a clock reading of its own, below the running node.
    Below,
    /// Outside every other poll.
    Outermost,
}

/// How a poll began: four bytes, written with one store.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(4))]
pub(super) struct PollStart {
    pub(super) how: PollStartKind,
    /// Whether the body around awaits the span: if the span is pending, both stop at the same
    /// moment.
    pub(super) hands_on: bool,
    /// Whether the body resumed at the await where it had stopped.
    pub(super) goes_down: bool,
    /// Whether the span had waited by itself.
    pub(super) waited: bool,
}

impl PollStart {
    pub(super) fn new(how: PollStartKind) -> Self {
        Self { how, hands_on: false, goes_down: false, waited: false }
    }
}

/// What the poll around knows of a span before its poll.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Before {
    /// It does not count the span among its pending children.
    New,
    /// It does, and has polled it until this tick.
    Counted(u64),
}

/// How a poll began.
#[derive(Debug)]
pub(crate) struct PollEntry {
    pub(super) begun: PollStart,
    /// For [`Below`](PollStartKind::Below) and [`Hidden`](PollStartKind::Hidden).
    saved: Option<Saved>,
    /// For a root, its task's waker. `None` if tasks have no waker of their own, by configuration.
    pub(super) waker: Option<PollWaker>,
}

/// State of the poll around a running one. It is restored unchanged, whatever happens in between.
// The field order keeps `awaiting` and `await_state` apart. Side by side, the compiler copies both
// with one 16-byte load, which stalls: they were just written with two 8-byte stores.
#[derive(Debug)]
#[repr(C)]
struct Saved {
    /// The await that the body around is at.
    awaiting: Option<&'static Node>,
    /// The id of the span whose poll is around this one, parent or not.
    span: u64,
    await_state: AwaitState,
    /// The node that was running. `None` if the thread's tree is lent for this poll only.
    node: Option<&'static Node>,
    /// The pending children of the poll around, without this span.
    pending_children: i32,
    stopper: Option<&'static Node>,
    /// The node that covers this poll in `node`, if this is a task inside another task's poll.
    nested: Option<&'static Node>,
    /// For a root, the poll of the other task.
    task: Option<OuterPoll>,
}

impl PollEntry {
    #[inline]
    pub(crate) fn new() -> Self {
        Self { begun: PollStart::new(PollStartKind::Unrecorded), saved: None, waker: None }
    }

    #[inline]
    pub(super) fn is_recorded(&self) -> bool {
        !matches!(self.begun.how, PollStartKind::Unrecorded | PollStartKind::Hidden)
    }

    /// Starts a poll that is not recorded. Its awaits do not belong to the body around, even if
    /// both are the same function.
    pub(super) fn begin_unrecorded(&mut self) {
        if local::current().is_some_and(|current| !current.is_root()) {
            self.begun.how = PollStartKind::Hidden;
            self.save((local::current(), context::span()), local::pending_children(), None);
            local::set_awaiting(None, AwaitState::HIDDEN);
        }
    }

    pub(super) fn end_unrecorded(&self) {
        if let Some(saved) = &self.saved {
            local::set_awaiting(saved.awaiting, saved.await_state);
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn is_handed(&self) -> bool {
        self.begun.how == PollStartKind::Handed
    }

    /// Returns the ancestors whose polls only pass through to this poll.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn chain(&self) -> PassingChain {
        if self.is_handed() { PassingChain::through(local::stopper()) } else { PassingChain::NONE }
    }

    /// The node above the polls that have the reading of this one: see [`PassingChain::stopper`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn stopper(&self, node: &'static Node) -> Option<&'static Node> {
        if self.is_handed() { local::stopper() } else { above(node) }
    }

    /// Hands the reading up to the body around, if that awaits this span.
    #[inline]
    pub(super) fn hand_up(&self, now: u64, is_passing: bool) {
        local::hand_up(if self.begun.hands_on { now } else { 0 }, is_passing);
    }

    /// Starts a poll below the running node, the parent of `node`: the common case.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn begin_below(&mut self, node: &'static Node, before: Before) {
        let pending = local::replace_pending_children(0);
        let was_counted = before != Before::New;
        self.save((node.parent, context::span()), pending.wrapping_sub(i32::from(was_counted)), None);
        self.count_in_new_await(before);
    }

    /// Makes the await around, if it began in this poll, count a child that was pending before.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn count_in_new_await(&mut self, before: Before) {
        let Before::Counted(left) = before else { return };
        let Some(Saved { awaiting: Some(at), await_state, .. }) = &mut self.saved else { return };
        let entered = at.times.entered();
        // In one tick, only children that were pending then can have been polled before.
        let is_before = left < entered || left == entered && await_state.base() > 0;
        if await_state.is_new() && is_before {
            *await_state = await_state.without_one_before();
        }
    }

    /// Starts a poll of a root outside every other poll.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn begin_outermost(&mut self, goes_down: bool) {
        self.begun = PollStart { goes_down, ..PollStart::new(PollStartKind::Outermost) };
        local::replace_pending_children(0);
    }

    /// Starts a poll of any span, possibly of a root inside another task's poll, possibly with a
    /// lent tree.
    #[cold]
    pub(super) fn begin_anywhere(
        &mut self,
        node: &'static Node,
        place: TreePosition,
        (now, span): (u64, u64),
        before: Before,
    ) {
        self.begun.how = PollStartKind::Below;
        let foreign = node.parent.is_some_and(Node::is_root) && !place.current.is_root();
        let nested = foreign.then(|| {
            let nested = place.tree.nested(place.current, clock::now);
            nested.times.enter(now, None);
            #[cfg(feature = "tracing-layer")]
            super::traced::begin_task();
            nested
        });
        let pending = local::replace_pending_children(0);
        let pending = pending.wrapping_sub(i32::from(before != Before::New));
        self.save(((!place.lent).then_some(place.current), span), pending, nested);
        self.count_in_new_await(before);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn save(
        &mut self,
        (node, span): (Option<&'static Node>, u64),
        pending_children: i32,
        nested: Option<&'static Node>,
    ) {
        let (awaiting, await_state) = local::awaiting();
        let stopper = local::stopper();
        self.saved =
            Some(Saved { awaiting, span, await_state, node, pending_children, stopper, nested, task: None });
    }

    /// Suspends the poll of another task, in which this root runs.
    pub(super) fn suspend_outer_task(&mut self) {
        if let Some(saved) = &mut self.saved {
            saved.task = Some(OuterPoll::leave());
        }
    }

    /// Resumes the poll of the other task.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn resume_outer_task(&self) {
        if let Some(task) = self.saved.as_ref().and_then(|saved| saved.task.as_ref()) {
            task.go_on();
        }
    }

    /// The id of the span whose poll is around this one, and the state of that body's await.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn outer(&self) -> (u64, AwaitState) {
        self.saved.as_ref().map_or((0, AwaitState::NONE), |saved| (saved.span, saved.await_state))
    }
}

impl Span {
    /// Ends the poll of `node` at `now` and restores the one around it, which gains a pending child
    /// if this one is pending. Must be called before the span gives back its slot.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn restore_outer(&self, entry: &PollEntry, node: &'static Node, now: u64, is_pending: bool) {
        if entry.begun.how == PollStartKind::Outermost {
            leave_outermost(node);
            context::note_reading(now, true);
        } else if entry.is_handed() {
            self.restore_handing(node, now, is_pending);
        } else if let Some(saved) = &entry.saved {
            saved.restore(now, is_pending);
        }
    }

    /// Restores a body whose poll has done nothing but resume at its await of this span.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn restore_handing(&self, node: &'static Node, now: u64, is_pending: bool) {
        let state = AwaitState::SPAN.with_depth(self.outer_depth);
        local::set_awaiting(node.parent.filter(|parent| parent.site.kind == SiteKind::Await), state);
        context::set_span(self.slot.map_or(0, LiveSlot::parent));
        local::set_current(node.parent);
        local::replace_pending_children(i32::from(is_pending) - 1);
        context::note_reading(now, false);
    }
}

/// Returns the stopper of the polls that get the reading of `node`, where `node` has read the clock
/// itself.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn above(node: &'static Node) -> Option<&'static Node> {
    node.parent.filter(|parent| !parent.is_root())
}

/// Leaves the poll of `node` on a thread that was outside every other poll.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn leave_outermost(node: &'static Node) {
    local::set_current(node.parent);
    context::set_span(0);
    local::set_awaiting(None, AwaitState::NONE);
}

impl Saved {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn restore(&self, now: u64, is_pending: bool) {
        context::set_span(self.span);
        local::set_awaiting(self.awaiting, self.await_state);
        local::set_stopper(self.stopper);
        local::set_current(self.node);
        // A task that is polled inside another task's poll is not its child. The count wraps:
        // between polls it has no meaning.
        let is_pending = i32::from(is_pending && self.nested.is_none());
        local::replace_pending_children(self.pending_children.wrapping_add(is_pending));
        // This reading also shows whether the thread is still inside a poll.
        context::note_reading(now, self.node.is_none_or(Node::is_root));
        if self.nested.is_some() || self.node.is_none() {
            self.restore_rare(now);
        }
    }

    #[cold]
    fn restore_rare(&self, now: u64) {
        if let Some(nested) = self.nested {
            nested.leave(now, None, PassingChain::NONE);
            #[cfg(feature = "tracing-layer")]
            super::traced::end_task();
        }
        if self.node.is_none() {
            local::end_loan();
        }
    }
}
