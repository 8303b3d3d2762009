//! Medians, and how numbers are written.

/// The median; of an even number, the mean of the two in the middle. NaN of nothing.
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

/// By how much a ratio is above 1, as in `+42 %`.
#[must_use]
pub fn percent_above_one(ratio: f64) -> String {
    format!("{:+.0} %", 100.0 * (ratio - 1.0))
}
