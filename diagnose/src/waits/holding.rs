//! Somebody's part in a resource: a guard, a permit, a sender, a receiver.

use std::panic::Location;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use super::lock_order;
use super::record::Record;
use crate::clock;
use crate::context;
use crate::live::{self, CurrentPoll, TransferCounts};
use crate::pool::{self, pooled};
use crate::recorder;
use crate::switch;
use crate::sync::add_relaxed;
use crate::tree::{Link, Node};

/// What somebody is to a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Holds,
    Sends,
    Receives,
    Uses,
}

/// What a reader finds. Written by whoever has the holding, with relaxed stores; a copy is one of holdings in a single resource, if
/// its number is the same before and after: of one that is taken again meanwhile, parts of both.
#[derive(Debug)]
pub(crate) struct HoldingSlot {
    /// The number of the resource; zero while this is nobody's.
    resource: AtomicU64,
    /// Its record; what only whoever has the holding reads.
    record: Link<Record>,
    /// The role above two flags above units.
    units: AtomicU64,
    task: AtomicU64,
    span: AtomicU64,
    at: Link<Location<'static>>,
    /// Of units, the node that ran when they were taken.
    node: Link<Node>,
    /// Zero if that was not read.
    since: AtomicU64,
    uses: AtomicU64,
    /// How often its task had spawned and sent when it was used last.
    given: AtomicU64,
    /// The number of the thread's tree, plus one; zero if it has none.
    thread: AtomicU32,
}

/// A copy of a holding.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HoldingCopy {
    pub(crate) resource: u64,
    pub(crate) role: Role,
    pub(crate) units: u64,
    /// Whether it can go to another thread without being seen.
    pub(crate) is_movable: bool,
    /// Whether more than one task has used it.
    pub(crate) is_shared: bool,
    pub(crate) task: u64,
    pub(crate) span: u64,
    pub(crate) thread: Option<u32>,
    pub(crate) at: Option<&'static Location<'static>>,
    /// Of units, the node that ran when they were taken.
    pub(crate) node: Option<&'static Node>,
    /// Zero if that was not read.
    pub(crate) since: u64,
    pub(crate) uses: u64,
    /// How often its task had spawned and sent then.
    pub(crate) given: TransferCounts,
}

pooled!(HoldingSlot, max = 1 << 20, chunk = 64);

const ROLE: u32 = 62;
/// The clock was read for it.
const EXACT: u64 = 1 << 61;
const MOVABLE: u64 = 1 << 60;
/// More than one task has used it.
const SHARED: u64 = 1 << 59;
const UNITS: u64 = SHARED - 1;
/// Of acquisitions that did not wait, the clock is read for the first so many, and then for one in so many.
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
        }
    }
}

impl HoldingSlot {
    #[inline]
    fn note(&self, here: CurrentPoll) {
        context::count(|counts| &counts.uses);
        self.task.store(here.task, Relaxed);
        self.span.store(here.span, Relaxed);
        self.thread.store(here.thread.map_or(0, |thread| thread.saturating_add(1)), Relaxed);
        self.given.store(here.registered.map_or(0, |task| task.transfer_counts().0), Relaxed);
    }

    /// Whether it is a holding in the resource of that number.
    #[inline]
    pub(super) fn is_of(&self, resource: u64) -> bool {
        self.resource.load(Relaxed) == resource
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
        };
        (resource != 0 && self.resource.load(Relaxed) == resource).then_some(staked)
    }
}

/// Somebody's holding, for as long as the guard or the like lives that it is kept in. Of nobody, while recording is off.
// One word: guards are moved in one piece right after they are made, and two would stall that.
#[derive(Debug)]
pub(crate) struct Holding {
    place: Option<&'static HoldingSlot>,
}

impl Holding {
    /// No holding in anything.
    pub(crate) const NONE: Self = Self { place: None };

    /// The running task has acquired so many units, without waiting. `is_movable`: it can go to another thread without
    /// being seen, because it borrows nothing.
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

    /// The same after a wait, which ended now.
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

    /// The running task has so many places of a channel, for messages that it will put in.
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

    /// It is the one by which others know that somebody looks at the value.
    #[inline]
    pub(super) fn borrows(&self) {
        if let (Some(place), Some(record)) = (self.place, self.record()) {
            record.borrowed.set(place);
        }
    }

    /// The running task has an end of a channel, or may tell others.
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
            // A thread that has recorded nothing yet is known by its tree from now on.
            recorder::own_tree_number();
            here = live::current_poll();
        }
        let flags = if is_movable { MOVABLE } else { 0 } | if is_exact { EXACT } else { 0 };
        place.units.store((role as u64) << ROLE | flags | units.min(UNITS), Relaxed);
        place.at.set(at);
        place.uses.store(0, Relaxed);
        // A lock that is taken again and again outside of tasks is worth no reading for each time.
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

    /// What it is a holding in. `None` while recording is off.
    #[inline]
    #[allow(dead_code)]
    pub(crate) fn record(&self) -> Option<&'static Record> {
        self.place?.record.get()
    }

    /// Whether it can go to another thread without being seen.
    #[allow(dead_code)]
    pub(crate) fn is_movable(&self) -> bool {
        self.place.is_some_and(|place| place.units.load(Relaxed) & MOVABLE != 0)
    }

    /// The running task has used it, there: it has it now.
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

    /// The running task looks at what a guard guards: it has the guard now.
    #[inline]
    pub(crate) fn looked_at(&self) {
        let Some(place) = self.place else { return };
        if place.span.load(Relaxed) != context::span() {
            place.note(live::current_poll());
        }
    }

    /// What it is the holding of goes where nobody sees it: it is anywhere, for as long as the resource is known.
    pub(crate) fn lose(self) {
        let (Some(place), Some(record)) = (self.place, self.record()) else { return };
        place.task.store(0, Relaxed);
        place.span.store(0, Relaxed);
        place.thread.store(0, Relaxed);
        record.lose(self);
    }

    /// What somebody is to the resource.
    pub(super) fn role(&self) -> Option<Role> {
        Some(self.place?.role())
    }

    /// Others like this may be anywhere from now on.
    pub(crate) fn share(&self, at: &'static Location<'static>) {
        let (Some(role), Some(record)) = (self.role(), self.record()) else { return };
        if !record.has_lost(role) {
            Self::take_part(Some(record), role, at).lose();
        }
    }

    #[cold]
    fn count_hold(&self, place: &HoldingSlot) {
        if let Some(record) = self.record() {
            record.count_hold(clock::now().saturating_sub(place.since.load(Relaxed)));
        }
    }

    /// Some units go to a holding of their own, or are given up.
    #[allow(dead_code)] // By permits, which are a feature.
    pub(crate) fn split(&self, units: u64) -> Self {
        let (Some(place), Some(record)) = (self.place, self.record()) else { return Self::NONE };
        let all = place.units.load(Relaxed);
        let units = units.min(all & UNITS);
        place.units.store(all - units, Relaxed);
        let at = place.at.get();
        match at {
            Some(at) => Self::begin(record, Role::Holds, units, at, all & MOVABLE != 0, false),
            None => Self::NONE,
        }
    }

    /// Takes the units of another holding in the same resource.
    #[allow(dead_code)]
    pub(crate) fn merge(&self, other: Self) {
        let taken = other.place.map_or(0, |place| place.units.load(Relaxed) & UNITS);
        // In between they are free for a reader, and not held twice.
        drop(other);
        if let Some(place) = self.place {
            place.units.store(place.units.load(Relaxed).saturating_add(taken), Relaxed);
        }
    }

    /// So many units it has from now on: a writer becomes a reader.
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

/// Copies of all holdings that somebody has.
pub(crate) fn all_holdings() -> Vec<HoldingCopy> {
    holdings().collect()
}

/// The same one after the other.
pub(crate) fn holdings() -> impl Iterator<Item = HoldingCopy> {
    pool::all().filter_map(HoldingSlot::read)
}

/// How many holdings were not recorded, because there were too many.
pub(crate) fn over() -> u64 {
    pool::over::<HoldingSlot>()
}
