//! Median and spread of a measure on one side, and the test for a change.
//!
//! ```text
//! old     · ·|··  ·                 | median
//! new               ··  ·|· ·       noise: what two medians of equal programs may differ by
//!            |<- change ->|
//! ```

use crate::sort::sort_by;

/// Makes the median absolute deviation of a normal distribution equal to its standard deviation.
const MAD_TO_SIGMA: f64 = 1.4826;
/// The standard error of a median, relative to that of a mean.
const MEDIAN_ERROR: f64 = 1.2533;
/// The noise of a side with a single recording is unknown; this relative change is assumed.
const ASSUMED: f64 = 0.5;
/// The share of pairs of an old and a new value that have to differ in the same direction.
const DOMINANCE: f64 = 0.9;

/// The values of a measure on one side, one per recording.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "read", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Spread {
    /// Their median.
    pub median: f64,
    /// Their median absolute deviation from it; 0 for a single value.
    pub mad: f64,
    /// The values, in the order of the recordings.
    pub values: Vec<f64>,
}

impl Spread {
    /// Computes the spread; `None` without values.
    pub(super) fn new(values: Vec<f64>) -> Option<Self> {
        let median = median(&values)?;
        let deviations: Vec<f64> = values.iter().map(|value| (value - median).abs()).collect();
        Some(Self { median, mad: self::median(&deviations)?, values })
    }

    /// The mean of the values.
    pub(super) fn mean(&self) -> f64 {
        self.values.iter().sum::<f64>() / number(self.values.len()).max(1.0)
    }

    /// An estimate of the standard deviation, wider the fewer values there are.
    fn sigma(&self) -> f64 {
        MAD_TO_SIGMA * self.mad * (1.0 + 3.0 / number(self.values.len()))
    }
}

/// The change of the median that noise alone may cause, in the unit of the values. It is at least
/// `floor` if both sides have several values. It is infinite, that is unknown, if a side has a
/// single value and the old median is zero.
pub(super) fn noise(old: &Spread, new: &Spread, floor: f64) -> f64 {
    if old.values.len().min(new.values.len()) < 2 {
        return if old.median > 0.0 { ASSUMED * old.median } else { f64::INFINITY };
    }
    let (old_sigma, new_sigma) = (old.sigma(), new.sigma());
    let (old_variance, new_variance) = (old_sigma * old_sigma, new_sigma * new_sigma);
    let single = f64::midpoint(old_variance, new_variance).sqrt();
    let error = (old_variance / number(old.values.len()) + new_variance / number(new.values.len())).sqrt();
    (2.0 * single).max(4.0 * MEDIAN_ERROR * error).max(floor)
}

/// Returns whether nearly all pairs of values differ in the direction of the medians.
pub(super) fn is_dominant(old: &Spread, new: &Spread) -> bool {
    let mut rising = 0.0;
    for old in &old.values {
        for new in &new.values {
            rising += if new > old {
                1.0
            } else if new < old {
                0.0
            } else {
                0.5
            };
        }
    }
    let share = rising / (number(old.values.len()) * number(new.values.len()));
    share.max(1.0 - share) >= DOMINANCE && ((share > 0.5) == (new.median > old.median))
}

/// The median; the mean of the two middle values of an even number; `None` without values.
pub(super) fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sort_by(&mut sorted, f64::total_cmp);
    let middle = sorted.len() / 2;
    let upper = *sorted.get(middle)?;
    Some(if sorted.len() % 2 == 1 { upper } else { f64::midpoint(sorted[middle - 1], upper) })
}

/// Converts a count for computations.
#[expect(clippy::cast_precision_loss, reason = "counts of this size are exact")]
pub(super) fn number(count: usize) -> f64 {
    count as f64
}
