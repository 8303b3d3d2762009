//! Holdings: the guards, permits, senders and receivers that tasks have. Readers copy them without
//! a lock.

use std::panic::Location;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use super::lock_order;
use super::record::Record;
use crate::clock;
use crate::context;
use crate::live::{self, CurrentPoll, Memory, TransferCounts};
use crate::pool::{self, pooled};
use crate::recorder;
use crate::switch;
use crate::sync::add_relaxed;
use crate::tree::{Link, Node};

/// How a task takes part in a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Holds,
    Sends,
    Receives,
    Uses,
}

/// The cell of a holding. Its owner writes it with relaxed stores. A copy belongs to one resource
/// if `resource` is the same before and after. If the cell was taken again meanwhile, it may mix
/// two holdings in that resource.
#[derive(Debug)]
pub(crate) struct HoldingSlot {
    /// Number of the resource; 0 while the cell is free.
    resource: AtomicU64,
    /// Record of the resource. Only the owner of the holding reads it.
    record: Link<Record>,
    /// Two bits of role, then three flags, then the units.
    units: AtomicU64,
    task: AtomicU64,
    span: AtomicU64,
    at: Link<Location<'static>>,
    /// For units: the node that ran when they were taken.
    node: Link<Node>,
    /// Tick of acquisition or of the last use; 0 if not read.
    since: AtomicU64,
    uses: AtomicU64,
    /// Spawns and sends of its task at the last use.
    given: AtomicU64,
    /// Number of the thread's tree, plus one; 0 if the thread has no tree.
    thread: AtomicU32,
    /// The [`Memory`](live::Memory) of the future that took it.
    memory: AtomicU64,
}

/// A copy of a [`HoldingSlot`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct HoldingCopy {
    pub(crate) resource: u64,
    pub(crate) role: Role,
    pub(crate) units: u64,
    /// Whether it can move to another thread unseen.
    pub(crate) is_movable: bool,
    /// Whether more than one task has used it.
    pub(crate) is_shared: bool,
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
    pub(crate) given: TransferCounts,
    pub(crate) memory: Memory,
}

pooled!(HoldingSlot, max = 1 << 20, chunk = 64);

const ROLE: u32 = 62;
/// Flag: the clock was read for this holding.
const EXACT: u64 = 1 << 61;
const MOVABLE: u64 = 1 << 60;
/// Flag: more than one task has used it.
const SHARED: u64 = 1 << 59;
const UNITS: u64 = SHARED - 1;
/// The clock is read for the first `SAMPLED` acquisitions that do not wait, then for one in
/// `SAMPLED`.
const SAMPLED: u64 = 64;

impl HoldingSlot {
    fn free() -> Self {
        let zero = || AtomicU64::new(0);
        Self {
            resource: zero(),
            record: Link::new(None),
            units: zero(),
            task: zero(),
            span: zero(),
            at: Link::new(None),
            node: Link::new(None),
            since: zero(),
            uses: zero(),
            given: zero(),
            thread: AtomicU32::new(0),
            memory: zero(),
        }
    }

    #[inline]
    fn note(&self, here: CurrentPoll) {
        context::count(|counts| &counts.uses);
        self.task.store(here.task, Relaxed);
        self.span.store(here.span, Relaxed);
        self.thread.store(here.thread.map_or(0, |thread| thread.saturating_add(1)), Relaxed);
        self.given.store(here.registered.map_or(0, |task| task.transfer_counts().0), Relaxed);
    }

    #[inline]
    pub(super) fn is_of(&self, resource: u64) -> bool {
        self.resource.load(Relaxed) == resource
    }

    fn memory(&self) -> Memory {
        Memory(self.memory.load(Relaxed))
    }

    fn role(&self) -> Role {
        match self.units.load(Relaxed) >> ROLE {
            0 => Role::Holds,
            1 => Role::Sends,
            2 => Role::Receives,
            _ => Role::Uses,
        }
    }

    pub(super) fn read(&self) -> Option<HoldingCopy> {
        let resource = self.resource.load(Relaxed);
        let units = self.units.load(Relaxed);
        let role = self.role();
        let staked = HoldingCopy {
            resource,
            role,
            units: units & UNITS,
            is_movable: units & MOVABLE != 0,
            is_shared: units & SHARED != 0,
            task: self.task.load(Relaxed),
            span: self.span.load(Relaxed),
            thread: self.thread.load(Relaxed).checked_sub(1),
            at: self.at.get(),
            node: if role == Role::Holds { self.node.get() } else { None },
            since: self.since.load(Relaxed),
            uses: self.uses.load(Relaxed),
            given: TransferCounts(self.given.load(Relaxed)),
            memory: self.memory(),
        };
        (resource != 0 && self.resource.load(Relaxed) == resource).then_some(staked)
    }
}

/// A holding, kept in a guard or a channel end for as long as that lives. It is empty while
/// recording is off.
// One word: guards are moved right after they are made, and moving two words would stall.
#[derive(Debug)]
pub(crate) struct Holding {
    place: Option<&'static HoldingSlot>,
}

impl Holding {
    pub(crate) const NONE: Self = Self { place: None };

    /// Records that the running task has acquired `units` without waiting. `is_movable` says that
    /// the guard borrows nothing, so it can move to another thread unseen.
    #[inline]
    pub(crate) fn hold(
        record: Option<&'static Record>,
        units: u64,
        at: &'static Location<'static>,
        is_movable: bool,
    ) -> Self {
        let Some(record) = record.filter(|_| switch::records()) else { return Self::NONE };
        let number = record.count_acquisition();
        let is_exact = number <= SAMPLED || number % SAMPLED == 0;
        Self::begin(record, Role::Holds, units, at, is_movable, is_exact)
    }

    /// Records an acquisition like [`Holding::hold`]; `has_waited` says that it waited until now.
    #[inline]
    pub(crate) fn hold_after(
        record: Option<&'static Record>,
        units: u64,
        at: &'static Location<'static>,
        is_movable: bool,
        has_waited: bool,
    ) -> Self {
        if !has_waited {
            return Self::hold(record, units, at, is_movable);
        }
        let Some(record) = record.filter(|_| switch::records()) else { return Self::NONE };
        record.count_acquisition();
        Self::begin(record, Role::Holds, units, at, is_movable, true)
    }

    /// Records that the running task has reserved `units` places of a channel for messages.
    #[inline]
    pub(crate) fn reserve(
        record: Option<&'static Record>,
        units: u64,
        at: &'static Location<'static>,
        is_movable: bool,
    ) -> Self {
        let Some(record) = record.filter(|_| switch::records()) else { return Self::NONE };
        Self::begin(record, Role::Holds, units, at, is_movable, false)
    }

    /// Records where the future lies that acquired it.
    #[inline]
    pub(crate) fn taken_in(self, memory: Memory) -> Self {
        self.place.inspect(|place| place.memory.store(memory.0, Relaxed));
        self
    }

    /// Makes this the holding by which others see that the value is borrowed.
    #[inline]
    pub(super) fn borrows(&self) {
        if let (Some(place), Some(record)) = (self.place, self.record()) {
            record.borrowed.set(place);
        }
    }

    /// Records that the running task has an end of a channel, or may notify waiters.
    #[inline]
    pub(crate) fn take_part(
        record: Option<&'static Record>,
        role: Role,
        at: &'static Location<'static>,
    ) -> Self {
        let Some(record) = record.filter(|_| switch::records()) else { return Self::NONE };
        Self::begin(record, role, 0, at, true, false)
    }

    #[inline]
    fn begin(
        record: &'static Record,
        role: Role,
        units: u64,
        at: &'static Location<'static>,
        is_movable: bool,
        is_exact: bool,
    ) -> Self {
        let Some(place) = pool::take::<HoldingSlot>() else { return Self::NONE };
        let mut here = live::current_poll();
        if here.thread.is_none() {
            // The thread needs a tree, by which it is known.
            recorder::own_tree_number();
            here = live::current_poll();
        }
        let flags = if is_movable { MOVABLE } else { 0 } | if is_exact { EXACT } else { 0 };
        place.units.store((role as u64) << ROLE | flags | units.min(UNITS), Relaxed);
        place.at.set(at);
        place.uses.store(0, Relaxed);
        place.memory.store(0, Relaxed);
        // Outside of tasks, reading the clock for each acquisition is too expensive.
        let is_read = is_exact || here.stamp == 0 && role != Role::Holds;
        let since = if is_read { clock::now() } else { here.stamp };
        place.since.store(since, Relaxed);
        if role == Role::Holds {
            place.node.put(recorder::current_node());
            record.taken.set(at, &here, since);
        }
        place.note(here);
        place.record.set(record);
        place.resource.store(record.id(), Relaxed);
        lock_order::note(role, record, place);
        Self { place: Some(place) }
    }

    /// Returns the record of its resource, or `None` if the holding is empty.
    #[inline]
    #[allow(dead_code)]
    pub(crate) fn record(&self) -> Option<&'static Record> {
        self.place?.record.get()
    }

    #[allow(dead_code)]
    pub(crate) fn is_movable(&self) -> bool {
        self.place.is_some_and(|place| place.units.load(Relaxed) & MOVABLE != 0)
    }

    /// Records that the running task has used it at `at`, and so has it now.
    #[inline]
    pub(crate) fn used(&self, at: &'static Location<'static>) {
        let Some(place) = self.place else { return };
        let here = live::current_poll();
        let before = place.task.load(Relaxed);
        if place.uses.load(Relaxed) != 0 && before != here.task {
            place.units.store(place.units.load(Relaxed) | SHARED, Relaxed);
        }
        place.at.set(at);
        place.note(here);
        add_relaxed(&place.uses, 1);
        place.since.store(if here.stamp == 0 { clock::now() } else { here.stamp }, Relaxed);
    }

    /// Records that the running task accesses the guarded value, and so has the guard now.
    #[inline]
    pub(crate) fn looked_at(&self) {
        if let Some(place) = self.place.filter(|place| place.span.load(Relaxed) != context::span()) {
            place.note(live::current_poll());
        }
    }

    /// Records that the guard or end leaves the records: any task may have it, until the resource
    /// is gone.
    pub(crate) fn lose(self) {
        let (Some(place), Some(record)) = (self.place, self.record()) else { return };
        place.task.store(0, Relaxed);
        place.span.store(0, Relaxed);
        place.thread.store(0, Relaxed);
        record.lose(self);
    }

    pub(super) fn role(&self) -> Option<Role> {
        Some(self.place?.role())
    }

    /// Records that any task may have another holding in this role from now on.
    pub(crate) fn share(&self, at: &'static Location<'static>) {
        if let (Some(role), Some(record)) = (self.role(), self.record()) {
            Self::share_role(record, role, at);
        }
    }

    /// Records that any task may have a holding in `role` from now on.
    pub(super) fn share_role(record: &'static Record, role: Role, at: &'static Location<'static>) {
        if !record.has_lost(role) {
            Self::take_part(Some(record), role, at).lose();
        }
    }

    #[cold]
    fn count_hold(&self, place: &HoldingSlot) {
        let Some(record) = self.record() else { return };
        let ticks = clock::now().saturating_sub(place.since.load(Relaxed));
        record.count_hold(place.at.get(), place.node.get(), ticks);
    }

    /// Splits `units` off into a holding of their own. The caller may drop that to release them.
    #[allow(dead_code)] // Used only by permits, which need a feature.
    pub(crate) fn split(&self, units: u64) -> Self {
        let (Some(place), Some(record)) = (self.place, self.record()) else { return Self::NONE };
        let all = place.units.load(Relaxed);
        let units = units.min(all & UNITS);
        place.units.store(all - units, Relaxed);
        let Some(at) = place.at.get() else { return Self::NONE };
        Self::begin(record, Role::Holds, units, at, all & MOVABLE != 0, false).taken_in(place.memory())
    }

    /// Adds the units of another holding in this resource.
    #[allow(dead_code)]
    pub(crate) fn merge(&self, other: Self) {
        let taken = other.place.map_or(0, |place| place.units.load(Relaxed) & UNITS);
        // Until the store below, the units look free, never held twice.
        drop(other);
        if let Some(place) = self.place {
            place.units.store(place.units.load(Relaxed).saturating_add(taken), Relaxed);
        }
    }

    /// Sets the units, for example when a writer becomes a reader.
    #[allow(dead_code)]
    pub(crate) fn set_units(&self, units: u64) {
        if let Some(place) = self.place {
            let flags = place.units.load(Relaxed) & !UNITS;
            place.units.store(flags | units.min(UNITS), Relaxed);
        }
    }
}

impl Drop for Holding {
    #[inline]
    fn drop(&mut self) {
        let Some(place) = self.place else { return };
        if place.units.load(Relaxed) & EXACT != 0 {
            self.count_hold(place);
        }
        place.resource.store(0, Relaxed);
        pool::put(place);
    }
}

/// Iterates over copies of all holdings.
pub(crate) fn holdings() -> impl Iterator<Item = HoldingCopy> {
    pool::all().filter_map(HoldingSlot::read)
}

/// Returns how many holdings found no room in the pool.
pub(crate) fn over() -> u64 {
    pool::over::<HoldingSlot>()
}
