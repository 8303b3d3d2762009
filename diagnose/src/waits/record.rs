//! The record of one resource: identity, counts and queue.

use std::panic::{Location, RefUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, fence};

use super::creation::{Creation, Creator};
use super::holding::Holding;
use super::holding_slot::{HoldingSlot, Role};
use super::last_event::{LastEvent, LastEventCell, LastNotify, LastNotifyCell};
use super::past_use;
use super::resource_type::{ResourceKind, ResourceType};
use super::usage::UsageCounters;
use crate::clock;
use crate::context;
use crate::pool::{self, pooled};
use crate::sync::{Mutex, MutexGuard};
use crate::tree::{Link, Node};

/// The users of the resource write its counts. Locks guard `name` and `rare`. A copy of the other
/// fields belongs to one resource if `id` is the same before and after the copying. So a channel
/// for a single message takes no lock.
#[derive(Debug, Default)]
pub(crate) struct Record {
    /// Unique number, from 1; 0 while the record is free.
    id: AtomicU64,
    resource_type: Link<ResourceType>,
    made_at: Link<Location<'static>>,
    /// Address of the resource at its first use; 0 if unknown.
    pub(crate) address: AtomicUsize,
    made_by: AtomicU64,
    /// Tick at which it was made; 0 if it was made in a constant.
    pub(super) created: AtomicU64,
    /// Tick at which the record was taken.
    started: AtomicU64,
    name: Mutex<Option<Arc<str>>>,
    is_named: AtomicBool,
    /// Total number of units, or [`UNBOUNDED`](super::UNBOUNDED).
    pub(crate) capacity: AtomicU64,
    /// Messages put in (channel), arrivals (barrier), or acquisitions (any other resource).
    pub(crate) entered: AtomicU64,
    /// For a channel: messages taken out.
    pub(crate) left: AtomicU64,
    /// Permits that were removed for good.
    pub(crate) forgotten: AtomicU64,
    /// Whether permits were added.
    pub(crate) is_refilled: AtomicBool,
    /// Whether any task may use it unrecorded: code has accessed the original.
    pub(super) is_shared: AtomicBool,
    pub(crate) is_closed: AtomicBool,
    /// Number of blocked threads among the waits.
    pub(super) blocked: AtomicU32,
    /// For a value that is borrowed under a lock: the holding of one borrower. `more_borrowed`
    /// counts the others.
    pub(super) borrowed: Link<HoldingSlot>,
    pub(super) more_borrowed: AtomicU32,
    /// The last acquisition of units.
    pub(super) taken: LastEventCell,
    last_notified: LastNotifyCell,
    /// Number of owners: see [`Shared`](super::Shared).
    pub(super) owners: AtomicU32,
    /// Number of waits ever put into the queue, above [`WAITING`] bits for the number in it now.
    pub(super) queue: AtomicU64,
    /// Number of waits in the queue that had their units from the start.
    pub(super) granted: AtomicU64,
    /// Ticks that the first wait took; 0 if it was not granted.
    pub(super) first_wait: AtomicU64,
    /// Allocated at the second wait, or at the first timed hold.
    pub(super) usage: Link<UsageCounters>,
    pub(super) is_used: AtomicBool,
    rare: Mutex<RareFields>,
    /// Whether `rare` was written for this resource.
    is_rare: AtomicBool,
}

#[derive(Debug, Clone)]
pub(crate) struct RecordIdentity {
    pub(crate) resource_type: &'static ResourceType,
    pub(crate) name: Option<Arc<str>>,
    pub(crate) made_at: &'static Location<'static>,
    pub(crate) made_by: Creator,
    /// Tick at which it was made; 0 if unknown. It shows which tasks were created after it.
    pub(crate) created: u64,
    /// Tick at which the record was taken.
    pub(crate) started: u64,
}

/// Fields that few resources need.
#[derive(Debug, Default)]
struct RareFields {
    last_forgotten: Option<LastEvent>,
    /// Holdings that any task may have, because they left the records.
    lost: Vec<Holding>,
}

pub(super) const WAITING: u32 = 24;
pub(super) const QUEUED: u64 = 1 << WAITING;

// Counters and locks: a panic leaves none of them half changed.
impl RefUnwindSafe for Record {}

pooled!(Record, max = 1 << 20, chunk = 64);

impl Record {
    /// Takes a record for a new resource with `owners` owners. Returns `None` if the pool is full.
    #[inline]
    pub(super) fn occupy(
        resource_type: &'static ResourceType,
        capacity: u64,
        made_at: &'static Location<'static>,
        name: Option<Arc<str>>,
        creation: Option<Creation>,
        owners: u32,
    ) -> Option<&'static Self> {
        let record = pool::take::<Self>()?;
        // Pairs with the Acquire fence in `identity`: a reader of a field stored below sees that
        // the old id is gone.
        fence(Release);
        record.resource_type.set(resource_type);
        record.made_at.set(made_at);
        record.address.store(0, Relaxed);
        let Creation { made, by } = creation.unwrap_or(Creation { made: 0, by: 0 });
        record.made_by.store(by, Relaxed);
        record.created.store(made, Relaxed);
        record.started.store(now(), Relaxed);
        let (queue, granted, first_wait) = (&record.queue, &record.granted, &record.first_wait);
        for counter in [&record.entered, &record.left, &record.forgotten, queue, granted, first_wait] {
            counter.store(0, Relaxed);
        }
        record.capacity.store(capacity, Relaxed);
        record.is_refilled.store(false, Relaxed);
        record.is_shared.store(false, Relaxed);
        record.is_closed.store(false, Relaxed);
        record.blocked.store(0, Relaxed);
        record.more_borrowed.store(0, Relaxed);
        record.taken.clear();
        record.last_notified.clear();
        record.owners.store(owners, Relaxed);
        if name.is_some() {
            *record.name.lock() = name;
            record.is_named.store(true, Relaxed);
        }
        // Release pairs with the Acquire of `identity`: a reader that sees the id sees the fields.
        record.id.store(context::new_resource(), Release);
        Some(record)
    }

    #[inline]
    pub(super) fn vacate(&'static self) {
        let past = if self.is_used.load(Relaxed) { past_use::last_use(self) } else { None };
        self.id.store(0, Relaxed);
        // Added after the identity is gone, so that a capture counts it at most once.
        if let Some(past) = past {
            past_use::add(past);
        }
        if self.is_used.load(Relaxed) || self.is_rare.load(Relaxed) || self.is_named.load(Relaxed) {
            self.clear();
        }
        pool::put(self);
    }

    #[cold]
    fn clear(&self) {
        let name = self.name.lock().take();
        self.is_named.store(false, Relaxed);
        self.discard_usage();
        let rare = std::mem::take(&mut *self.rare.lock());
        self.is_rare.store(false, Relaxed);
        // Holdings are dropped outside of the lock.
        drop((name, rare));
    }

    fn rare(&self) -> MutexGuard<'_, RareFields> {
        let rare = self.rare.lock();
        self.is_rare.store(true, Relaxed);
        rare
    }

    #[cold]
    pub(super) fn usage(&self) -> &'static UsageCounters {
        self.is_used.store(true, Relaxed);
        self.usage.get().unwrap_or_else(|| {
            // Concurrent threads must share one allocation.
            static MAKING: Mutex<()> = Mutex::new(());
            let _making = MAKING.lock();
            self.usage.get().unwrap_or_else(|| {
                let usage: &'static UsageCounters = Box::leak(Box::default());
                self.usage.set(usage);
                usage
            })
        })
    }

    #[inline]
    pub(crate) fn id(&self) -> u64 {
        self.id.load(Relaxed)
    }

    /// Returns the creator, and the tick at which the record was taken.
    pub(crate) fn creator_and_start(&self) -> (Creator, u64) {
        (Creator::new(self.made_by.load(Relaxed)), self.started.load(Relaxed))
    }

    /// Returns the id and the identity, or `None` if the record is free.
    pub(crate) fn identity(&self) -> Option<(u64, RecordIdentity)> {
        // Acquire pairs with the Release store in `occupy`: a reader that sees the id sees the
        // fields.
        let id = self.id.load(Acquire);
        let resource_type = self.resource_type.get()?;
        let made_at = self.made_at.get()?;
        let name = self.name.lock().clone();
        let (made_by, started) = self.creator_and_start();
        let created = self.created.load(Relaxed);
        // Pairs with the Release fence in `occupy`: if a field above is from a later resource, the
        // id read below differs.
        fence(Acquire);
        let is_same = id != 0 && self.id() == id;
        is_same.then_some((id, RecordIdentity { resource_type, name, made_at, made_by, created, started }))
    }

    /// Returns its type, or `None` if the record was never used.
    pub(super) fn resource_type(&self) -> Option<&'static ResourceType> {
        self.resource_type.get()
    }

    /// Returns how many waits were ever put into the queue.
    #[inline]
    pub(super) fn queued(&self) -> u64 {
        // Acquire pairs with the Release of `enqueue`: a counted wait was in the primitive's own
        // queue before.
        self.queue.load(Acquire) >> WAITING
    }

    /// Adds a wait to the queue. Returns how many were added before it.
    pub(super) fn enqueue(&self) -> u64 {
        if self.resource_type().is_some_and(|it| (it.is_granted)()) {
            self.granted.fetch_add(1, Relaxed);
        }
        // Release pairs with the Acquire of `queued`: the wait is already in the primitive's own
        // queue.
        self.queue.fetch_add(QUEUED + 1, Release) >> WAITING
    }

    /// Removes the wait with place `place`, which took `ticks`. `call` is the call that waited, and
    /// its node. A wait that was given up counts only as time of its call, because its full length
    /// is unknown.
    pub(super) fn dequeue(
        &self,
        place: u64,
        ticks: u64,
        is_given_up: bool,
        call: Option<(&'static Location<'static>, Option<&'static Node>)>,
    ) {
        if place != 0 {
            if !is_given_up {
                self.usage().add_wait(ticks);
            }
            if let Some((at, node)) = call.filter(|_| self.has_units()) {
                self.usage().add_waiter(at, node, ticks);
            }
        } else if !is_given_up {
            self.first_wait.store(ticks.max(1), Relaxed);
        }
        // Release pairs with the Acquire of `usage_so_far`: a wait that has left the queue is
        // counted above.
        self.queue.fetch_sub(1, Release);
    }

    /// Returns whether a wait ends when another task releases units, as opposed to sending a
    /// message.
    pub(crate) fn has_units(&self) -> bool {
        self.resource_type.get().is_some_and(|it| {
            matches!(
                it.kind,
                ResourceKind::Mutex | ResourceKind::RwLock | ResourceKind::Semaphore | ResourceKind::Custom
            )
        })
    }

    /// Keeps a holding that any task may have from now on. Holdings that were lost at one place are
    /// merged, because a server may convert a receiver for each of its connections.
    pub(super) fn lose(&self, holding: Holding) {
        let mut rare = self.rare();
        if let Some(lost) = rare.lost.iter().find(|lost| lost.is_like(&holding)) {
            lost.take_units_of(&holding);
        } else {
            rare.lost.push(holding);
        }
    }

    /// Returns whether any task may have that role.
    pub(crate) fn has_lost(&self, role: Role) -> bool {
        self.rare.lock().lost.iter().any(|holding| holding.role() == Some(role))
    }

    #[inline]
    pub(crate) fn has_waiting(&self) -> bool {
        self.queue.load(Relaxed) & (QUEUED - 1) != 0
    }

    #[inline]
    pub(crate) fn has_blocked(&self) -> bool {
        self.blocked.load(Relaxed) != 0
    }

    /// Returns whether the borrower in `borrowed` still has the value.
    #[inline]
    pub(super) fn is_borrowed_by_one(&self) -> bool {
        // The cell may have been reused, as by another receiver.
        self.borrowed.get().is_some_and(|place| place.is_of(self.id()) && place.role() == Role::Holds)
    }

    /// Records a notification of the waiters: of one, or of all.
    #[inline]
    pub(crate) fn set_last_notified(&self, at: &'static Location<'static>, all: bool) {
        let waiting = u32::try_from(self.queue.load(Relaxed) & (QUEUED - 1)).unwrap_or(u32::MAX);
        self.last_notified.set(at, waiting, all);
    }

    pub(crate) fn last_acquired(&self) -> Option<LastEvent> {
        self.taken.get()
    }

    #[cold]
    pub(crate) fn forget(&self, permits: u64, at: &'static Location<'static>) {
        let mut rare = self.rare();
        self.forgotten.fetch_add(permits, Relaxed);
        rare.last_forgotten = Some(LastEvent { at, task: context::task(), tick: clock::now() });
    }

    pub(crate) fn last_forgotten(&self) -> Option<LastEvent> {
        if self.is_rare.load(Relaxed) { self.rare.lock().last_forgotten } else { None }
    }

    pub(crate) fn last_notified(&self) -> Option<LastNotify> {
        self.last_notified.get()
    }
}

/// Returns the last clock reading of the running poll. Outside of polls it reads the clock.
fn now() -> u64 {
    match context::stamp() {
        0 => clock::now(),
        stamp => stamp,
    }
}

/// Returns all records, including those of resources that are gone.
pub(crate) fn all_records() -> Vec<&'static Record> {
    pool::all().collect()
}
