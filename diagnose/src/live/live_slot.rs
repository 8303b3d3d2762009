//! The slot of one live span, and how it is read while it changes.

use crate::context;
use crate::pool::{self, pooled};
use crate::site::Site;
use crate::sync::{AtomicU64, Ordering, add, fence};
use crate::tree::{Link, Node, WaitAccount};

/// What one word of a future can point to: the await that it is about to begin, the slot of a wait, or nothing more.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) enum SlotRef {
    /// An arm of a macro that has not returned `Pending` yet.
    Fresh(&'static Site),
    /// A live span.
    Live(LiveSlot),
    /// An await that is over.
    Done,
}

/// One live span. Written by whoever holds the span's future, with relaxed stores; see [`Slot::read`] for the rest.
#[derive(Debug)]
pub(crate) struct LiveSlot {
    /// The number of the span, unique in the process; zero while the slot is free.
    id: AtomicU64,
    /// The number of the span that polled this one last; zero if it is a root.
    parent: AtomicU64,
    /// Since when it is in its state: the tick above two bits for the [`State`].
    since: AtomicU64,
    /// The path on which it was polled last.
    node: Link<Node>,
    /// Tick of its making.
    made: AtomicU64,
    /// How often it was polled, above [`BELOW`] bits: of an arm, how many annotated futures are pending below it, above one
    /// for the account of its wait.
    polls: AtomicU64,
    /// The number of the task in which it got its parent: of one whose parent is gone, where it was polled last. Zero if it
    /// was polled outside of every task.
    task: AtomicU64,
}

/// What a live span is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SlotState {
    /// It was made, and not polled yet.
    Unpolled,
    /// It returned `Pending`.
    Waiting,
    /// Its poll is running.
    Running,
}

/// A copy of a slot.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SlotCopy {
    pub(crate) id: u64,
    pub(crate) parent: u64,
    pub(crate) task: u64,
    pub(crate) state: SlotState,
    pub(crate) since: u64,
    pub(crate) node: &'static Node,
    pub(crate) made: u64,
    pub(crate) polls: u64,
}

/// More spans can be pending at the same time than memory has room for. Those that find no slot are timed, not listed, and counted.
const MAX_SLOTS: usize = 1 << 24;
const BELOW: u32 = 24;
const POLL: u64 = 1 << BELOW;

pooled!(SlotRef, max = MAX_SLOTS, chunk = 512);

/// A slot for a span, most often one that has just become pending. `None` if all are taken.
#[inline]
pub(crate) fn take(listed: &SlotCopy) -> Option<&'static SlotRef> {
    let anchor: &'static SlotRef = pool::take()?;
    anchor.slot()?.occupy(listed);
    Some(anchor)
}

/// Takes a slot back whose span is gone.
#[inline]
pub(crate) fn put(anchor: &'static SlotRef) {
    if let Some(slot) = anchor.slot() {
        slot.vacate();
        pool::put(anchor);
    }
}

/// Every slot that there is, taken or free.
pub(crate) fn all() -> impl Iterator<Item = &'static LiveSlot> {
    pool::all::<SlotRef>().filter_map(SlotRef::slot)
}

/// How many spans were not listed, because all slots were taken.
pub(crate) fn over() -> u64 {
    pool::over::<SlotRef>()
}

impl SlotCopy {
    /// One that is running, or was not polled yet, made and entered then. `parent` is the number of the one that polls or makes
    /// it, in the task that is running.
    #[inline]
    pub(crate) fn new(
        (id, parent): (u64, u64),
        (state, made, since): (SlotState, u64, u64),
        node: &'static Node,
    ) -> Self {
        Self { id, parent, task: context::task(), state, since, node, made, polls: 0 }
    }
}

impl SlotRef {
    fn free() -> Self {
        Self::Live(LiveSlot::free())
    }

    /// The slot, if it is one.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn slot(&self) -> Option<&LiveSlot> {
        match self {
            Self::Live(slot) => Some(slot),
            Self::Fresh(_) | Self::Done => None,
        }
    }
}

impl LiveSlot {
    pub(super) fn free() -> Self {
        let zero = || AtomicU64::new(0);
        Self {
            id: zero(),
            parent: zero(),
            since: zero(),
            node: Link::new(None),
            made: zero(),
            polls: zero(),
            task: zero(),
        }
    }

    /// The span is listed. Only for a slot that is free.
    pub(super) fn occupy(&self, listed: &SlotCopy) {
        // Pairs with the Acquire fence in `read`: whoever copies a field of this span sees that the last one is gone.
        fence(Ordering::Release);
        self.node.set(listed.node);
        self.made.store(listed.made, Ordering::Relaxed);
        self.polls.store(listed.polls << BELOW, Ordering::Relaxed);
        self.since.store(listed.since << 2 | listed.state as u64, Ordering::Relaxed);
        self.parent.store(listed.parent, Ordering::Relaxed);
        self.task.store(listed.task, Ordering::Relaxed);
        // Release pairs with the Acquire load in `read`: the number brings the fields with it.
        self.id.store(listed.id, Ordering::Release);
    }

    /// The span is gone.
    pub(super) fn vacate(&self) {
        self.id.store(0, Ordering::Relaxed);
    }

    /// A poll starts. Returns the number of the span.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn enter(&self, parent: u64, now: u64) -> u64 {
        if self.parent() != parent {
            self.set_parent(parent);
        }
        self.start(now);
        self.id()
    }

    /// A poll starts, of the span that has polled it last.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn start(&self, now: u64) {
        self.since.store(now << 2 | RUNNING, Ordering::Relaxed);
    }

    /// The number of the span.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn id(&self) -> u64 {
        self.id.load(Ordering::Relaxed)
    }

    /// The poll has returned `Pending`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn leave(&self, now: u64) {
        self.since.store(now << 2 | WAITING, Ordering::Relaxed);
        add(&self.polls, POLL);
    }

    /// The span was polled on another path.
    pub(crate) fn follow(&self, node: &'static Node) {
        self.node.set(node);
    }

    /// Whose the last poll was.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn parent(&self) -> u64 {
        self.parent.load(Ordering::Relaxed)
    }

    /// Another span polls it, in the task that is running.
    pub(crate) fn set_parent(&self, parent: u64) {
        self.parent.store(parent, Ordering::Relaxed);
        self.task.store(context::task(), Ordering::Relaxed);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn node(&self) -> Option<&'static Node> {
        self.node.get()
    }

    /// Of an arm: annotated futures that are pending below it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn pending_children(&self) -> i32 {
        i32::try_from((self.polls.load(Ordering::Relaxed) & (POLL - 1)) >> 1).unwrap_or(0)
    }

    /// Of an arm: the account of its wait.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn wait(&self) -> WaitAccount {
        if self.polls.load(Ordering::Relaxed) & 1 == 0 { WaitAccount::Own } else { WaitAccount::Child }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn set_pending_below(&self, children: i32, wait: WaitAccount) {
        let children = u64::try_from(children).unwrap_or(0).min((POLL >> 1) - 1);
        let polls = self.polls.load(Ordering::Relaxed) & !(POLL - 1);
        self.polls.store(polls | children << 1 | u64::from(wait == WaitAccount::Child), Ordering::Relaxed);
    }

    /// A copy, if the slot is taken: all of one span, and `since`, `polls` and `node` each of some moment of the reading.
    pub(crate) fn read(&self) -> Option<SlotCopy> {
        // Acquire pairs with the Release in `occupy`.
        let id = self.id.load(Ordering::Acquire);
        let node = self.node.get()?;
        let since = self.since.load(Ordering::Relaxed);
        let listed = SlotCopy {
            id,
            parent: self.parent.load(Ordering::Relaxed),
            task: self.task.load(Ordering::Relaxed),
            state: match since & 3 {
                RUNNING => SlotState::Running,
                UNPOLLED => SlotState::Unpolled,
                _ => SlotState::Waiting,
            },
            since: since >> 2,
            node,
            made: self.made.load(Ordering::Relaxed),
            polls: self.polls.load(Ordering::Relaxed) >> BELOW,
        };
        // Pairs with the Release fence in `occupy`: a field of a later span makes the number below another one.
        fence(Ordering::Acquire);
        (id != 0 && self.id.load(Ordering::Relaxed) == id).then_some(listed)
    }
}

const UNPOLLED: u64 = SlotState::Unpolled as u64;
const WAITING: u64 = SlotState::Waiting as u64;
const RUNNING: u64 = SlotState::Running as u64;

#[cfg(all(test, not(diagnose_loom)))]
mod tests {
    use super::{BELOW, LiveSlot, Ordering, SlotRef};
    use crate::tree::WaitAccount;

    #[test]
    fn a_slot_is_a_cache_line() {
        assert_eq!(size_of::<SlotRef>(), 64);
    }

    #[test]
    fn what_is_pending_below_leaves_the_count_of_polls_alone() {
        let slot = LiveSlot::free();
        slot.leave(1);
        slot.set_pending_below(3, WaitAccount::Child);
        slot.leave(2);
        assert_eq!((slot.pending_children(), slot.wait()), (3, WaitAccount::Child));
        slot.set_pending_below(-1, WaitAccount::Own);
        assert_eq!((slot.pending_children(), slot.wait()), (0, WaitAccount::Own));
        assert_eq!(slot.polls.load(Ordering::Relaxed) >> BELOW, 2);
    }
}
