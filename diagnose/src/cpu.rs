//! How much processor time a thread uses: whether it spins or is blocked. Linux only.

use std::time::{Duration, Instant};

/// The share of a processor, in percent, that the thread of this number uses over about `window`. `None` where it cannot be
/// known.
pub(crate) fn share(thread_id: u64, window: Duration) -> Option<u64> {
    let path = format!("/proc/self/task/{thread_id}/schedstat");
    // Nanoseconds on a processor so far.
    let used = || std::fs::read_to_string(&path).ok()?.split(' ').next()?.parse::<u64>().ok();
    let (begin, start) = (used()?, Instant::now());
    std::thread::sleep(window);
    let (end, window) = (used()?, start.elapsed());
    let window = u64::try_from(window.as_nanos()).ok()?;
    Some((end.saturating_sub(begin).saturating_mul(100) / window.max(1)).min(100))
}
