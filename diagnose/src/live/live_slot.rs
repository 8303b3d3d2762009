//! The slot of one live span, and how it is read while it changes.

pub(crate) use diagnose_reports::model::RunState;

use super::memory::Memory;
use crate::context;
use crate::pool::{self, pooled};
use crate::site::Site;
use crate::sync::{AtomicU64, Ordering, add, fence};
use crate::tree::{Link, Node, WaitAccount};

/// The target of an arm's one-word state: an await that has not begun, a slot, or the end.
#[derive(Debug)]
pub(crate) enum ArmSlot {
    /// The arm has not returned `Pending` yet.
    Fresh(&'static Site),
    Live(LiveSlot),
    /// The await is over.
    Done,
}

/// One live span. The owner of the span's future writes it, with relaxed stores; see
/// [`LiveSlot::read`] for readers.
#[derive(Debug, Default)]
#[repr(align(64))]
pub(crate) struct LiveSlot {
    /// The id of the span, unique in the process; zero while the slot is free.
    id: AtomicU64,
    /// The id of the span that polled this one last; zero if it is a root.
    parent: AtomicU64,
    /// The start of the current state: the tick above two bits for the [`RunState`].
    since: AtomicU64,
    /// The path of the last poll.
    node: Link<Node>,
    /// The tick of the span's creation.
    made: AtomicU64,
    /// Number of polls, above [`BELOW`] bits. For an arm, these bits hold the number of annotated
    /// futures pending below it, above one bit for the account of its wait.
    polls: AtomicU64,
    /// The id of the task in which the span got its parent. If that parent is gone, this task
    /// polled the span last. Zero outside every task.
    task: AtomicU64,
    /// Its [`Memory`].
    memory: AtomicU64,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct SlotCopy {
    pub(crate) id: u64,
    pub(crate) parent: u64,
    pub(crate) task: u64,
    pub(crate) state: RunState,
    pub(crate) since: u64,
    pub(crate) node: &'static Node,
    pub(crate) made: u64,
    pub(crate) polls: u64,
    pub(crate) memory: Memory,
}

/// Maximum number of listed spans, because more may be pending at once than fit into memory. Spans
/// beyond this number are timed and counted, but not listed.
const MAX_SLOTS: usize = 1 << 24;
const BELOW: u32 = 24;
const POLL: u64 = 1 << BELOW;

pooled!(LiveSlot, max = MAX_SLOTS, chunk = 512);
pooled!(ArmSlot, max = MAX_SLOTS, chunk = 256);

/// Takes a slot for a span, usually at its first `Pending`. Returns `None` if all are taken.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn take(listed: &SlotCopy) -> Option<&'static LiveSlot> {
    let slot: &'static LiveSlot = pool::take()?;
    slot.occupy(listed);
    Some(slot)
}

/// Takes a slot for an arm, at its first `Pending`. Returns `None` if all are taken.
pub(crate) fn take_for_arm(listed: &SlotCopy) -> Option<&'static ArmSlot> {
    let slot: &'static ArmSlot = pool::take()?;
    slot.live()?.occupy(listed);
    Some(slot)
}

/// Frees the slot of a span that is gone.
#[inline]
pub(crate) fn put(slot: &'static LiveSlot) {
    slot.vacate();
    pool::put(slot);
}

/// Frees the slot of an arm that is gone, if it has one.
pub(crate) fn put_of_arm(slot: &'static ArmSlot) {
    if let Some(live) = slot.live() {
        live.vacate();
        pool::put(slot);
    }
}

/// All slots, taken or free.
pub(crate) fn all() -> impl Iterator<Item = &'static LiveSlot> {
    pool::all::<LiveSlot>().chain(pool::all::<ArmSlot>().filter_map(ArmSlot::live))
}

/// Number of spans that were not listed, because all slots were taken.
pub(crate) fn over() -> u64 {
    pool::over::<LiveSlot>() + pool::over::<ArmSlot>()
}

impl SlotCopy {
    /// A span that is running or unpolled, with the ticks `made` and `since`. `parent` is the span
    /// that polls or creates it, in the running task.
    #[inline]
    pub(crate) fn new(
        (id, parent): (u64, u64),
        (state, made, since): (RunState, u64, u64),
        node: &'static Node,
    ) -> Self {
        let (task, memory) = (context::task(), Memory::UNKNOWN);
        Self { id, parent, task, state, since, node, made, polls: 0, memory }
    }

    /// The span after its first poll, which ended at `now`, at the await `node`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn after_first(self, now: u64, node: &'static Node) -> Self {
        Self { state: RunState::Waiting, since: now, node, polls: 1, ..self }
    }
}

impl Default for ArmSlot {
    fn default() -> Self {
        Self::Live(LiveSlot::default())
    }
}

impl ArmSlot {
    /// The slot; `None` for an await that has not begun, or has ended.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn live(&self) -> Option<&LiveSlot> {
        match self {
            Self::Live(slot) => Some(slot),
            Self::Fresh(_) | Self::Done => None,
        }
    }
}

impl LiveSlot {
    /// Lists a span. The slot must be free.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn occupy(&self, listed: &SlotCopy) {
        // Pairs with the Acquire fence in `read`: a reader that copies a field of this span sees
        // that the previous span is gone.
        fence(Ordering::Release);
        self.node.set(listed.node);
        self.made.store(listed.made, Ordering::Relaxed);
        self.polls.store(listed.polls << BELOW, Ordering::Relaxed);
        self.since.store(listed.since << 2 | listed.state as u64, Ordering::Relaxed);
        self.parent.store(listed.parent, Ordering::Relaxed);
        self.task.store(listed.task, Ordering::Relaxed);
        self.memory.store(listed.memory.0, Ordering::Relaxed);
        // Release pairs with the Acquire load in `read`: a reader that sees the id sees the fields.
        self.id.store(listed.id, Ordering::Release);
    }

    /// Takes the span off the list.
    pub(super) fn vacate(&self) {
        self.id.store(0, Ordering::Relaxed);
    }

    /// Starts a poll by `parent`. Returns the id of the span.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn enter(&self, parent: u64, now: u64) -> u64 {
        if self.parent() != parent {
            self.set_parent(parent);
        }
        self.start(now);
        self.id()
    }

    /// Starts a poll by the same parent as the last.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn start(&self, now: u64) {
        self.since.store(now << 2 | RUNNING, Ordering::Relaxed);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn id(&self) -> u64 {
        self.id.load(Ordering::Relaxed)
    }

    /// The tick at which the current state began.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn since(&self) -> u64 {
        self.since.load(Ordering::Relaxed) >> 2
    }

    /// Returns whether the running poll is the one that polled the span last, and so counts it if
    /// it is pending. A root is no one's child.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn is_child_of_running(&self) -> bool {
        self.parent() == context::span() && self.parent() != 0
    }

    /// Records that a poll returned `Pending`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn leave(&self, now: u64) {
        self.since.store(now << 2 | WAITING, Ordering::Relaxed);
        add(&self.polls, POLL);
    }

    /// Sets the path of the last poll.
    pub(crate) fn follow(&self, node: &'static Node) {
        self.node.set(node);
    }

    /// The id of the span that polled this one last.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn parent(&self) -> u64 {
        self.parent.load(Ordering::Relaxed)
    }

    /// Sets another parent, in the running task.
    pub(crate) fn set_parent(&self, parent: u64) {
        self.parent.store(parent, Ordering::Relaxed);
        self.task.store(context::task(), Ordering::Relaxed);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn node(&self) -> Option<&'static Node> {
        self.node.get()
    }

    /// For an arm: number of annotated futures pending below it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn pending_children(&self) -> i32 {
        i32::try_from((self.polls.load(Ordering::Relaxed) & (POLL - 1)) >> 1).unwrap_or(0)
    }

    /// For an arm: the account of its wait.
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

    /// Returns a copy, if the slot is taken. All fields are of one span. `since`, `polls` and
    /// `node` are each from some moment during the read.
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
                RUNNING => RunState::Running,
                UNPOLLED => RunState::Unpolled,
                _ => RunState::Waiting,
            },
            since: since >> 2,
            node,
            made: self.made.load(Ordering::Relaxed),
            polls: self.polls.load(Ordering::Relaxed) >> BELOW,
            memory: Memory(self.memory.load(Ordering::Relaxed)),
        };
        // Pairs with the Release fence in `occupy`: if a field is of a later span, the id below has
        // changed.
        fence(Ordering::Acquire);
        (id != 0 && self.id.load(Ordering::Relaxed) == id).then_some(listed)
    }
}

pub(super) const UNPOLLED: u64 = RunState::Unpolled as u64;
pub(super) const WAITING: u64 = RunState::Waiting as u64;
pub(super) const RUNNING: u64 = RunState::Running as u64;
const _: () = assert!(WAITING == 3, "a state fits into two bits");

#[cfg(all(test, not(diagnose_loom)))]
mod tests {
    use super::{BELOW, LiveSlot, Ordering};
    use crate::tree::WaitAccount;

    #[test]
    fn a_slot_is_a_cache_line() {
        assert_eq!(size_of::<LiveSlot>(), 64);
    }

    #[test]
    fn counting_pending_children_leaves_the_poll_count_alone() {
        let slot = LiveSlot::default();
        slot.leave(1);
        slot.set_pending_below(3, WaitAccount::Child);
        slot.leave(2);
        assert_eq!((slot.pending_children(), slot.wait()), (3, WaitAccount::Child));
        slot.set_pending_below(-1, WaitAccount::Own);
        assert_eq!((slot.pending_children(), slot.wait()), (0, WaitAccount::Own));
        assert_eq!(slot.polls.load(Ordering::Relaxed) >> BELOW, 2);
    }
}
