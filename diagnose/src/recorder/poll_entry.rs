//! What the end of a poll needs from its start.
//!
//! A `PollEntry` is filled in where it lies, on the stack of the future's poll, and never moved. A
//! move would read in one piece what was just written in several. The processor stalls on that for
//! longer than all other work takes.

use super::await_state::AwaitState;
use super::local::{self, TreePosition};
use super::root::OuterPoll;
use crate::clock;
use crate::context;
use crate::live::PollWaker;
use crate::tree::{Node, PassingChain};

/// How a poll began, and so what its end restores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PollStartKind {
    /// Not recorded.
    Unrecorded,
    /// Not recorded, inside a recorded poll.
    Hidden,
    /// With the reading of the body around it, which resumes at the await that polls this span.
    Handed,
    /// With a reading of its own, below the running node.
    Below,
    /// Outside every other poll.
    Outermost,
}

/// How a poll began: one word, written with one store.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(8))]
pub(super) struct PollStart {
    how: PollStartKind,
    pub(super) is_root: bool,
    /// Whether the body around awaits the span, so that both stop at the same moment if it is
    /// pending.
    pub(super) hands_on: bool,
    /// Whether the body resumed at the await where it had stopped.
    pub(super) goes_down: bool,
    /// Whether the span had waited by itself.
    pub(super) waited: bool,
}

impl PollStart {
    fn new(how: PollStartKind) -> Self {
        Self { how, is_root: false, hands_on: false, goes_down: false, waited: false }
    }
}

/// State of the poll around a running one, to be restored.
// The field order keeps `outer_awaiting` and `outer_await_state` apart. Side by side, the compiler
// copies both with one 16-byte load, which stalls: they were just written with two 8-byte stores.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct PollEntry {
    pub(super) begun: PollStart,
    /// The pending children of the poll around, without this span.
    outer_pending: i32,
    /// Number of polls around this one that were entered with the same reading.
    pub(super) levels: u32,
    /// The node above those polls, or above this one.
    pub(super) stopper: Option<&'static Node>,
    /// The await that the body around is at.
    outer_awaiting: Option<&'static Node>,
    /// The id of the span whose poll is around this one, parent or not.
    pub(super) outer: u64,
    outer_await_state: AwaitState,
    /// For [`Below`](PollStartKind::Below), the node that was running before: restored as it was,
    /// whatever happened in between. `None` if the thread's tree is lent for this poll only.
    previous: Option<&'static Node>,
    /// The node that covers this poll in `previous`, if this is a task inside another task's poll.
    nested: Option<&'static Node>,
    /// For a root, its task's waker. `None` if tasks have no waker of their own, by configuration.
    pub(super) waker: Option<PollWaker>,
    /// For a root, the poll of another task that this one runs inside.
    pub(super) around: Option<OuterPoll>,
}

impl PollEntry {
    #[inline]
    pub(crate) fn new() -> Self {
        Self {
            begun: PollStart::new(PollStartKind::Unrecorded),
            outer_pending: 0,
            levels: 0,
            stopper: None,
            outer_awaiting: None,
            outer: 0,
            outer_await_state: AwaitState::NONE,
            previous: None,
            nested: None,
            waker: None,
            around: None,
        }
    }

    #[inline]
    pub(super) fn is_recorded(&self) -> bool {
        !matches!(self.begun.how, PollStartKind::Unrecorded | PollStartKind::Hidden)
    }

    /// Starts a poll that is not recorded. Its awaits are not those of the body around, even if
    /// both are the same function.
    pub(super) fn begin_unrecorded(&mut self) {
        if local::current().is_some_and(|current| !current.is_root()) {
            self.begun.how = PollStartKind::Hidden;
            (self.outer_awaiting, self.outer_await_state) = local::awaiting();
            local::set_awaiting(None, AwaitState::HIDDEN);
        }
    }

    pub(super) fn end_unrecorded(&self) {
        if self.begun.how == PollStartKind::Hidden {
            local::set_awaiting(self.outer_awaiting, self.outer_await_state);
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn is_handed(&self) -> bool {
        self.begun.how == PollStartKind::Handed
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn chain(&self) -> PassingChain {
        PassingChain { levels: self.levels, stopper: self.stopper }
    }

    /// Starts a poll with the reading of the body around it. That body is at the await of a span
    /// and has run no code of its own yet. Returns the polls entered with that reading.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn begin_handed(&mut self, outer: u64, goes_down: bool) -> PassingChain {
        let chain = local::chain();
        self.begun = PollStart { hands_on: true, goes_down, ..PollStart::new(PollStartKind::Handed) };
        self.outer = outer;
        (self.levels, self.stopper) = (chain.levels, chain.stopper);
        (self.outer_awaiting, self.outer_await_state) = local::awaiting();
        chain
    }

    /// Starts a poll below the running node, the common case.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn begin(&mut self, node: &'static Node, was_pending: bool) {
        self.begun.how = PollStartKind::Below;
        self.previous = node.parent;
        self.stopper = node.parent.filter(|parent| !parent.is_root());
        self.save_outer(was_pending);
    }

    /// Starts a poll of a root outside every other poll.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn begin_outermost(&mut self, goes_down: bool) {
        self.begun = PollStart { is_root: true, goes_down, ..PollStart::new(PollStartKind::Outermost) };
        local::replace_pending_children(0);
    }

    /// Starts a poll of any span, possibly of a root inside another task's poll, possibly with a
    /// lent tree.
    #[cold]
    pub(super) fn begin_anywhere(
        &mut self,
        node: &'static Node,
        place: TreePosition,
        now: u64,
        was_pending: bool,
    ) {
        self.begun.how = PollStartKind::Below;
        let foreign = node.parent.is_some_and(Node::is_root) && !place.current.is_root();
        if foreign {
            let nested = place.tree.nested(place.current, clock::now);
            nested.times.enter(now, None);
            self.nested = Some(nested);
        }
        self.previous = (!place.lent).then_some(place.current);
        self.stopper = node.parent.filter(|parent| !parent.is_root());
        self.save_outer(was_pending && !foreign);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn save_outer(&mut self, was_pending: bool) {
        let pending = local::replace_pending_children(0);
        self.outer_pending = pending.wrapping_sub(i32::from(was_pending));
        (self.outer_awaiting, self.outer_await_state) = local::awaiting();
    }

    /// Ends the poll of `node` at `now` and restores the one around it, which gains a pending child
    /// if this one is pending.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn restore_outer(&self, node: &'static Node, now: u64, is_pending: bool) {
        if self.begun.how == PollStartKind::Outermost {
            local::set_current(node.parent);
            context::set_span(0);
            local::set_awaiting(None, AwaitState::NONE);
            return context::note_reading(now, true);
        }
        context::set_span(self.outer);
        local::set_awaiting(self.outer_awaiting, self.outer_await_state);
        if self.is_handed() {
            local::set_current(node.parent);
            local::replace_pending_children(i32::from(is_pending) - 1);
            return context::note_reading(now, false);
        }
        local::set_current(self.previous);
        // A task inside another task's poll is no child of it. The count wraps: between polls it
        // has no meaning.
        let is_pending = i32::from(is_pending && self.nested.is_none());
        local::replace_pending_children(self.outer_pending.wrapping_add(is_pending));
        // This reading also tells whether the thread is still inside a poll.
        context::note_reading(now, self.previous.is_none_or(Node::is_root));
        if self.nested.is_some() || self.previous.is_none() {
            self.end_rare(now);
        }
    }

    #[cold]
    fn end_rare(&self, now: u64) {
        if let Some(nested) = self.nested {
            nested.leave(now, None, PassingChain::NONE);
        }
        if self.previous.is_none() {
            local::end_loan();
        }
    }

    /// Hands the reading up to the body around, if that awaits this span.
    #[inline]
    pub(super) fn hand_up(&self, now: u64, passing: u32) {
        local::hand_up(if self.begun.hands_on { now } else { 0 }, passing);
    }
}
