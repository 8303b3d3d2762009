//! What is known of one resource.

use std::panic::{Location, RefUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, fence};

use super::creation::{Creation, Creator};
use super::holding::{Holding, HoldingSlot, Role};
use super::last_event::{LastEvent, LastEventCell, LastNotify, LastNotifyCell};
use super::resource_type::ResourceType;
use super::usage::{Usage, UsageCounters};
use crate::clock;
use crate::context;
use crate::pool::{self, pooled};
use crate::sync::{Mutex, MutexGuard};
use crate::tree::Link;

/// One resource. Its counts are written by whoever uses it; name and queue are under a lock. What does not change was
/// read of one resource if the number is the same before and after: one that is made for a single message costs no lock.
#[derive(Debug)]
pub(crate) struct Record {
    /// Numbered from 1; zero while this is nobody's.
    id: AtomicU64,
    what: Link<ResourceType>,
    made_at: Link<Location<'static>>,
    made_by: AtomicU64,
    /// When it was made, as a tick; zero in a constant.
    born: AtomicU64,
    made: AtomicU64,
    name: Mutex<Option<Arc<str>>>,
    is_named: AtomicBool,
    /// How many units there are; [`UNBOUNDED`].
    pub(crate) capacity: AtomicU64,
    /// Of a channel, what was put in; of a barrier, who has arrived; of others, how often it was acquired.
    pub(crate) entered: AtomicU64,
    /// Of a channel, what was taken out.
    pub(crate) left: AtomicU64,
    /// Permits that were taken out for ever.
    pub(crate) forgotten: AtomicU64,
    /// Whether permits were added.
    pub(crate) is_refilled: AtomicBool,
    pub(crate) is_closed: AtomicBool,
    /// How many of those who wait are blocked threads.
    pub(super) blocked: AtomicU32,
    /// Of a value that is looked at under a lock: the holding of one who does, and how many others do.
    pub(super) borrowed: Link<HoldingSlot>,
    pub(super) more_borrowed: AtomicU32,
    /// Who took units of it last.
    pub(super) taken: LastEventCell,
    told: LastNotifyCell,
    /// How many keep it: see [`Shared`](super::Shared).
    pub(super) owners: AtomicU32,
    /// How many have been put into its queue, above [`WAITING`] bits for how many are in it.
    queue: AtomicU64,
    /// How long the first took that waited; zero if none has.
    first_wait: AtomicU64,
    /// Made with the second that waits, or the first hold that is timed.
    usage: Link<UsageCounters>,
    is_used: AtomicBool,
    rare: Mutex<RareFields>,
    /// Whether that is not as new.
    is_rare: AtomicBool,
}

/// What does not change.
#[derive(Debug, Clone)]
pub(crate) struct RecordIdentity {
    pub(crate) what: &'static ResourceType,
    pub(crate) name: Option<Arc<str>>,
    pub(crate) made_at: &'static Location<'static>,
    pub(crate) made_by: Creator,
    /// When it was made, as a tick: who came after it is known; zero if it is not.
    pub(crate) born: u64,
    pub(crate) made: u64,
}

/// What few resources have.
#[derive(Debug, Default)]
struct RareFields {
    forgot: Option<LastEvent>,
    /// The holdings of ends that have gone where nobody sees them.
    lost: Vec<Holding>,
}

const WAITING: u32 = 24;
const QUEUED: u64 = 1 << WAITING;

// Counters, and locks that no panic leaves half changed.
impl RefUnwindSafe for Record {}

pooled!(Record, max = 1 << 20, chunk = 64);

impl Record {
    fn free() -> Self {
        let zero = || AtomicU64::new(0);
        Self {
            id: zero(),
            what: Link::new(None),
            made_at: Link::new(None),
            made_by: zero(),
            born: zero(),
            made: zero(),
            name: Mutex::new(None),
            is_named: AtomicBool::new(false),
            capacity: zero(),
            entered: zero(),
            left: zero(),
            forgotten: zero(),
            is_refilled: AtomicBool::new(false),
            is_closed: AtomicBool::new(false),
            blocked: AtomicU32::new(0),
            borrowed: Link::new(None),
            more_borrowed: AtomicU32::new(0),
            taken: LastEventCell::new(),
            told: LastNotifyCell::new(),
            owners: AtomicU32::new(0),
            queue: zero(),
            first_wait: zero(),
            usage: Link::new(None),
            is_used: AtomicBool::new(false),
            rare: Mutex::new(RareFields::default()),
            is_rare: AtomicBool::new(false),
        }
    }
}

impl Record {
    /// A resource that is known from now on, and kept by so many. `None` if there are too many.
    #[inline]
    pub(super) fn occupy(
        what: &'static ResourceType,
        capacity: u64,
        made_at: &'static Location<'static>,
        name: Option<Arc<str>>,
        born: Option<Creation>,
        owners: u32,
    ) -> Option<&'static Self> {
        let record = pool::take::<Self>()?;
        // Pairs with the Acquire fence in `identity`: who has read what is stored here sees that the number is gone.
        fence(Release);
        record.what.set(what);
        record.made_at.set(made_at);
        let Creation { made, by } = born.unwrap_or(Creation { made: 0, by: 0 });
        record.made_by.store(by, Relaxed);
        record.born.store(made, Relaxed);
        record.made.store(now(), Relaxed);
        for counter in [&record.entered, &record.left, &record.forgotten, &record.queue, &record.first_wait] {
            counter.store(0, Relaxed);
        }
        record.capacity.store(capacity, Relaxed);
        record.is_refilled.store(false, Relaxed);
        record.is_closed.store(false, Relaxed);
        record.blocked.store(0, Relaxed);
        record.more_borrowed.store(0, Relaxed);
        record.taken.clear();
        record.told.clear();
        record.owners.store(owners, Relaxed);
        if name.is_some() {
            *record.name.lock() = name;
            record.is_named.store(true, Relaxed);
        }
        // Release pairs with the Acquire of `identity`: who sees the number sees the rest.
        record.id.store(context::new_resource(), Release);
        Some(record)
    }

    /// The resource is gone.
    #[inline]
    pub(super) fn vacate(&'static self) {
        self.id.store(0, Relaxed);
        if self.is_used.load(Relaxed) || self.is_rare.load(Relaxed) || self.is_named.load(Relaxed) {
            self.clear();
        }
        pool::put(self);
    }

    #[cold]
    fn clear(&self) {
        let name = self.name.lock().take();
        self.is_named.store(false, Relaxed);
        if let Some(usage) = self.usage.get() {
            usage.clear();
        }
        self.is_used.store(false, Relaxed);
        let rare = std::mem::take(&mut *self.rare.lock());
        self.is_rare.store(false, Relaxed);
        // Holdings end outside of the lock.
        drop((name, rare));
    }

    /// What few resources have, to put something into it.
    fn rare(&self) -> MutexGuard<'_, RareFields> {
        let rare = self.rare.lock();
        self.is_rare.store(true, Relaxed);
        rare
    }

    #[cold]
    fn usage(&self) -> &'static UsageCounters {
        self.is_used.store(true, Relaxed);
        self.usage.get().unwrap_or_else(|| {
            // Two who come at the same time count in the same place.
            static MAKING: Mutex<()> = Mutex::new(());
            let _making = MAKING.lock();
            self.usage.get().unwrap_or_else(|| {
                let usage: &'static UsageCounters = Box::leak(Box::new(UsageCounters::new()));
                self.usage.set(usage);
                usage
            })
        })
    }

    #[inline]
    pub(crate) fn id(&self) -> u64 {
        self.id.load(Relaxed)
    }

    /// Who made it, and when.
    pub(crate) fn born(&self) -> (Creator, u64) {
        (Creator::new(self.made_by.load(Relaxed)), self.made.load(Relaxed))
    }

    /// Its number, and what does not change; `None` if it is nobody's.
    pub(crate) fn identity(&self) -> Option<(u64, RecordIdentity)> {
        // Acquire pairs with the Release store in `occupy`: the number brings the fields with it.
        let id = self.id.load(Acquire);
        let what = self.what.get()?;
        let made_at = self.made_at.get()?;
        let name = self.name.lock().clone();
        let (made_by, made) = self.born();
        let born = self.born.load(Relaxed);
        // Pairs with the Release fence in `occupy`: a field of a later resource makes the number below another one.
        fence(Acquire);
        let is_same = id != 0 && self.id() == id;
        is_same.then_some((id, RecordIdentity { what, name, made_at, made_by, born, made }))
    }

    /// What it is; `None` if it was never anybody's.
    pub(super) fn what(&self) -> Option<&'static ResourceType> {
        self.what.get()
    }

    /// How many have been put into the queue so far.
    #[inline]
    pub(super) fn queued(&self) -> u64 {
        // Acquire pairs with the Release of `enqueue`: what is counted has been in the primitive's own queue before.
        self.queue.load(Acquire) >> WAITING
    }

    /// Somebody waits. Returns how many have before.
    pub(super) fn enqueue(&self) -> u64 {
        // Release pairs with the Acquire of `queued`: the wait is in the primitive's own queue already.
        self.queue.fetch_add(QUEUED + 1, Release) >> WAITING
    }

    /// The wait of that place is over, after so long, if it was not given up.
    pub(super) fn dequeue(&self, place: u64, waited: Option<u64>) {
        self.queue.fetch_sub(1, Relaxed);
        match waited {
            Some(ticks) if place == 0 => self.first_wait.store(ticks.max(1), Relaxed),
            Some(ticks) => self.usage().add_wait(ticks),
            None => {}
        }
    }

    /// That holding is anywhere from now on.
    pub(super) fn lose(&self, holding: Holding) {
        self.rare().lost.push(holding);
    }

    /// Whether anybody may be in that role.
    pub(super) fn has_lost(&self, role: Role) -> bool {
        self.rare.lock().lost.iter().any(|holding| holding.role() == Some(role))
    }

    /// Whether somebody waits.
    #[inline]
    pub(crate) fn has_waiting(&self) -> bool {
        self.queue.load(Relaxed) & (QUEUED - 1) != 0
    }

    /// Whether some of them are blocked threads.
    #[inline]
    pub(crate) fn has_blocked(&self) -> bool {
        self.blocked.load(Relaxed) != 0
    }

    /// Whether the one whose holding is noted still looks at the value.
    #[inline]
    pub(super) fn is_borrowed_by_one(&self) -> bool {
        self.borrowed.get().is_some_and(|place| place.is_of(self.id()))
    }

    /// It was held for so long.
    pub(super) fn count_hold(&self, ticks: u64) {
        self.usage().add_hold(ticks);
    }

    /// The waiting are told: one, or all.
    #[inline]
    pub(crate) fn tell(&self, at: &'static Location<'static>, all: bool) {
        let waiting = u32::try_from(self.queue.load(Relaxed) & (QUEUED - 1)).unwrap_or(u32::MAX);
        self.told.set(at, waiting, all);
    }

    /// Who took units of it last. `None` if nobody did.
    pub(crate) fn taken(&self) -> Option<LastEvent> {
        self.taken.get()
    }

    /// So many permits are taken out for ever.
    #[cold]
    pub(crate) fn forget(&self, permits: u64, at: &'static Location<'static>) {
        let mut rare = self.rare();
        self.forgotten.fetch_add(permits, Relaxed);
        rare.forgot = Some(LastEvent { at, task: context::task(), tick: clock::now() });
    }

    /// When that was done last.
    pub(crate) fn forgot(&self) -> Option<LastEvent> {
        if self.is_rare.load(Relaxed) { self.rare.lock().forgot } else { None }
    }

    /// Of a channel, how many messages were taken out.
    pub(crate) fn taken_out(&self) -> u64 {
        self.left.load(Relaxed)
    }

    /// When, where and by whom the waiting were told last.
    pub(crate) fn told(&self) -> Option<LastNotify> {
        self.told.get()
    }

    /// How it was used.
    pub(crate) fn usage_so_far(&self) -> Usage {
        let contended = self.queue.load(Relaxed) >> WAITING;
        let counters = if self.is_used.load(Relaxed) { self.usage.get() } else { None };
        let (mut waits, holds) = counters.map(UsageCounters::read).unwrap_or_default();
        match self.first_wait.load(Relaxed) {
            0 => {}
            ticks => waits.add(ticks),
        }
        Usage { contended, waits, holds }
    }
}

/// The last reading of the clock in the running poll; outside of polls, one that is made for this.
fn now() -> u64 {
    match context::stamp() {
        0 => clock::now(),
        stamp => stamp,
    }
}

/// All resources that there are or were.
pub(crate) fn all_records() -> Vec<&'static Record> {
    pool::all().collect()
}
