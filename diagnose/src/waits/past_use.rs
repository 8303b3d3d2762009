//! The use of resources in the past: of locks that are gone, and up to the last reset.
//!
//! A program that exits by itself has usually dropped its locks before its last snapshot. That
//! snapshot must still show what the calls waited for, by place of creation of the lock.
//!
//! Snapshots subtract the use up to the last reset, during which threads keep counting. A resource
//! that did not exist at the reset has nothing to subtract.

use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use diagnose_reports::ordered::OrderedMap;

use super::record::{Record, all_records};
use super::resource_type::ResourceKind;
use super::usage::Usage;
use crate::switch;
use crate::sync::Mutex;

/// Maximum number of names distinguished at one place. Locks with further names count as unnamed.
/// The program's source bounds the number of places.
const MAX_NAMES: usize = 16;

/// Place of creation, kind, library and name.
pub(crate) type PastKey = (&'static Location<'static>, ResourceKind, &'static str, Option<Arc<str>>);

/// The use of all locks with the same key.
#[derive(Debug, Clone, Default)]
pub(crate) struct PastUse {
    /// Number of locks.
    pub(crate) count: u64,
    /// Sum of their units.
    pub(crate) capacity: u64,
    pub(crate) acquisitions: u64,
    /// Ticks of the waits by call, for the lock with the most of them.
    pub(crate) most_waited: u64,
    pub(crate) usage: Usage,
}

static PAST: Mutex<OrderedMap<PastKey, PastUse>> = Mutex::new(OrderedMap::new());

/// The use up to the last reset, by id of the resource.
static BASELINE: Mutex<OrderedMap<u64, UsedBefore>> = Mutex::new(OrderedMap::new());

struct UsedBefore {
    acquisitions: u64,
    /// `None` if nothing waited and no hold was timed, so that a million channels keep no
    /// histograms.
    usage: Option<Box<Usage>>,
}

/// Returns a copy of all past uses, sorted by key.
pub(crate) fn past_uses() -> Vec<(PastKey, PastUse)> {
    PAST.lock().iter().map(|(key, used)| (key.clone(), used.clone())).collect()
}

/// Returns the use of a lock that ends. Returns `None` if fewer than two calls have waited for it,
/// or while recording is off.
#[cold]
pub(super) fn last_use(record: &Record) -> Option<(PastKey, PastUse)> {
    // Recording is also off in a forked child, in which the tables may be locked forever.
    if !switch::records() || !record.has_units() || !record.was_contended() {
        return None;
    }
    let (id, identity) = record.identity()?;
    let mut usage = record.usage_so_far();
    let acquisitions = subtract_usage(id, record.entered.load(Relaxed), &mut usage);
    let of_type = identity.resource_type;
    let key = (identity.made_at, of_type.kind, of_type.library, identity.name);
    let (capacity, most_waited) = (record.capacity.load(Relaxed), usage.waited_by_calls());
    // Without waiters, all use was before the last reset.
    (!usage.waiters.is_empty())
        .then_some((key, PastUse { count: 1, capacity, acquisitions, most_waited, usage }))
}

/// Adds the use of a lock that has ended.
#[cold]
pub(super) fn add((mut key, of_one): (PastKey, PastUse)) {
    let mut past = PAST.lock();
    if key.3.is_some() && past.get(&key).is_none() {
        let is_of_place = |other: &&PastKey| (other.0, other.1, other.2) == (key.0, key.1, key.2);
        if past.keys().filter(is_of_place).count() >= MAX_NAMES {
            key.3 = None;
        }
    }
    let used = past.entry(key).or_default();
    used.count += of_one.count;
    used.capacity = used.capacity.saturating_add(of_one.capacity);
    used.acquisitions = used.acquisitions.saturating_add(of_one.acquisitions);
    used.most_waited = used.most_waited.max(of_one.most_waited);
    used.usage.add(&of_one.usage);
}

/// Makes the current use of all resources the new baseline.
pub(crate) fn restart_usage() {
    let mut baseline = OrderedMap::new();
    for record in all_records() {
        let (id, (acquisitions, usage)) = (record.id(), record.restart_usage());
        let usage = (!usage.is_empty()).then(|| Box::new(usage));
        if acquisitions > 0 || usage.is_some() {
            baseline.insert(id, UsedBefore { acquisitions, usage });
        }
    }
    *BASELINE.lock() = baseline;
    // Last, so that the use of a resource that ends before this is in the new baseline, or
    // discarded here.
    drop(std::mem::take(&mut *PAST.lock()));
}

/// Subtracts the use up to the last reset. Returns the acquisitions since then.
pub(crate) fn subtract_usage(id: u64, acquisitions: u64, usage: &mut Usage) -> u64 {
    let baseline = BASELINE.lock();
    let Some(before) = baseline.get(&id) else { return acquisitions };
    if let Some(before) = &before.usage {
        usage.subtract(before);
    }
    acquisitions.saturating_sub(before.acquisitions)
}
