//! The use of resources up to the last reset, which later snapshots subtract.
//!
//! Threads keep counting during a reset. A resource that did not exist at the reset has nothing to
//! subtract.

use diagnose_reports::ordered::OrderedMap;

use super::past_use;
use super::record::all_records;
use super::usage::Usage;
use crate::sync::Mutex;

/// By id of the resource.
static BASELINE: Mutex<OrderedMap<u64, UsedBefore>> = Mutex::new(OrderedMap::new());

struct UsedBefore {
    acquisitions: u64,
    /// `None` if nothing waited and no hold was timed, so that a million channels keep no
    /// histograms.
    usage: Option<Box<Usage>>,
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
    past_use::restart();
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
