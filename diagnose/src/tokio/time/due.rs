//! What is recorded of a timer.

use std::panic::Location;
use std::time::Duration;

use ::tokio::time::Instant;

use crate::clock;
use crate::tokio::sync::is_forced;
use crate::waits::{WaitInfo, WaitMode, WaitTarget};

/// What waits there for that moment. Once it is listed, the moment is known, and the clock is not read.
#[inline]
pub(super) fn leaf(deadline: Instant, at: &'static Location<'static>, is_listed: bool) -> WaitInfo {
    let due = if is_listed { 0 } else { tick(deadline) };
    WaitInfo::new(WaitTarget::Moment(due), WaitMode::Timer, 1, at).forced_by(is_forced)
}

/// By tokio's clock, which may be paused.
fn tick(deadline: Instant) -> u64 {
    clock::tick_in(deadline.saturating_duration_since(Instant::now()))
}

/// The longest delay that tokio knows: about 30 years.
pub(super) fn safe(duration: Duration) -> Duration {
    duration.min(Duration::from_secs(86_400 * 365 * 30))
}
