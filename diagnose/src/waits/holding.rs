//! Holdings: the guards, permits, senders and receivers that tasks have.

use std::panic::Location;
use std::ptr;
use std::sync::atomic::Ordering::{Relaxed, Release};
use std::sync::atomic::fence;

use super::holding_slot::{
    EXACT, HoldingSlot, IN_ROOT, MEASURED, MOVABLE, ROLE, Role, SAMPLE, SHARED, UNITS,
};
use super::lock_order;
use super::record::Record;
use crate::clock;
use crate::context;
use crate::live::{self, Memory};
use crate::pool;
use crate::recorder;
use crate::switch;
use crate::sync::add_relaxed;

/// The first `SAMPLED` acquisitions that do not wait are measured, then one in `SAMPLED`.
const SAMPLED: u64 = 64;

/// Returns whether an acquisition is a sample. The numbers are mixed (Fibonacci hashing), because
/// regular samples could coincide with a period of the program.
#[inline]
fn is_sample(number: u64) -> bool {
    number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - SAMPLED.ilog2()) == 0
}

/// A holding, stored in a guard or a channel end until that is dropped. It is empty while recording
/// is off.
// One word: guards are moved right after they are made, and moving two words would stall.
#[derive(Debug)]
pub(crate) struct Holding {
    slot: Option<&'static HoldingSlot>,
}

impl Holding {
    pub(crate) const NONE: Self = Self { slot: None };

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
        let measured = match number {
            ..=SAMPLED => EXACT | MEASURED,
            _ if is_sample(number) => EXACT | MEASURED | SAMPLE,
            // Another task may be waiting when it ends.
            _ if record.was_contended() => EXACT,
            _ => 0,
        };
        Self::begin(record, Role::Holds, units, at, is_movable, measured)
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
        Self::begin(record, Role::Holds, units, at, is_movable, EXACT | MEASURED)
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
        Self::begin(record, Role::Holds, units, at, is_movable, 0)
    }

    /// Records that the task with number `task` has one unit, in its root, until the task ends.
    /// `task` is 0 if the task is not on record.
    #[cfg(feature = "tokio-util")]
    pub(crate) fn in_root(
        record: Option<&'static Record>,
        task: u64,
        at: &'static Location<'static>,
    ) -> Self {
        let holding = Self::reserve(record, 1, at, false);
        if let Some(slot) = holding.slot {
            slot.units.store(slot.units.load(Relaxed) | IN_ROOT, Relaxed);
            slot.span.store(0, Relaxed);
            slot.thread.store(0, Relaxed);
            slot.since.store(clock::now(), Relaxed);
            slot.task.store(task, Relaxed);
        }
        holding
    }

    /// Records the memory of the future that acquired the units.
    #[inline]
    pub(crate) fn taken_in(self, memory: Memory) -> Self {
        self.slot.inspect(|slot| slot.memory.store(memory.0, Relaxed));
        self
    }

    /// Stores this holding in the record, as the one that shows that the value is borrowed.
    #[inline]
    pub(super) fn borrows(&self) {
        if let (Some(slot), Some(record)) = (self.slot, self.record()) {
            record.borrowed.set(slot);
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
        Self::begin(record, role, 0, at, true, 0)
    }

    #[inline]
    fn begin(
        record: &'static Record,
        role: Role,
        units: u64,
        at: &'static Location<'static>,
        is_movable: bool,
        measured: u64,
    ) -> Self {
        let Some(slot) = pool::take::<HoldingSlot>() else { return Self::NONE };
        let mut here = live::current_poll();
        if here.thread.is_none() {
            // The thread needs a tree, because the tree's number identifies it.
            recorder::own_tree_number();
            here = live::current_poll();
        }
        // Pairs with the Acquire fence of `read`: a reader that copies a field of this holding sees
        // that the previous one is over.
        fence(Release);
        let flags = if is_movable { MOVABLE } else { 0 } | measured;
        slot.units.store((role as u64) << ROLE | flags | units.min(UNITS), Relaxed);
        slot.at.set(at);
        slot.uses.store(0, Relaxed);
        slot.memory.store(0, Relaxed);
        // Outside of tasks, reading the clock for each acquisition is too expensive.
        let is_read = measured & EXACT != 0 || here.stamp == 0 && role != Role::Holds;
        let since = if is_read { clock::now() } else { here.stamp };
        slot.since.store(since, Relaxed);
        if role == Role::Holds {
            slot.node.put(recorder::current_node());
            record.taken.set(at, &here, since);
        }
        slot.note(here);
        slot.record.set(record);
        // Release pairs with the Acquire of `read`: a reader that sees the resource sees all
        // fields.
        slot.resource.store(record.id(), Release);
        lock_order::note(role, record, slot);
        Self { slot: Some(slot) }
    }

    /// Returns the record of its resource, or `None` if the holding is empty.
    #[inline]
    pub(crate) fn record(&self) -> Option<&'static Record> {
        self.slot?.record.get()
    }

    pub(crate) fn is_movable(&self) -> bool {
        self.slot.is_some_and(|slot| slot.units.load(Relaxed) & MOVABLE != 0)
    }

    /// Records that the running task has used the guard or end at `at`, and so has it now.
    #[inline]
    pub(crate) fn used(&self, at: &'static Location<'static>) {
        let Some(slot) = self.slot else { return };
        let here = live::current_poll();
        let before = slot.task.load(Relaxed);
        if slot.uses.load(Relaxed) != 0 && before != here.task {
            slot.units.store(slot.units.load(Relaxed) | SHARED, Relaxed);
        }
        slot.at.set(at);
        slot.note(here);
        add_relaxed(&slot.uses, 1);
        slot.since.store(if here.stamp == 0 { clock::now() } else { here.stamp }, Relaxed);
    }

    /// Uncounts the last use, because it received nothing. The first use stays, because it shows
    /// which task has the end.
    #[cold]
    pub(crate) fn used_in_vain(&self) {
        let Some(slot) = self.slot else { return };
        let uses = slot.uses.load(Relaxed);
        slot.uses.store(uses.saturating_sub(1).max(uses.min(1)), Relaxed);
    }

    /// Records that the running task accesses this end at `at` to create an end of the other role.
    /// If another task used it last, the running task may only borrow it, as from a map or through
    /// an `Arc`.
    pub(crate) fn reached(&self, at: &'static Location<'static>) {
        let Some(slot) = self.slot else { return };
        match slot.task.load(Relaxed) {
            last if last == 0 || last == live::current_poll().task => self.used(at),
            _ => slot.units.store(slot.units.load(Relaxed) | SHARED, Relaxed),
        }
    }

    /// Records that the running task accesses the guarded value, and so has the guard now.
    #[inline]
    pub(crate) fn accessed(&self) {
        if let Some(slot) = self.slot.filter(|slot| slot.span.load(Relaxed) != context::span()) {
            slot.note(live::current_poll());
        }
    }

    /// Records that the guard or end is no longer recorded. Any task may have it until the resource
    /// is gone.
    pub(crate) fn lose(self) {
        let (Some(slot), Some(record)) = (self.slot, self.record()) else { return };
        slot.task.store(0, Relaxed);
        slot.span.store(0, Relaxed);
        slot.thread.store(0, Relaxed);
        record.lose(self);
    }

    pub(super) fn role(&self) -> Option<Role> {
        Some(self.slot?.role())
    }

    /// Returns whether both have the same role and the same place.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let (Some(own), Some(other)) = (self.slot, other.slot) else { return false };
        let address = |slot: &HoldingSlot| slot.at.get().map_or(ptr::null(), ptr::from_ref);
        own.role() == other.role() && ptr::eq(address(own), address(other))
    }

    /// Takes the units of another holding, which then ends without being measured.
    pub(super) fn take_units_of(&self, other: &Self) {
        let (Some(own), Some(other)) = (self.slot, other.slot) else { return };
        let (units, more) = (own.units.load(Relaxed), other.units.load(Relaxed));
        let sum = (units & UNITS).saturating_add(more & UNITS).min(UNITS);
        own.units.store(units & !UNITS | sum, Relaxed);
        other.units.store(more & !(UNITS | EXACT | MEASURED | SAMPLE), Relaxed);
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

    /// Measures a hold at its end. A hold that other tasks wait for counts once, because a
    /// contended lock measures every hold.
    #[cold]
    fn count_hold(&self, slot: &HoldingSlot, is_waited_for: bool) {
        let Some(record) = self.record() else { return };
        let is_sample = slot.units.load(Relaxed) & SAMPLE != 0 && !is_waited_for;
        let holds = if is_sample { SAMPLED } else { 1 };
        let ticks = clock::now().saturating_sub(slot.since.load(Relaxed));
        record.usage().add_holds(slot.at.get(), slot.node.get(), ticks, holds);
    }

    /// Splits off `units` into a new holding. The caller may drop it to release them.
    pub(crate) fn split(&self, units: u64) -> Self {
        let (Some(slot), Some(record)) = (self.slot, self.record()) else { return Self::NONE };
        let all = slot.units.load(Relaxed);
        let units = units.min(all & UNITS);
        slot.units.store(all - units, Relaxed);
        let Some(at) = slot.at.get() else { return Self::NONE };
        Self::begin(record, Role::Holds, units, at, all & MOVABLE != 0, 0).taken_in(slot.memory())
    }

    /// Takes over the units of another holding in this resource.
    pub(crate) fn merge(&self, other: Self) {
        let taken = other.slot.map_or(0, |slot| slot.units.load(Relaxed) & UNITS);
        // Until the store below, the units appear free. In the other order they would appear held
        // twice.
        drop(other);
        if let Some(slot) = self.slot {
            slot.units.store(slot.units.load(Relaxed).saturating_add(taken), Relaxed);
        }
    }

    /// Sets the units, for example when a writer becomes a reader.
    pub(crate) fn set_units(&self, units: u64) {
        if let Some(slot) = self.slot {
            let flags = slot.units.load(Relaxed) & !UNITS;
            slot.units.store(flags | units.min(UNITS), Relaxed);
        }
    }
}

impl Drop for Holding {
    #[inline]
    fn drop(&mut self) {
        let Some(slot) = self.slot else { return };
        let units = slot.units.load(Relaxed);
        if units & EXACT != 0 {
            let is_waited_for = self.record().is_some_and(Record::has_waiting);
            if units & MEASURED != 0 || is_waited_for {
                self.count_hold(slot, is_waited_for);
            }
        }
        slot.resource.store(0, Relaxed);
        pool::put(slot);
    }
}
