//! Compares functions between two sides, each with one or more snapshots.
//!
//! ```text
//! recordings   each snapshot's totals by function; later snapshots of one process minus earlier ones
//! spread       median and spread of a measure over the recordings of a side
//! types        the result: functions, measures, changes
//! compare      both sides, function by function
//! warnings     why a comparison may not mean much
//! ```
//! # When a change is flagged
//!
//! Each recording of a side gives one value per measure, such as the mean busy time per call. The
//! medians of both sides are compared. The difference is a change if all of these hold:
//! - it exceeds the threshold, by default 5 %;
//! - it exceeds the noise: twice the spread of single recordings, and four standard errors of the
//!   medians. The spread is the median absolute deviation, scaled to a standard deviation and
//!   widened for few recordings;
//! - 90 % of all pairs of an old and a new value differ in the same direction.
//!
//! Independent recordings without a difference pass all three in fewer than 1 of 1,000 comparisons
//! with 5 recordings a side, and 1 of 10,000 with 10. With 10 a side, a change of 10 % is found in
//! 99 of 100 comparisons if recordings spread by 2 %, and in 7 of 10 if they spread by 3 %. Both
//! sides need the same conditions on the machine, so record them alternately.

mod compare;
mod recordings;
mod spread;
mod types;
mod warnings;

pub use compare::diff;
pub(crate) use recordings::is_continued;
pub use spread::Spread;
pub use types::{Basis, Change, Diff, DiffOptions, DiffSide, FunctionDiff, Measure, MeasureDiff, Presence};
