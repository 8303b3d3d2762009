//! Medians, and number formatting.

/// The median; for an even count, the mean of the two middle values; NaN if empty.
#[must_use]
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        length if length % 2 == 1 => sorted[length / 2],
        length => f64::midpoint(sorted[length / 2 - 1], sorted[length / 2]),
    }
}

/// A ratio as its difference from 1, such as `+42 %`.
#[must_use]
pub fn percent_above_one(ratio: f64) -> String {
    format!("{:+.0} %", 100.0 * (ratio - 1.0))
}
