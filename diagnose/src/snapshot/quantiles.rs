//! Computes quantiles of durations that were counted by magnitude, in ticks.
//!
//! A bucket counts the durations between two powers of two. As in the reports, they are assumed to
//! be spread evenly over the bucket. The error is at most the width of one bucket, and no result
//! exceeds the longest duration.

use crate::waits::Durations;

/// Returns median, 99th percentile and maximum; 0 if there is no duration.
pub(super) fn quantiles(durations: &Durations) -> [u64; 3] {
    // Most of a million channels have no durations.
    if durations.longest == 0 {
        return [0; 3];
    }
    [at(durations, 50), at(durations, 99), durations.longest]
}

fn at(durations: &Durations, percent: u128) -> u64 {
    let total: u128 = durations.counts.iter().map(|&count| u128::from(count)).sum();
    // In hundredths of a duration, to stay in integers.
    let target = total * percent;
    let mut before = 0;
    for (magnitude, &count) in durations.counts.iter().enumerate() {
        let inside = u128::from(count) * 100;
        if inside > 0 && before + inside >= target {
            // The lowest bucket holds 0 and 1.
            let (from, width) =
                if magnitude == 0 { (0, 2) } else { (1_u128 << magnitude, 1_u128 << magnitude) };
            let at = from + width.saturating_mul(target - before) / inside;
            return u64::try_from(at).unwrap_or(u64::MAX).min(durations.longest);
        }
        before += inside;
    }
    0
}

#[cfg(test)]
mod tests {
    use super::quantiles;
    use crate::waits::Durations;

    fn of(counts: &[(usize, u64)], longest: u64) -> [u64; 3] {
        let mut durations = Durations { longest, ..Durations::default() };
        for &(magnitude, count) in counts {
            durations.counts[magnitude] = count;
        }
        quantiles(&durations)
    }

    #[test]
    fn quantiles_do_not_depend_on_the_number_of_durations() {
        // Evenly spread from 1024 to 4095, the median is 2560, not the end of its bucket.
        assert_eq!(of(&[(10, 1), (11, 2)], 4095), [2560, 4065, 4095]);
        for times in [100, 1_000_000, u64::MAX / 4] {
            assert_eq!(of(&[(10, times), (11, 2 * times)], 4095), [2560, 4065, 4095]);
        }
    }

    #[test]
    fn quantiles_hold_at_both_ends_of_the_range() {
        assert_eq!(of(&[], 0), [0; 3]);
        assert_eq!(of(&[(0, 7)], 1), [1, 1, 1]);
        assert_eq!(of(&[(63, 1)], u64::MAX), [3 << 62, u64::MAX - (1 << 63) / 100, u64::MAX]);
    }
}
