//! The order of lock acquisitions: which lock was acquired while another was held. Off unless it is
//! enabled. Cycles are found in the reports, not here.
//!
//! ```text
//! acquired ─┬ its owner    the task, or the thread outside of all tasks
//!           ├ HeldLock     a lock that the owner acquired before and still holds
//!           └ LockPair     one lock held, another acquired: first places and owner, and a count
//! ```
//! Guards do not report their drop here. Each acquisition checks which earlier holdings its owner
//! still has. A guard that another task has used in the meantime counts for neither task. While
//! off, this costs one relaxed load per acquisition.

use std::collections::BTreeMap;
use std::panic::Location;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use diagnose_reports::ordered::{OrderedMap, OrderedSet};

use super::holding_slot::{HoldingCopy, HoldingSlot, Role};
use super::record::{Record, RecordIdentity, all_records};
use crate::live;
use crate::sync::Mutex;

static IS_ON: AtomicBool = AtomicBool::new(false);

/// Maximum number of recorded pairs; further ones are only counted.
const MAX_PAIRS: usize = 16_384;
/// Maximum number of held locks that are tracked per owner.
const MAX_HELD: usize = 64;
/// Initial number of owners per shard at which owners that hold nothing are removed.
const MANY_OWNERS: usize = 256;

#[derive(Debug, Clone, Copy)]
struct HeldLock {
    slot: &'static HoldingSlot,
    resource: u64,
    record: &'static Record,
}

/// The first acquisition of one lock while another was held, and a count.
#[derive(Debug, Clone)]
pub(crate) struct LockPair {
    pub(crate) held_at: Option<&'static Location<'static>>,
    pub(crate) acquired_at: Option<&'static Location<'static>>,
    /// Number of the task; 0 outside of all tasks.
    pub(crate) task: u64,
    pub(crate) task_name: &'static str,
    /// Number of the thread's tree.
    pub(crate) thread: Option<u32>,
    pub(crate) count: u64,
}

#[derive(Debug, Clone)]
pub(crate) struct LockOrderRecord {
    /// By the numbers of the held lock and of the acquired lock.
    pub(crate) pairs: OrderedMap<(u64, u64), LockPair>,
    /// Identities of the locks in `pairs`. Some of these locks may be gone.
    pub(crate) resources: OrderedMap<u64, RecordIdentity>,
    /// How often a pair occurred but was not recorded.
    pub(crate) over: u64,
    /// Number of attempts to record a pair while `pairs` was full.
    refused: u64,
}

/// Held locks by owner.
#[derive(Debug)]
struct Owners {
    held: BTreeMap<u64, Vec<HeldLock>>,
    /// Number of owners at which those that hold nothing are removed: twice as many as remained
    /// last time. So the average cost per new owner is constant.
    many: usize,
}

static ORDER: Mutex<LockOrderRecord> = Mutex::new(LockOrderRecord {
    pairs: OrderedMap::new(),
    resources: OrderedMap::new(),
    over: 0,
    refused: 0,
});

/// Sharded, so that threads do not wait for each other.
static OWNERS: [Mutex<Owners>; 64] =
    [const { Mutex::new(Owners { held: BTreeMap::new(), many: MANY_OWNERS }) }; 64];

/// Switches recording on or off. Recorded pairs stay.
pub(crate) fn set_on(on: bool) {
    IS_ON.store(on, Relaxed);
}

/// Returns all recorded pairs, or `None` while recording them is off.
pub(crate) fn recorded() -> Option<LockOrderRecord> {
    IS_ON.load(Relaxed).then(|| ORDER.lock().clone())
}

#[inline]
pub(super) fn note(role: Role, record: &'static Record, slot: &'static HoldingSlot) {
    if IS_ON.load(Relaxed) && role == Role::Holds {
        acquired(record, slot);
    }
}

#[cold]
fn acquired(record: &'static Record, slot: &'static HoldingSlot) {
    let Some(holding) = slot.read().filter(|_| record.has_units()) else { return };
    let Some(owner) = owner(&holding) else { return };
    let mut owners = OWNERS[usize::try_from(owner % 64).unwrap_or(0)].lock();
    let own = owners.of(owner);
    own.retain(|held| !std::ptr::eq(held.slot, slot) && held.read(owner).is_some());
    let before: Vec<HeldLock> =
        own.iter().filter(|held| held.resource != holding.resource).copied().collect();
    if own.len() < MAX_HELD {
        own.push(HeldLock { slot, resource: holding.resource, record });
    }
    drop(owners);
    for held in before {
        if let Some(first) = held.read(owner) {
            note_pair((held.record, &first), (record, &holding));
        }
    }
}

impl Owners {
    /// The locks of an owner.
    fn of(&mut self, owner: u64) -> &mut Vec<HeldLock> {
        if self.held.len() >= self.many && !self.held.contains_key(&owner) {
            self.held.retain(|owner, held| held.iter().any(|held| held.read(*owner).is_some()));
            self.many = MANY_OWNERS.max(2 * self.held.len());
        }
        self.held.entry(owner).or_default()
    }
}

impl HeldLock {
    /// Returns the holding if the owner `by` still has it.
    fn read(&self, by: u64) -> Option<HoldingCopy> {
        let is_it = |holding: &HoldingCopy| holding.resource == self.resource && holding.role == Role::Holds;
        self.slot.read().filter(|holding| is_it(holding) && owner(holding) == Some(by))
    }
}

/// Returns the number of the task; outside of tasks, the flagged number of the thread's tree.
fn owner(holding: &HoldingCopy) -> Option<u64> {
    const THREAD: u64 = 1 << 63;
    match holding.task {
        0 => holding.thread.map(|thread| THREAD | u64::from(thread)),
        task => Some(task),
    }
}

fn note_pair(held: (&'static Record, &HoldingCopy), acquired: (&'static Record, &HoldingCopy)) {
    let key = (held.1.resource, acquired.1.resource);
    if let Some(pair) = ORDER.lock().pairs.get_mut(&key) {
        pair.count += 1;
        return;
    }
    // Read outside of the lock on `ORDER`, because names have locks of their own.
    let identity = |(record, holding): (&'static Record, &HoldingCopy)| {
        record.identity().filter(|(id, _)| *id == holding.resource).map(|(_, identity)| identity)
    };
    let (Some(first), Some(second)) = (identity(held), identity(acquired)) else { return };
    let task = live::current_poll().registered.and_then(live::Task::origin);
    let pair = LockPair {
        held_at: held.1.at,
        acquired_at: acquired.1.at,
        task: acquired.1.task,
        task_name: task.map_or("", |(_, origin)| origin.site.name),
        thread: acquired.1.thread,
        count: 1,
    };
    let refused = {
        let mut order = ORDER.lock();
        if order.pairs.len() < MAX_PAIRS {
            order.insert(key, pair, first, second);
            return;
        }
        order.over += 1;
        order.refused += 1;
        order.refused
    };
    // Locks may have been dropped since, so from time to time there is space again.
    if refused % 4096 == 1 {
        let alive: OrderedSet<u64> = all_records().into_iter().map(Record::id).collect();
        let mut order = ORDER.lock();
        order.forget(&alive);
        if order.pairs.len() < MAX_PAIRS {
            order.over -= 1;
            order.insert(key, pair, first, second);
        }
    }
}

impl LockOrderRecord {
    fn insert(
        &mut self,
        (held, acquired): (u64, u64),
        pair: LockPair,
        first: RecordIdentity,
        second: RecordIdentity,
    ) {
        // Another thread may have inserted this pair meanwhile.
        self.pairs.entry((held, acquired)).or_insert(pair);
        self.resources.insert(held, first);
        self.resources.insert(acquired, second);
    }

    /// Removes pairs in which a lock is gone, unless they were acquired in both orders.
    fn forget(&mut self, alive: &OrderedSet<u64>) {
        let pairs = std::mem::take(&mut self.pairs);
        let both: OrderedSet<(u64, u64)> =
            pairs.keys().filter(|(a, b)| pairs.contains_key(&(*b, *a))).copied().collect();
        let are_alive = |(a, b): &(u64, u64)| alive.contains(a) && alive.contains(b);
        self.pairs = pairs.into_iter().filter(|(key, _)| both.contains(key) || are_alive(key)).collect();
        let named: OrderedSet<u64> = self.pairs.keys().flat_map(|(a, b)| [*a, *b]).collect();
        let resources = std::mem::take(&mut self.resources);
        self.resources = resources.into_iter().filter(|(id, _)| named.contains(id)).collect();
    }
}

#[cfg(all(test, not(diagnose_loom)))]
mod tests {
    use std::panic::Location;

    use diagnose_reports::ordered::{OrderedMap, OrderedSet};

    use super::{BTreeMap, LockOrderRecord, LockPair, MANY_OWNERS, Owners, RecordIdentity};
    use crate::waits::{Creator, ResourceKind, ResourceType};

    static TYPE: ResourceType = ResourceType::fair(ResourceKind::Mutex, "");

    fn identity() -> RecordIdentity {
        let made_at = Location::caller();
        RecordIdentity {
            resource_type: &TYPE,
            name: None,
            made_at,
            made_by: Creator::Unknown,
            created: 0,
            started: 0,
        }
    }

    #[test]
    fn pairs_of_dropped_locks_make_room_unless_taken_in_both_orders() {
        let pair =
            LockPair { held_at: None, acquired_at: None, task: 1, task_name: "", thread: None, count: 1 };
        let mut order =
            LockOrderRecord { pairs: OrderedMap::new(), resources: OrderedMap::new(), over: 0, refused: 0 };
        for key in [(1, 2), (2, 1), (1, 3), (3, 4), (4, 5)] {
            order.insert(key, pair.clone(), identity(), identity());
        }
        order.forget(&OrderedSet::from_iter([4, 5]));
        assert_eq!(order.pairs.keys().copied().collect::<Vec<_>>(), [(1, 2), (2, 1), (4, 5)]);
        assert_eq!(order.resources.keys().copied().collect::<Vec<_>>(), [1, 2, 4, 5]);
    }

    #[test]
    fn owners_that_hold_nothing_are_removed() {
        let mut owners = Owners { held: BTreeMap::new(), many: MANY_OWNERS };
        for owner in 0..10 * MANY_OWNERS as u64 {
            owners.of(owner);
            assert!(owners.held.len() <= MANY_OWNERS);
        }
    }
}
