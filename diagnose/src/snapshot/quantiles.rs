//! Quantiles of durations that were counted by their magnitude, in ticks.
//!
//! A count says how many durations lay between two powers of two, so they are taken to lie evenly there, as in the reports. The
//! error is at most the width of one magnitude, however many durations there are, and never past the longest.

use crate::waits::Durations;

/// The median, the 99th of a hundred and the longest; zero if there is none.
pub(super) fn quantiles(durations: &Durations) -> [u64; 3] {
    // Of nearly all of a million channels nothing is counted.
    if durations.longest == 0 {
        return [0; 3];
    }
    [at(durations, 50), at(durations, 99), durations.longest]
}

fn at(durations: &Durations, percent: u128) -> u64 {
    let total: u128 = durations.counts.iter().map(|&count| u128::from(count)).sum();
    // In hundredths of a duration, so that everything stays an integer.
    let target = total * percent;
    let mut before = 0;
    for (magnitude, &count) in durations.counts.iter().enumerate() {
        let inside = u128::from(count) * 100;
        if inside > 0 && before + inside >= target {
            // The lowest magnitude holds zero and one.
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
    fn they_do_not_depend_on_how_many_durations_there_are() {
        // Evenly from 1024 to 4095: the median is 2560, and not the end of its magnitude.
        assert_eq!(of(&[(10, 1), (11, 2)], 4095), [2560, 4065, 4095]);
        for times in [100, 1_000_000, u64::MAX / 4] {
            assert_eq!(of(&[(10, times), (11, 2 * times)], 4095), [2560, 4065, 4095]);
        }
    }

    #[test]
    fn the_ends_of_the_range_are_no_others() {
        assert_eq!(of(&[], 0), [0; 3]);
        assert_eq!(of(&[(0, 7)], 1), [1, 1, 1]);
        assert_eq!(of(&[(63, 1)], u64::MAX), [3 << 62, u64::MAX - (1 << 63) / 100, u64::MAX]);
    }
}
