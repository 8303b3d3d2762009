//! The use of resources up to the last reset, which later snapshots subtract.
//!
//! Threads count on meanwhile. A resource that did not exist at the reset has nothing to subtract.

use diagnose_reports::ordered::OrderedMap;

use crate::sync::Mutex;
use crate::waits::{self, Usage};

/// By id of the resource.
static BASELINE: Mutex<OrderedMap<u64, UsedBefore>> = Mutex::new(OrderedMap::new());

struct UsedBefore {
    acquisitions: u64,
    /// `None` if nobody waited and no hold was timed: a million channels keep no histograms.
    usage: Option<Box<Usage>>,
}

/// Makes the present use of all resources the new zero.
pub(super) fn restart() {
    let mut baseline = OrderedMap::new();
    for record in waits::all_records() {
        let (id, (acquisitions, usage)) = (record.id(), record.restart_usage());
        let usage = (!usage.is_empty()).then(|| Box::new(usage));
        if acquisitions > 0 || usage.is_some() {
            baseline.insert(id, UsedBefore { acquisitions, usage });
        }
    }
    *BASELINE.lock() = baseline;
}

/// Subtracts the use up to the last reset. Returns the acquisitions since then.
pub(super) fn subtract(id: u64, acquisitions: u64, usage: &mut Usage) -> u64 {
    let baseline = BASELINE.lock();
    let Some(before) = baseline.get(&id) else { return acquisitions };
    if let Some(before) = &before.usage {
        usage.subtract(before);
    }
    acquisitions.saturating_sub(before.acquisitions)
}
