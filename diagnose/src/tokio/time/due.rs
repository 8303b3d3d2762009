//! Wait descriptions of timers, and their deadlines.

use std::panic::Location;
use std::time::Duration;

use ::tokio::time::Instant;

use crate::clock;
use crate::tokio::sync::is_forced;
use crate::waits::{WaitInfo, WaitMode, WaitTarget};

/// Describes a wait until `deadline`. A wait that is listed already has its deadline, so no clock
/// is read.
#[inline]
pub(super) fn wait_info(deadline: Instant, at: &'static Location<'static>, is_listed: bool) -> WaitInfo {
    let due = if is_listed { 0 } else { due(deadline) };
    WaitInfo::new(WaitTarget::Moment(due), WaitMode::Timer, 1, at).forced_by(is_forced)
}

/// Converts a moment of tokio's clock to one of the clock that the machine's timers follow. Returns
/// 0, for an unknown moment, while tokio's clock is paused, because it then does not show when the
/// timer is due.
fn due(deadline: Instant) -> u64 {
    let now = Instant::now();
    let is_paused = Instant::now() == now;
    if is_paused { 0 } else { clock::due_in(deadline.saturating_duration_since(now)) }
}

/// Limits a delay to the longest that tokio supports, about 30 years.
pub(super) fn safe(duration: Duration) -> Duration {
    duration.min(Duration::from_secs(86_400 * 365 * 30))
}
