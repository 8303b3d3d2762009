//! The use of resources that are gone, by place of creation.
//!
//! A program that ends by itself has usually dropped its locks before its last snapshot, which
//! shall say all the same what its calls waited for.

use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use diagnose_reports::ordered::OrderedMap;

use super::record::Record;
use super::resource_type::ResourceKind;
use super::usage::Usage;
use super::usage_baseline::subtract_usage;
use crate::sync::Mutex;

/// How many pairs of place and name are distinguished. Later names count as none, and resources of
/// later places are left out.
const MAX_PLACES: usize = 256;

/// Place of creation, kind, library and name.
pub(crate) type PastKey = (&'static Location<'static>, ResourceKind, &'static str, Option<Arc<str>>);

/// The use of all resources with the same key.
#[derive(Debug, Clone, Default)]
pub(crate) struct PastUse {
    /// Number of resources.
    pub(crate) count: u64,
    /// Units of the last one.
    pub(crate) capacity: u64,
    pub(crate) acquisitions: u64,
    /// Ticks that calls waited for the one that was waited for longest.
    pub(crate) most_waited: u64,
    pub(crate) usage: Usage,
}

static PAST: Mutex<OrderedMap<PastKey, PastUse>> = Mutex::new(OrderedMap::new());

/// Returns a copy of all, sorted by key.
pub(crate) fn past_uses() -> Vec<(PastKey, PastUse)> {
    PAST.lock().iter().map(|(key, used)| (key.clone(), used.clone())).collect()
}

/// Starts again without any.
pub(super) fn restart() {
    drop(std::mem::take(&mut *PAST.lock()));
}

/// Adds the use of a resource that ends, if it is a lock or the like that calls have waited for, or
/// a broadcast channel whose receivers missed messages.
#[cold]
pub(super) fn add(record: &Record) {
    let was_waited_for = record.has_units() && record.was_contended();
    if !was_waited_for && !record.is_broadcast() {
        return;
    }
    let Some((id, identity)) = record.identity() else { return };
    let mut usage = record.usage_so_far();
    let acquisitions = subtract_usage(id, record.entered.load(Relaxed), &mut usage);
    // All of it was before the last reset, or no message was missed.
    if usage.waiters.is_empty() {
        return;
    }
    let of_type = identity.resource_type;
    let mut key = (identity.made_at, of_type.kind, of_type.library, identity.name);
    let mut past = PAST.lock();
    if past.len() >= MAX_PLACES && past.get(&key).is_none() {
        key.3 = None;
        if past.get(&key).is_none() && past.len() >= 2 * MAX_PLACES {
            return;
        }
    }
    let used = past.entry(key).or_default();
    used.count += 1;
    used.capacity = record.capacity.load(Relaxed);
    used.acquisitions = used.acquisitions.saturating_add(acquisitions);
    used.most_waited = used.most_waited.max(usage.waited_by_calls());
    used.usage.add(&usage);
}
