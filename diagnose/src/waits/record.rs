//! What is known of one resource.

use std::collections::BTreeMap;
use std::panic::{Location, RefUnwindSafe};
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, fence};
use std::sync::{Arc, Weak};

use super::born::{Born, Maker};
use super::last::{Done, Last, LastTold, Told};
use super::pool::{Pool, Pooled};
use super::stake::{Place, Stake};
use super::usage::Usage;
use super::wait::Wait;
use crate::clock;
use crate::recorder;
use crate::sync::{Mutex, MutexGuard};
use crate::tree::Link;

/// What a resource is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(dead_code)] // Each is made by a feature.
pub(crate) enum Kind {
    Mutex,
    RwLock,
    Semaphore,
    OnceCell,
    Barrier,
    Notify,
    Condvar,
    Mpsc,
    Oneshot,
    Broadcast,
    Watch,
    Pipe,
    Custom,
}

/// A kind of resource in a library: one static for each wrapped type.
#[derive(Debug)]
pub(crate) struct What {
    pub(crate) kind: Kind,
    /// The name of the library's crate; empty for the program's own.
    pub(crate) library: &'static str,
    /// Whether what is released is handed to the first in the queue, so that its wake is the grant.
    pub(crate) is_fair: bool,
    /// Whether a future that has just returned `Pending` was made to, because its task has used up its budget.
    pub(crate) is_forced: fn() -> bool,
}

/// No bound.
pub(crate) const UNBOUNDED: u64 = u64::MAX;

/// One resource. Its counts are written by whoever uses it; name and queue are under a lock. What does not change was
/// read of one resource if the number is the same before and after: one that is made for a single message costs no lock.
#[derive(Debug)]
pub(crate) struct Record {
    /// Numbered from 1; zero while this is nobody's.
    id: AtomicU64,
    what: Link<What>,
    made_at: Link<Location<'static>>,
    made_by: AtomicU64,
    first_task: AtomicU64,
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
    /// How many wait.
    waiting: AtomicU32,
    /// How many of them are blocked threads.
    pub(super) blocked: AtomicU32,
    /// Of a value that is looked at under a lock: the stake of one who does, and how many others do.
    pub(super) borrowed: Link<Place>,
    pub(super) more_borrowed: AtomicU32,
    /// Who took units of it last.
    pub(super) taken: Last,
    told: LastTold,
    /// How many keep it: see [`Shared`](super::Shared).
    pub(super) owners: AtomicU32,
    queue: Mutex<Queue>,
    /// Whether the queue is not as new.
    is_queued: AtomicBool,
}

/// What does not change.
#[derive(Debug, Clone)]
pub(crate) struct Identity {
    pub(crate) what: &'static What,
    pub(crate) name: Option<Arc<str>>,
    pub(crate) made_at: &'static Location<'static>,
    pub(crate) made_by: Maker,
    /// Which tasks came after it; zero if that is not known.
    pub(crate) first_task: u64,
    pub(crate) made: u64,
}

#[derive(Debug, Default)]
struct Queue {
    next: u64,
    waits: BTreeMap<u64, Arc<Wait>>,
    forgot: Option<Forgot>,
    /// `None` if nobody has waited, and no hold was timed.
    usage: Option<Box<Usage>>,
    /// The stakes of ends that have gone where nobody sees them.
    lost: Vec<Stake>,
    /// The wait that was given up last with its waker in the primitive, for as long as that keeps it.
    given_up: Weak<Wait>,
}

// Counters, and locks that no panic leaves half changed.
impl RefUnwindSafe for Record {}

/// When, where and by whom permits were taken out for ever last.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Forgot {
    pub(crate) at: &'static Location<'static>,
    pub(crate) task: u64,
    pub(crate) tick: u64,
}

static RECORDS: Pool<Record> = Pool::new();
static NEXT: AtomicU64 = AtomicU64::new(1);

impl Pooled for Record {
    fn free() -> Self {
        let zero = || AtomicU64::new(0);
        Self {
            id: zero(),
            what: Link::new(None),
            made_at: Link::new(None),
            made_by: zero(),
            first_task: zero(),
            made: zero(),
            name: Mutex::new(None),
            is_named: AtomicBool::new(false),
            capacity: zero(),
            entered: zero(),
            left: zero(),
            forgotten: zero(),
            is_refilled: AtomicBool::new(false),
            is_closed: AtomicBool::new(false),
            waiting: AtomicU32::new(0),
            blocked: AtomicU32::new(0),
            borrowed: Link::new(None),
            more_borrowed: AtomicU32::new(0),
            taken: Last::new(),
            told: LastTold::new(),
            owners: AtomicU32::new(0),
            queue: Mutex::new(Queue::default()),
            is_queued: AtomicBool::new(false),
        }
    }
}

impl Record {
    /// A resource that is known from now on, and kept by so many. `None` if there are too many.
    #[inline]
    pub(super) fn occupy(
        what: &'static What,
        capacity: u64,
        made_at: &'static Location<'static>,
        name: Option<Arc<str>>,
        born: Option<Born>,
        owners: u32,
    ) -> Option<&'static Self> {
        let record = recorder::with_records(|cache| RECORDS.take(cache))?;
        // Release pairs with the Acquire of `identity`: who has read what is stored here sees that the number is gone.
        fence(Release);
        record.what.set(what);
        record.made_at.set(made_at);
        let Born { first_task, by } = born.unwrap_or(Born { first_task: 0, by: 0 });
        record.made_by.store(by, Relaxed);
        record.first_task.store(first_task, Relaxed);
        record.made.store(recorder::stamp(), Relaxed);
        for counter in [&record.entered, &record.left, &record.forgotten] {
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
        record.id.store(NEXT.fetch_add(1, Relaxed), Release);
        Some(record)
    }

    /// The resource is gone.
    #[inline]
    pub(super) fn vacate(&'static self) {
        self.id.store(0, Relaxed);
        if self.is_queued.load(Relaxed) || self.is_named.load(Relaxed) {
            self.clear();
        }
        recorder::with_records(|cache| RECORDS.put(cache, self));
    }

    #[cold]
    fn clear(&self) {
        let name = self.name.lock().take();
        self.is_named.store(false, Relaxed);
        let queue = std::mem::take(&mut *self.queue.lock());
        self.is_queued.store(false, Relaxed);
        self.waiting.store(0, Relaxed);
        // Waits keep wakers: they are dropped outside of the lock.
        drop((name, queue));
    }

    /// The queue, to put something into it.
    fn queue_up(&self) -> MutexGuard<'_, Queue> {
        let queue = self.queue.lock();
        self.is_queued.store(true, Relaxed);
        queue
    }

    #[inline]
    pub(crate) fn id(&self) -> u64 {
        self.id.load(Relaxed)
    }

    /// Who made it, and when.
    pub(crate) fn born(&self) -> (Maker, u64) {
        (Maker::new(self.made_by.load(Relaxed)), self.made.load(Relaxed))
    }

    /// Its number, and what does not change; `None` if it is nobody's.
    pub(crate) fn identity(&self) -> Option<(u64, Identity)> {
        // Acquire: see `occupy`.
        let id = self.id.load(Acquire);
        let what = self.what.get()?;
        let made_at = self.made_at.get()?;
        let name = self.name.lock().clone();
        let (made_by, made) = self.born();
        let first_task = self.first_task.load(Relaxed);
        // Acquire pairs with the Release of `occupy`.
        fence(Acquire);
        let is_same = id != 0 && self.id() == id;
        is_same.then_some((id, Identity { what, name, made_at, made_by, first_task, made }))
    }

    /// Puts a wait at the end of the queue. Returns its place there.
    pub(super) fn enqueue(&self, wait: &Arc<Wait>) -> u64 {
        let mut queue = self.queue_up();
        let place = queue.next;
        queue.next += 1;
        queue.waits.insert(place, Arc::clone(wait));
        queue.usage.get_or_insert_default().contended += 1;
        self.waiting.store(u32::try_from(queue.waits.len()).unwrap_or(u32::MAX), Relaxed);
        wait.note_recorded();
        place
    }

    /// Takes it out, at the end of a wait that took so long, if it was not given up.
    pub(super) fn dequeue(&self, place: u64, waited: Option<u64>) {
        let mut queue = self.queue.lock();
        let wait = queue.waits.remove(&place);
        if let Some(wait) = &wait {
            wait.leave_record();
        }
        self.waiting.store(u32::try_from(queue.waits.len()).unwrap_or(u32::MAX), Relaxed);
        if let Some(ticks) = waited {
            queue.usage.get_or_insert_default().waits.add(ticks);
        } else if let Some(wait) = wait.as_ref().filter(|wait| wait.is_kept()) {
            queue.given_up = Arc::downgrade(wait);
        }
        drop(queue);
        drop(wait);
    }

    /// That stake is anywhere from now on.
    pub(super) fn lose(&self, stake: Stake) {
        self.queue_up().lost.push(stake);
    }

    /// Whether somebody waits.
    #[inline]
    pub(crate) fn has_waiting(&self) -> bool {
        self.waiting.load(Relaxed) != 0
    }

    /// Whether some of them are blocked threads.
    #[inline]
    pub(crate) fn has_blocked(&self) -> bool {
        self.blocked.load(Relaxed) != 0
    }

    /// Whether the one whose stake is noted still looks at the value.
    #[inline]
    pub(super) fn is_borrowed_by_one(&self) -> bool {
        self.borrowed.get().is_some_and(|place| place.is_of(self.id()))
    }

    /// It was held for so long.
    pub(super) fn count_hold(&self, ticks: u64) {
        self.queue_up().usage.get_or_insert_default().holds.add(ticks);
    }

    /// The waiting are told: one, or all.
    #[inline]
    #[allow(dead_code)] // By what is a feature.
    pub(crate) fn tell(&self, at: &'static Location<'static>, all: bool) {
        self.told.set(at, self.waiting.load(Relaxed), all);
    }

    /// Who took units of it last. `None` if nobody did.
    pub(crate) fn taken(&self) -> Option<Done> {
        self.taken.get()
    }

    /// So many permits are taken out for ever.
    #[cold]
    #[allow(dead_code)] // By what is a feature.
    pub(crate) fn forget(&self, permits: u64, at: &'static Location<'static>) {
        let mut queue = self.queue_up();
        self.forgotten.fetch_add(permits, Relaxed);
        queue.forgot = Some(Forgot { at, task: recorder::current_task(), tick: clock::now() });
    }

    /// When that was done last.
    pub(crate) fn forgot(&self) -> Option<Forgot> {
        self.queue.lock().forgot
    }

    /// Of a channel, how many messages were taken out.
    pub(crate) fn taken_out(&self) -> u64 {
        self.left.load(Relaxed)
    }

    /// The last wait that was given up, if the primitive still keeps its waker.
    pub(crate) fn given_up(&self) -> Option<Arc<Wait>> {
        self.queue.lock().given_up.upgrade()
    }

    /// The queue in its order, the last time that the waiting were told, and how it was used.
    pub(crate) fn queue(&self) -> (Vec<Arc<Wait>>, Option<Told>, Usage) {
        let queue = self.queue.lock();
        (
            queue.waits.values().cloned().collect(),
            self.told.get(),
            queue.usage.as_deref().cloned().unwrap_or_default(),
        )
    }
}

impl Record {
    /// What it is; `None` if it was never anybody's.
    pub(super) fn kind(&self) -> Option<Kind> {
        self.what.get().map(|what| what.kind)
    }

    /// Since when the first of the queue waits, as a tick. `None` if nobody does.
    pub(crate) fn first_began(&self) -> Option<u64> {
        if !self.has_waiting() {
            return None;
        }
        self.queue.lock().waits.first_key_value().map(|(_, wait)| wait.began)
    }
}

/// Gives back what a thread has at hand.
pub(crate) fn give_back(cache: &super::Cache<Record>) {
    RECORDS.give_back(cache);
}

/// All resources that there are or were.
pub(crate) fn all_records() -> Vec<&'static Record> {
    RECORDS.all()
}
