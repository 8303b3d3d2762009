//! From ticks to nanoseconds, at a capture.

use std::time::Duration;

use super::source::{now, paired, start};

/// How long ticks are measured against `Instant` at least, so that the reading of `Instant` itself does not matter.
const CALIBRATION: Duration = Duration::from_millis(2);

/// Nanoseconds per tick, as a fraction over 2^32.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    per_tick: u64,
}

impl Scale {
    /// Measures the ticks since the first reading against `Instant`. Waits up to two milliseconds if that was only
    /// just now.
    pub(crate) fn measure() -> Self {
        #[cfg(feature = "manual-clock")]
        if super::source::is_manual() {
            return Self::from_elapsed(1, 1);
        }
        let _ = now(); // chooses the source and starts the clock, if nothing else has
        let start = start();
        while start.instant.elapsed() < CALIBRATION {
            std::hint::spin_loop();
        }
        let (tick, instant) = paired(now);
        let ticks = tick.saturating_sub(start.tick);
        let ns = instant.duration_since(start.instant).as_nanos();
        Self::from_elapsed(u64::try_from(ns).unwrap_or(u64::MAX), ticks)
    }

    fn from_elapsed(ns: u64, ticks: u64) -> Self {
        let per_tick = (u128::from(ns) << 32) / u128::from(ticks.max(1));
        Self { per_tick: u64::try_from(per_tick).unwrap_or(u64::MAX) }
    }

    /// The length in nanoseconds, rounded down: a sum is never shorter than the sum of its rounded parts.
    pub(crate) fn ns(self, ticks: u64) -> u64 {
        u64::try_from((u128::from(ticks) * u128::from(self.per_tick)) >> 32).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::Scale;

    #[test]
    fn one_tick_per_nanosecond_is_exact() {
        let scale = Scale::from_elapsed(1, 1);
        assert_eq!(scale.ns(0), 0);
        assert_eq!(scale.ns(123_456_789_012_345), 123_456_789_012_345);
    }

    #[test]
    fn parts_never_add_up_to_more_than_the_whole() {
        let scale = Scale::from_elapsed(1_000_000_007, 2_994_371_113);
        for part in [1, 2, 3, 10, 999, 12_345_678] {
            assert!(scale.ns(part) + scale.ns(part + 1) <= scale.ns(2 * part + 1));
        }
    }

    #[test]
    fn a_day_of_a_fast_counter_stays_within_a_microsecond() {
        let day_ns = 86_400_000_000_000;
        let scale = Scale::from_elapsed(10_000_000_000, 29_943_711_130);
        let ticks = 86_400 * 2_994_371_113;
        assert!(scale.ns(ticks).abs_diff(day_ns) < 100_000, "{}", scale.ns(ticks));
    }
}
