//! Conversion of ticks to nanoseconds, at a capture.

use std::thread;
use std::time::Duration;

use super::segments::{ClockPair, SHORTEST_NS, Segments, per_tick};
use super::source::{is_counted, now, paired, start};
use crate::sync::Mutex;

/// Nanoseconds per tick, as a fraction over 2^32.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    per_tick: u64,
}

/// All measurements so far.
static SEGMENTS: Mutex<Option<Segments>> = Mutex::new(None);

/// Attempts of a first measurement. Three suffice if no clock jumps; if a clock stands still, none
/// succeeds.
const ATTEMPTS: u32 = 8;

impl Scale {
    /// Compares the ticks since the last clock pair with `Instant`. The first call of a process
    /// waits a few milliseconds: a segment cannot confirm itself, two must agree.
    pub(crate) fn measure() -> Self {
        if !is_counted() {
            return Self { per_tick: per_tick(1, 1) };
        }
        for attempt in 0..ATTEMPTS {
            if observe() {
                break;
            }
            if attempt + 1 < ATTEMPTS {
                // The system's timer, because a loop that waits for a clock may wait for one that
                // stands still.
                thread::sleep(Duration::from_nanos(SHORTEST_NS + SHORTEST_NS / 8));
            }
        }
        let known = SEGMENTS.lock().as_ref().and_then(Segments::per_tick);
        Self { per_tick: known.unwrap_or_else(|| per_tick(1, 1)) }
    }

    /// Converts ticks to ns, rounded down: a sum is never shorter than the sum of its rounded
    /// parts. A negative length, as of a wait during which the counter was set back, becomes zero.
    pub(crate) fn ns(self, ticks: u64) -> u64 {
        if ticks > i64::MAX.unsigned_abs() {
            return 0;
        }
        u64::try_from((u128::from(ticks) * u128::from(self.per_tick)) >> 32).unwrap_or(u64::MAX)
    }

    /// Converts a duration to ticks.
    pub(crate) fn ticks(self, duration: Duration) -> u64 {
        let ticks = (duration.as_nanos() << 32) / u128::from(self.per_tick);
        u64::try_from(ticks).unwrap_or(u64::MAX)
    }
}

/// Number of jumps of either clock that captures have found.
pub(crate) fn jumps() -> u64 {
    SEGMENTS.lock().as_ref().map_or(0, Segments::jumps)
}

/// Adds a clock pair. Returns whether the length of a tick is confirmed.
fn observe() -> bool {
    let mut segments = SEGMENTS.lock();
    let segments = segments.get_or_insert_with(|| {
        let mut segments = Segments::default();
        segments.add(ClockPair { tick: start().tick, ns: 0, off_ns: start().off_ns });
        segments
    });
    segments.add(anchor());
    segments.is_settled()
}

fn anchor() -> ClockPair {
    let pair = paired(now);
    let ns = |duration: Duration| i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX);
    let first = start().instant;
    let ns = match pair.instant.checked_duration_since(first) {
        Some(since) => ns(since),
        None => -ns(first.duration_since(pair.instant)),
    };
    ClockPair { tick: pair.tick, ns, off_ns: pair.off_ns }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Scale, per_tick};

    fn scale(ns: u64, ticks: u64) -> Scale {
        Scale { per_tick: per_tick(ns, ticks) }
    }

    #[test]
    fn one_tick_per_nanosecond_is_exact() {
        let scale = scale(1, 1);
        assert_eq!(scale.ns(0), 0);
        assert_eq!(scale.ns(123_456_789_012_345), 123_456_789_012_345);
        assert_eq!(scale.ticks(Duration::from_nanos(123_456_789_012_345)), 123_456_789_012_345);
        assert_eq!(scale.ticks(Duration::MAX), u64::MAX);
    }

    #[test]
    fn parts_never_add_up_to_more_than_the_whole() {
        let scale = scale(1_000_000_007, 2_994_371_113);
        for part in [1, 2, 3, 10, 999, 12_345_678] {
            assert!(scale.ns(part) + scale.ns(part + 1) <= scale.ns(2 * part + 1));
        }
    }

    #[test]
    fn a_day_of_a_fast_counter_stays_within_a_microsecond() {
        let day_ns = 86_400_000_000_000;
        let scale = scale(10_000_000_000, 29_943_711_130);
        let ticks = 86_400 * 2_994_371_113;
        assert!(scale.ns(ticks).abs_diff(day_ns) < 100_000, "{}", scale.ns(ticks));
    }

    #[test]
    fn a_negative_length_is_zero() {
        assert_eq!(scale(1, 3).ns(5_u64.wrapping_sub(6)), 0);
    }
}
