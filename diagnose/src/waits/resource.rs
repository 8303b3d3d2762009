//! The part of a wrapper that owns its record.

use std::panic::Location;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
#[cfg(feature = "parking-lot")]
use std::time::Duration;

use super::blocked_thread::BlockedThread;
use super::creation::Creation;
use super::holding::Holding;
use super::holding_slot::Role;
use super::lazy_wait::AcquireArgs;
use super::record::Record;
use super::resource_type::{ResourceKind, ResourceType};
use super::wait_cell::WaitMode;
use crate::switch;
use crate::sync::OnceCell;

/// A resource with one owner, such as a lock. It is recorded from its first use until its owner is
/// dropped.
#[derive(Debug)]
pub(crate) struct Resource {
    record: OnceCell<&'static Record>,
    of_type: &'static ResourceType,
    made_at: &'static Location<'static>,
    capacity: u64,
    creation: Option<Creation>,
}

impl Resource {
    /// Creates a resource that was made at `made_at`. `capacity` is in units, or
    /// [`UNBOUNDED`](super::UNBOUNDED).
    pub(crate) const fn new(
        resource_type: &'static ResourceType,
        capacity: u64,
        made_at: &'static Location<'static>,
    ) -> Self {
        Self { record: OnceCell::new(), of_type: resource_type, made_at, capacity, creation: None }
    }

    /// Records the creation now. A resource in a constant has no moment of creation.
    pub(crate) fn with_creation(mut self) -> Self {
        self.creation = Some(Creation::now());
        self
    }

    /// Returns its record. Returns `None` if it has none yet and recording is off, or if the pool
    /// is full.
    #[inline]
    pub(crate) fn record(&self) -> Option<&'static Record> {
        match self.record.get() {
            Some(record) => Some(record),
            None => self.begin(),
        }
    }

    /// Returns its record, after storing the current address of the resource there. The resource
    /// moves with its owner until something borrows it.
    #[inline]
    pub(crate) fn located_record(&self) -> Option<&'static Record> {
        let (record, here) = (self.record()?, ptr::from_ref(self).addr());
        if record.address.load(Relaxed) != here {
            record.address.store(here, Relaxed);
        }
        Some(record)
    }

    /// Records that code has accessed the original: any task may use it unrecorded from now on.
    #[inline]
    pub(crate) fn share(&self, at: &'static Location<'static>) {
        if let Some(record) = self.record().filter(|record| !record.is_shared.load(Relaxed)) {
            self.share_record(record, at);
        }
    }

    #[cold]
    fn share_record(&self, record: &'static Record, at: &'static Location<'static>) {
        if self.of_type.kind == ResourceKind::Semaphore {
            record.is_refilled.store(true, Relaxed);
        }
        Holding::share_role(record, Role::Uses, at);
        // If recording is off, nothing is on record, and the next access tries again.
        record.is_shared.store(record.has_lost(Role::Uses), Relaxed);
    }

    /// Arguments of a future that acquires `units` at `at`.
    #[inline]
    pub(crate) fn args(
        &self,
        mode: WaitMode,
        units: u64,
        at: &'static Location<'static>,
        is_movable: bool,
    ) -> AcquireArgs {
        AcquireArgs { record: self.located_record(), mode, units, at, is_movable }
    }

    /// Records that the running task has acquired `units` units at `at`.
    #[inline]
    pub(crate) fn hold(
        &self,
        units: u64,
        at: &'static Location<'static>,
        is_movable: bool,
        has_waited: bool,
    ) -> Holding {
        Holding::hold_after(self.located_record(), units, at, is_movable, has_waited)
    }

    /// Calls `block`, which blocks the thread until it has `units` units.
    #[cold]
    pub(crate) fn block<G>(
        &self,
        mode: WaitMode,
        units: u64,
        at: &'static Location<'static>,
        block: impl FnOnce() -> G,
    ) -> G {
        let _blocked = BlockedThread::begin(self.record(), mode, units, at);
        block()
    }

    /// Records that the thread is about to block, if the resource `is_busy`. The caller then calls
    /// the library's own function itself, and not in a closure here, so that a panic names the
    /// user's line.
    #[cfg(feature = "tokio")]
    #[cold]
    pub(crate) fn blocks_if(
        &self,
        is_busy: bool,
        mode: WaitMode,
        units: u64,
        at: &'static Location<'static>,
    ) -> Option<BlockedThread> {
        if is_busy { BlockedThread::begin(self.record(), mode, units, at) } else { None }
    }

    /// Runs `block`, which blocks this thread for at most `limit`.
    #[cfg(feature = "parking-lot")]
    pub(crate) fn block_for<G>(
        &self,
        mode: WaitMode,
        units: u64,
        limit: Duration,
        at: &'static Location<'static>,
        block: impl FnOnce() -> G,
    ) -> G {
        let _blocked = BlockedThread::begin_for(self.record(), mode, units, limit, at);
        block()
    }

    #[cold]
    fn begin(&self) -> Option<&'static Record> {
        if !switch::records() {
            return None;
        }
        let begin =
            || Record::occupy(self.of_type, self.capacity, self.made_at, None, self.creation, 1).ok_or(());
        let record = self.record.get_or_try_init(begin).ok().copied()?;
        record.address.store(ptr::from_ref(self).addr(), Relaxed);
        Some(record)
    }
}

impl Drop for Resource {
    fn drop(&mut self) {
        if let Some(record) = self.record.get() {
            record.vacate();
        }
    }
}

/// A resource with several owners, such as the ends of a channel. It ends when its last owner is
/// dropped.
#[derive(Debug)]
pub(crate) struct Shared {
    record: Option<&'static Record>,
}

impl Shared {
    /// A resource that is not recorded.
    pub(crate) const NONE: Self = Self { record: None };

    /// Creates a resource that was made at `made_at`, recorded from now on.
    pub(crate) fn new(
        resource_type: &'static ResourceType,
        capacity: u64,
        made_at: &'static Location<'static>,
        name: Option<Arc<str>>,
    ) -> Self {
        let record = Self::begin(resource_type, capacity, made_at, name, 1);
        Self { record }
    }

    /// Creates a resource with two owners.
    #[inline]
    pub(crate) fn pair(
        resource_type: &'static ResourceType,
        capacity: u64,
        made_at: &'static Location<'static>,
        name: Option<Arc<str>>,
    ) -> (Self, Self) {
        let record = Self::begin(resource_type, capacity, made_at, name, 2);
        (Self { record }, Self { record })
    }

    #[inline]
    fn begin(
        resource_type: &'static ResourceType,
        capacity: u64,
        made_at: &'static Location<'static>,
        name: Option<Arc<str>>,
        owners: u32,
    ) -> Option<&'static Record> {
        if !switch::records() {
            return None;
        }
        Record::occupy(resource_type, capacity, made_at, name, Some(Creation::now()), owners)
    }

    #[inline]
    pub(crate) fn record(&self) -> Option<&'static Record> {
        self.record
    }
}

impl Clone for Shared {
    #[inline]
    fn clone(&self) -> Self {
        if let Some(record) = self.record {
            record.owners.fetch_add(1, Relaxed);
        }
        Self { record: self.record }
    }
}

impl Drop for Shared {
    #[inline]
    fn drop(&mut self) {
        if let Some(record) = self.record {
            // Acquire pairs with the Release of the other owners, on this line: the last owner
            // vacates the record after everything they did with it. A sole owner stays the sole
            // owner.
            if record.owners.load(Acquire) == 1 || record.owners.fetch_sub(1, AcqRel) == 1 {
                record.vacate();
            }
        }
    }
}
