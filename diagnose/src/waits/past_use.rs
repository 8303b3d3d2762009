//! The use of locks that are gone, by place of creation.
//!
//! A program that exits by itself has usually dropped its locks before its last snapshot. That
//! snapshot must still show what the calls waited for.

use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use diagnose_reports::ordered::OrderedMap;

use super::record::Record;
use super::resource_type::ResourceKind;
use super::usage::Usage;
use super::usage_baseline::subtract_usage;
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

/// Returns a copy of all past uses, sorted by key.
pub(crate) fn past_uses() -> Vec<(PastKey, PastUse)> {
    PAST.lock().iter().map(|(key, used)| (key.clone(), used.clone())).collect()
}

/// Forgets all past uses.
pub(super) fn restart() {
    drop(std::mem::take(&mut *PAST.lock()));
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
