//! The cells of holdings. Readers copy them without a lock.

use std::panic::Location;
use std::sync::atomic::Ordering::{Acquire, Relaxed};
use std::sync::atomic::{AtomicU32, AtomicU64, fence};

pub(crate) use diagnose_reports::model::Role;

use super::record::Record;
use crate::context;
use crate::live::{CurrentPoll, Memory, Task, TransferCounts};
use crate::pool::{self, pooled};
use crate::tree::{Link, Node};

/// The cell of a holding. Its owner writes it with relaxed stores. A copy belongs to one resource
/// if `resource` is the same before and after the copying. If the cell was reused meanwhile, the
/// copy may mix two holdings in that resource.
#[derive(Debug, Default)]
pub(crate) struct HoldingSlot {
    /// Number of the resource; 0 while the cell is free.
    pub(super) resource: AtomicU64,
    /// Record of the resource. Only the owner of the holding reads it.
    pub(super) record: Link<Record>,
    /// Two bits of role, then six flags, then the units.
    pub(super) units: AtomicU64,
    pub(super) task: AtomicU64,
    pub(super) span: AtomicU64,
    pub(super) at: Link<Location<'static>>,
    /// For units: the node that ran when they were taken.
    pub(super) node: Link<Node>,
    /// Tick of acquisition or of the last use; 0 if not read.
    pub(super) since: AtomicU64,
    pub(super) uses: AtomicU64,
    /// Spawns and sends of its task at the last use, below [`IN_OUTPUT`].
    pub(super) transfers: AtomicU64,
    /// Number of the thread's tree, plus one; 0 if the thread has no tree.
    pub(super) thread: AtomicU32,
    /// The [`Memory`](live::Memory) of the future that took it.
    pub(super) memory: AtomicU64,
    /// The `Memory` of the root of its task.
    root: AtomicU64,
}

/// A copy of a [`HoldingSlot`].
#[derive(Debug, Clone, Copy)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct HoldingCopy {
    pub(crate) resource: u64,
    pub(crate) role: Role,
    pub(crate) units: u64,
    /// Whether it can move to another thread unseen.
    pub(crate) is_movable: bool,
    /// Whether more than one task has used it.
    pub(crate) is_shared: bool,
    /// Whether it is in the root of its task, and ends with that.
    pub(crate) is_in_root: bool,
    /// Whether the output of its task may contain it.
    pub(crate) may_be_in_output: bool,
    pub(crate) task: u64,
    pub(crate) span: u64,
    pub(crate) thread: Option<u32>,
    pub(crate) at: Option<&'static Location<'static>>,
    /// For units: the node that ran when they were taken.
    pub(crate) node: Option<&'static Node>,
    /// Tick of acquisition or of the last use; 0 if not read.
    pub(crate) since: u64,
    pub(crate) uses: u64,
    /// Spawns and sends of its task at the last use.
    pub(crate) transfers: TransferCounts,
    pub(crate) memory: Memory,
    /// The memory of the root of its task.
    pub(crate) root: Memory,
    /// The task in the slot. A guard in a task's output is attributed to another task.
    own_task: u64,
    slot: &'static HoldingSlot,
}

pooled!(HoldingSlot, max = 1 << 20, chunk = 64);

pub(super) const ROLE: u32 = 62;
const _: () = assert!(Role::Uses as u64 == 3, "a role fits into two bits");
/// Flag: the clock was read when it began.
pub(super) const EXACT: u64 = 1 << 61;
pub(super) const MOVABLE: u64 = 1 << 60;
/// Flag: more than one task has used it.
pub(super) const SHARED: u64 = 1 << 59;
/// Flag: measured at its end, even if no task waits then.
pub(super) const MEASURED: u64 = 1 << 58;
/// Flag: measured as a sample, which counts for all acquisitions since the sample before.
pub(super) const SAMPLE: u64 = 1 << 57;
/// Flag: it is in the root of its task, and ends with that.
pub(super) const IN_ROOT: u64 = 1 << 56;
pub(super) const UNITS: u64 = IN_ROOT - 1;
/// Flag, above the counts of spawns and sends: the output of its task may contain it.
const IN_OUTPUT: u64 = 1 << 63;

impl HoldingSlot {
    #[inline]
    pub(super) fn note(&self, here: CurrentPoll) {
        context::count(|counts| &counts.uses);
        self.task.store(here.task, Relaxed);
        self.span.store(here.span, Relaxed);
        self.thread.store(here.thread.map_or(0, |thread| thread.saturating_add(1)), Relaxed);
        let transfers =
            |task: &Task| task.transfer_counts().0 | if task.has_output() { IN_OUTPUT } else { 0 };
        self.transfers.store(here.registered.map_or(0, transfers), Relaxed);
        self.root.store(here.registered.map_or(0, |task| task.memory.load(Relaxed)), Relaxed);
    }

    #[inline]
    pub(super) fn is_of(&self, resource: u64) -> bool {
        self.resource.load(Relaxed) == resource
    }

    pub(super) fn memory(&self) -> Memory {
        Memory(self.memory.load(Relaxed))
    }

    pub(super) fn role(&self) -> Role {
        match self.units.load(Relaxed) >> ROLE {
            0 => Role::Holds,
            1 => Role::Sends,
            2 => Role::Receives,
            _ => Role::Uses,
        }
    }

    pub(super) fn read(&'static self) -> Option<HoldingCopy> {
        // Acquire pairs with the Release of `begin`.
        let resource = self.resource.load(Acquire);
        let units = self.units.load(Relaxed);
        let role = self.role();
        let (task, transfers) = (self.task.load(Relaxed), self.transfers.load(Relaxed));
        let copy = HoldingCopy {
            resource,
            role,
            units: units & UNITS,
            is_movable: units & MOVABLE != 0,
            is_shared: units & SHARED != 0,
            is_in_root: units & IN_ROOT != 0,
            may_be_in_output: transfers & IN_OUTPUT != 0,
            task,
            span: self.span.load(Relaxed),
            thread: self.thread.load(Relaxed).checked_sub(1),
            at: self.at.get(),
            node: if role == Role::Holds { self.node.get() } else { None },
            since: self.since.load(Relaxed),
            uses: self.uses.load(Relaxed),
            transfers: TransferCounts(transfers & !IN_OUTPUT),
            memory: self.memory(),
            root: Memory(self.root.load(Relaxed)),
            own_task: task,
            slot: self,
        };
        // Pairs with the Release fence of `begin`: if a field is from a later holding, the resource
        // read below is from it too, or is 0.
        fence(Acquire);
        (resource != 0 && self.resource.load(Relaxed) == resource).then_some(copy)
    }
}

impl HoldingCopy {
    /// Returns whether it has units that have been released since it was read.
    pub(crate) fn is_over(&self) -> bool {
        let is_same =
            |now: Self| (now.resource, now.task, now.since) == (self.resource, self.own_task, self.since);
        self.role == Role::Holds && !self.slot.read().is_some_and(is_same)
    }
}

/// Iterates over copies of all holdings.
pub(crate) fn holdings() -> impl Iterator<Item = HoldingCopy> {
    pool::all().filter_map(HoldingSlot::read)
}

/// Returns the number of holdings that did not fit into the pool.
pub(crate) fn over() -> u64 {
    pool::over::<HoldingSlot>()
}
