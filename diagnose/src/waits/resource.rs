//! What a wrapper keeps of its record.

use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};

use super::blocked_thread::BlockedThread;
use super::creation::Creation;
use super::holding::Holding;
use super::lazy_wait::AcquireArgs;
use super::record::Record;
use super::resource_type::ResourceType;
use super::wait_cell::WaitMode;
use crate::switch;
use crate::sync::OnceCell;

/// A resource in a value of its own, such as a lock: known from its first use on, gone with the value.
#[derive(Debug)]
pub(crate) struct Resource {
    record: OnceCell<&'static Record>,
    what: &'static ResourceType,
    made_at: &'static Location<'static>,
    capacity: u64,
    born: Option<Creation>,
}

impl Resource {
    /// One that was made there. `capacity` in units; [`UNBOUNDED`](super::what::UNBOUNDED).
    pub(crate) const fn new(
        what: &'static ResourceType,
        capacity: u64,
        made_at: &'static Location<'static>,
    ) -> Self {
        Self { record: OnceCell::new(), what, made_at, capacity, born: None }
    }

    /// It is made now, and not in a constant.
    pub(crate) fn born(mut self) -> Self {
        self.born = Some(Creation::now());
        self
    }

    /// Its record. `None` while recording is off and it has none yet, or where there are too many.
    #[inline]
    pub(crate) fn record(&self) -> Option<&'static Record> {
        match self.record.get() {
            Some(record) => Some(record),
            None => self.begin(),
        }
    }

    /// What a future asks of it that waits for so many units, there.
    #[inline]
    #[allow(dead_code)] // By what is a feature.
    pub(crate) fn args(
        &self,
        mode: WaitMode,
        units: u64,
        at: &'static Location<'static>,
        is_movable: bool,
    ) -> AcquireArgs {
        AcquireArgs { record: self.record(), mode, units, at, is_movable }
    }

    /// The running task has acquired so many units of it, there.
    #[inline]
    pub(crate) fn hold(
        &self,
        units: u64,
        at: &'static Location<'static>,
        is_movable: bool,
        has_waited: bool,
    ) -> Holding {
        Holding::hold_after(self.record(), units, at, is_movable, has_waited)
    }

    /// Calls `block`, which blocks the thread until it has so many units.
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

    #[cold]
    fn begin(&self) -> Option<&'static Record> {
        if !switch::records() {
            return None;
        }
        let begin = || Record::occupy(self.what, self.capacity, self.made_at, None, self.born, 1).ok_or(());
        self.record.get_or_try_init(begin).ok().copied()
    }
}

impl Drop for Resource {
    fn drop(&mut self) {
        if let Some(record) = self.record.get() {
            record.vacate();
        }
    }
}

/// A resource that several values keep, such as the ends of a channel: gone with the last.
#[derive(Debug)]
pub(crate) struct Shared {
    record: Option<&'static Record>,
}

impl Shared {
    /// Nothing that is known.
    pub(crate) const NONE: Self = Self { record: None };

    /// One that is made there, known from now on.
    pub(crate) fn new(
        what: &'static ResourceType,
        capacity: u64,
        made_at: &'static Location<'static>,
        name: Option<Arc<str>>,
    ) -> Self {
        let record = Self::begin(what, capacity, made_at, name, 1);
        Self { record }
    }

    /// The same, for two who keep it.
    #[inline]
    pub(crate) fn pair(
        what: &'static ResourceType,
        capacity: u64,
        made_at: &'static Location<'static>,
        name: Option<Arc<str>>,
    ) -> (Self, Self) {
        let record = Self::begin(what, capacity, made_at, name, 2);
        (Self { record }, Self { record })
    }

    #[inline]
    fn begin(
        what: &'static ResourceType,
        capacity: u64,
        made_at: &'static Location<'static>,
        name: Option<Arc<str>>,
        owners: u32,
    ) -> Option<&'static Record> {
        if !switch::records() {
            return None;
        }
        Record::occupy(what, capacity, made_at, name, Some(Creation::now()), owners)
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
            // Acquire pairs with the Release of the other owners, on this line: the last vacates the record after all that they did
            // with it. One who is alone stays so.
            if record.owners.load(Acquire) == 1 || record.owners.fetch_sub(1, AcqRel) == 1 {
                record.vacate();
            }
        }
    }
}
