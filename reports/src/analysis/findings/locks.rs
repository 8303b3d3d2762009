//! Locks, pools and cells with their waits and holds: those of one place are one, unless lines of
//! their own acquire them.
//!
//! Nothing is decided here: `contended` and `slow_await` do.

use super::facts::{Facts, per_mille};
use super::lock_lines::groups;
use super::workers::CpuShare;
use crate::analysis::uses::{ResourceUse, resource_uses};
use crate::index::Index;
use crate::model::{Place, Resource, ResourceId, ResourceKind, UsagePlace};
use crate::ordered::OrderedMap;

/// From which share of the waits on, in thousandths, one of several locks is the one in question.
const HOT_SHARE: u64 = 900;
/// How many times as long as all others together a hold is that explains all waits.
const MIN_ONE_HOLD: u64 = 10;
/// How many times as long as a hold the longest of 100 waits must be, and how long at least, if the
/// mean is shorter: bursts of requests wait for permits.
const MIN_BURST_HOLDS: u64 = 10;
const MIN_BURST_NS: u64 = 100_000_000;
const MIN_BURST_WAITS: u64 = 100;
/// How many times as long as the longest wait permits must have been in use. A batch that came at
/// once is done when its last task has waited.
const MIN_BATCHES: u64 = 4;

/// Locks that are created at one place, as one.
#[derive(Debug)]
pub(super) struct Lock<'a> {
    pub(super) kind: ResourceKind,
    pub(super) name: Option<&'a str>,
    pub(super) created: Option<&'a Place>,
    /// Units and holds of the locks that exist.
    existing: Holds,
    /// Units and holds of the locks that are gone.
    past: Holds,
    /// How many there are, those included that are gone.
    pub(super) count: u64,
    /// Whether other locks of this place are acquired by other lines.
    pub(super) is_apart: bool,
    /// Those that still exist.
    pub(super) ids: Vec<ResourceId>,
    /// ns that calls waited for the most awaited of these locks.
    most_waited_ns: u64,
    /// The measured waits: all but the first of each lock.
    pub(super) waits: u64,
    /// All waits that have ended.
    pub(super) ended: u64,
    /// Ended waits that did not acquire the lock, as after a timeout.
    pub(super) given_up: u64,
    /// How long the youngest and the oldest wait last so far, in ns.
    youngest_ns: u64,
    oldest_ns: u64,
    pub(super) waited_ns: u64,
    pub(super) p99_ns: u64,
    longest_ns: u64,
    pub(super) held_ns: u64,
    pub(super) waiters: Vec<UsagePlace>,
    pub(super) holders: Vec<UsagePlace>,
}

/// The locks that calls wait for or have waited for, except those that verdicts mention.
pub(super) fn locks<'f, 'a>(facts: &'f Facts<'a>) -> &'f [Lock<'a>] {
    facts.locks(find)
}

fn find<'a>(facts: &Facts<'a>) -> Vec<Lock<'a>> {
    let mut of_place: OrderedMap<_, Vec<ResourceUse<'_>>> = OrderedMap::new();
    for it in resource_uses(facts.snapshot) {
        // A lock without a place of creation is identified by the place that acquires it.
        let acquired = || it.usage.waiters.first().map(|row| &row.place);
        let key = (it.kind, it.created.or_else(acquired), it.name, it.library);
        of_place.entry(key).or_default().push(it);
    }
    let mut locks: Vec<Lock<'_>> = of_place.into_values().flat_map(|all| of_one_place(facts, &all)).collect();
    let numbered = locks.iter().enumerate();
    let lock_of: Vec<_> =
        numbered.flat_map(|(number, lock)| lock.ids.iter().map(move |&id| (id, number))).collect();
    let positions = Index::new(lock_of.iter().map(|&(id, _)| id));
    for wait in &facts.snapshot.waits {
        let Some(position) = wait.resource.and_then(|id| positions.get(id)) else { continue };
        let own = &mut locks[lock_of[position].1];
        own.ended = own.ended.saturating_sub(1);
        own.given_up = own.given_up.saturating_sub(1);
        own.youngest_ns = own.youngest_ns.min(wait.since_ns);
        own.oldest_ns = own.oldest_ns.max(wait.since_ns);
        if let Some(row) = own.waiters.iter_mut().find(|row| Some(&row.place) == wait.place.as_ref()) {
            // The times of calls include what they wait for now.
            row.total_ns = row.total_ns.saturating_add(wait.since_ns);
        }
    }
    locks
}

/// The locks of one place that calls wait for.
fn of_one_place<'a>(facts: &Facts<'_>, all: &[ResourceUse<'a>]) -> Vec<Lock<'a>> {
    let groups = groups(all);
    let mut known = groups.iter().flatten();
    let is_apart = known.next().is_some_and(|first| known.any(|other| other != first));
    let mut locks: OrderedMap<usize, Lock<'a>> = OrderedMap::new();
    for (it, group) in all.iter().zip(&groups) {
        let is_stuck = it.existing.is_some_and(|it| facts.stuck_resources.contains(&it.id));
        if let Some(group) = group.filter(|_| !it.usage.waiters.is_empty() && !is_stuck) {
            locks.entry(group).or_insert_with(|| Lock::new(it, is_apart)).add(it);
        }
    }
    locks.into_values().collect()
}

impl<'a> Lock<'a> {
    fn new(it: &ResourceUse<'a>, is_apart: bool) -> Self {
        Self {
            kind: it.kind,
            name: it.name,
            created: it.created,
            existing: Holds::default(),
            past: Holds::default(),
            count: 0,
            is_apart,
            ids: Vec::new(),
            most_waited_ns: 0,
            waits: 0,
            ended: 0,
            given_up: 0,
            youngest_ns: u64::MAX,
            oldest_ns: 0,
            waited_ns: 0,
            p99_ns: 0,
            longest_ns: 0,
            held_ns: 0,
            waiters: Vec::new(),
            holders: Vec::new(),
        }
    }
}

impl Lock<'_> {
    fn add(&mut self, it: &ResourceUse<'_>) {
        let waits = it.usage.waiters.iter().map(|row| row.count).fold(0, u64::saturating_add);
        self.waits = self.waits.saturating_add(waits);
        self.waited_ns = self.waited_ns.saturating_add(it.usage.waited_by_calls_ns());
        self.most_waited_ns = self.most_waited_ns.max(it.most_waited_ns);
        self.ended = self.ended.saturating_add(it.usage.contended);
        let unfinished = it.usage.contended.saturating_sub(it.usage.waited);
        self.given_up = self.given_up.saturating_add(unfinished);
        self.p99_ns = self.p99_ns.max(it.usage.wait.p99_ns);
        self.longest_ns = self.longest_ns.max(it.usage.wait.max_ns);
        self.held_ns = self.held_ns.max(it.usage.held.p50_ns);
        let holds = if it.existing.is_some() { &mut self.existing } else { &mut self.past };
        holds.add(it);
        self.count = self.count.saturating_add(it.count);
        self.ids.extend(it.existing.map(|it| it.id));
        merge(&mut self.waiters, &it.usage.waiters);
        merge(&mut self.holders, &it.usage.holders);
    }

    pub(super) fn longest_hold_ns(&self) -> u64 {
        self.holders.iter().map(|row| row.longest_ns).max().unwrap_or(0)
    }

    /// About how long it was held in all, in ns: not every hold is measured. For locks that are
    /// gone, their mean counts: many locks that were each held for a moment are not in use all the
    /// time.
    pub(super) fn in_use_ns(&self) -> u64 {
        self.existing.in_all_ns(0).saturating_add(self.past.in_all_ns(0) / self.past.count.max(1))
    }

    /// About how long it was held in all, in ns, estimated without its longest hold: the thread may
    /// have lost its CPU during that hold. Each lock that is gone may have had such a hold.
    pub(super) fn usually_in_use_ns(&self) -> u64 {
        let past = self.past.in_all_ns(self.past.count) / self.past.count.max(1);
        self.existing.in_all_ns(1).saturating_add(past)
    }

    /// Returns whether one hold, such as a migration at a start, took nearly all the time for which
    /// the lock was held. The waits are then for that one.
    pub(super) fn is_one_hold(&self) -> bool {
        self.usually_in_use_ns() <= self.longest_hold_ns() / MIN_ONE_HOLD
    }

    /// Returns whether nearly all waits for several locks of one place are for one of them: a hot
    /// shard. A lock that was never used is not on record, so the number of locks is unknown.
    pub(super) fn is_one_of_many(&self, facts: &Facts<'_>) -> bool {
        let is_unused = |it: &Resource| {
            it.kind == self.kind && it.created.as_ref() == self.created && !self.ids.contains(&it.id)
        };
        self.created.is_some()
            && per_mille(self.most_waited_ns, self.waited_ns) >= HOT_SHARE
            && (self.count > 1 || !self.is_apart && facts.snapshot.resources.iter().any(is_unused))
    }

    /// Returns whether calls have come to wait since the oldest one did. The calls of a batch all
    /// arrive at once, and a batch without waits is done.
    pub(super) fn arrives(&self) -> bool {
        self.youngest_ns < self.oldest_ns / 2
    }

    /// Returns whether calls have come to wait several times so far: its permits have been in use
    /// for far longer than the longest wait.
    pub(super) fn recurs(&self) -> bool {
        let in_use_ns = self.existing.per_unit_ns().max(self.past.per_unit_ns());
        in_use_ns >= self.longest_ns.max(self.oldest_ns).saturating_mul(MIN_BATCHES)
    }

    /// Returns whether some waits take many holds, although most calls wait little or not at all.
    pub(super) fn has_bursts(&self, cpu: &CpuShare) -> bool {
        self.waits >= MIN_BURST_WAITS
            && self.p99_ns >= self.held_ns.saturating_mul(MIN_BURST_HOLDS)
            && self.p99_ns >= cpu.stretched(MIN_BURST_NS)
    }

    pub(super) fn has_permits(&self) -> bool {
        matches!(self.kind, ResourceKind::Semaphore | ResourceKind::Custom)
    }
}

/// Holds of several locks.
#[derive(Debug, Default)]
struct Holds {
    count: u64,
    units: u64,
    acquisitions: u64,
    /// Number of measured holds, their total time, and the longest.
    measured: u64,
    total_ns: u64,
    longest_ns: u64,
}

impl Holds {
    fn add(&mut self, it: &ResourceUse<'_>) {
        self.count = self.count.saturating_add(it.count);
        self.units = self.units.saturating_add(it.capacity.unwrap_or(it.count));
        self.acquisitions = self.acquisitions.saturating_add(it.usage.acquisitions);
        for row in &it.usage.holders {
            self.measured = self.measured.saturating_add(row.count);
            self.total_ns = self.total_ns.saturating_add(row.total_ns);
            self.longest_ns = self.longest_ns.max(row.longest_ns);
        }
    }

    /// The number of acquisitions times the mean of the measured holds. `excluded` of these, as
    /// long as the longest, are left out of the mean.
    fn in_all_ns(&self, excluded: u64) -> u64 {
        let total = self.total_ns.saturating_sub(self.longest_ns.saturating_mul(excluded));
        let measured = self.measured.saturating_sub(excluded);
        let ns = u128::from(total) * u128::from(self.acquisitions);
        u64::try_from(ns.checked_div(measured.into()).unwrap_or(0)).unwrap_or(u64::MAX)
    }

    /// About how long each unit was held in all.
    fn per_unit_ns(&self) -> u64 {
        self.in_all_ns(0).checked_div(self.units).unwrap_or(0)
    }
}

/// Adds rows of one call to each other.
fn merge(rows: &mut Vec<UsagePlace>, more: &[UsagePlace]) {
    for row in more {
        match rows.iter_mut().find(|own| own.place == row.place) {
            Some(own) => {
                own.count = own.count.saturating_add(row.count);
                own.total_ns = own.total_ns.saturating_add(row.total_ns);
                if row.longest_ns > own.longest_ns || own.node.is_none() {
                    (own.longest_ns, own.node) = (own.longest_ns.max(row.longest_ns), row.node.or(own.node));
                }
            }
            None => rows.push(row.clone()),
        }
    }
}
