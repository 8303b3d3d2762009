//! The result of a comparison.

use std::fmt;

use crate::analysis::diff::spread::Spread;
use crate::model::Place;

/// Settings of a comparison.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct DiffOptions {
    /// The relative change above which a change is flagged: 0.05 for 5 %.
    pub threshold: f64,
}

impl Default for DiffOptions {
    fn default() -> Self {
        Self { threshold: 0.05 }
    }
}

impl DiffOptions {
    /// Sets the relative change above which a change is flagged: 0.05 for 5 %.
    #[must_use]
    pub fn threshold(self, threshold: f64) -> Self {
        Self { threshold, ..self }
    }
}

/// The changes between two sides.
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(feature = "read", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Diff {
    /// The relative change above which a change is flagged.
    pub threshold: f64,
    /// The side before the change.
    pub old: DiffSide,
    /// The side after the change.
    pub new: DiffSide,
    /// Reasons why the comparison may be unreliable, one sentence each.
    pub warnings: Vec<String>,
    /// All functions: slower ones first, then faster ones, then the others. Within each group, the
    /// functions with the largest difference in time per second come first.
    pub functions: Vec<FunctionDiff>,
}

impl Diff {
    /// Returns the functions with a flagged measure that rose by more than `relative` (0.1 for 10
    /// %). A rise from zero exceeds every bound. The number of calls does not count.
    pub fn slower_than(&self, relative: f64) -> impl Iterator<Item = &FunctionDiff> {
        let is_over = move |measure: &&MeasureDiff| {
            measure.change == Change::Slower && measure.relative.is_none_or(|change| change > relative)
        };
        self.functions.iter().filter(move |function| function.measures.iter().any(|it| is_over(&it)))
    }
}

/// One side of a comparison.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "read", derive(serde::Serialize))]
#[non_exhaustive]
pub struct DiffSide {
    /// Names of the processes, without repetitions, with commas between.
    pub processes: String,
    /// Number of snapshots.
    pub snapshots: usize,
    /// Number of recordings, without equal snapshots.
    pub recordings: usize,
    /// Median length of a recording, in ns.
    pub elapsed_ns: u64,
}

/// One function on both sides. The times of its awaits are included.
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(feature = "read", derive(serde::Serialize))]
#[non_exhaustive]
pub struct FunctionDiff {
    /// Its name, unambiguous among the compared functions.
    pub name: String,
    /// Its place in the source on the new side, or on the old side if it was removed.
    pub place: Place,
    /// The sides that have it.
    pub presence: Presence,
    /// The unit of its times.
    pub basis: Basis,
    /// The change of the function: that of its times, or else that of its calls.
    pub change: Change,
    /// Its measures, in the order of [`Measure`]. Measures without a value on either side are left
    /// out.
    pub measures: Vec<MeasureDiff>,
}

/// The sides that have a function.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "read", derive(serde::Serialize))]
#[cfg_attr(feature = "read", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Presence {
    /// Both.
    #[default]
    Both,
    /// Only the new side.
    Added,
    /// Only the old side.
    Removed,
}

/// The divisor of a function's times.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "read", derive(serde::Serialize))]
#[cfg_attr(feature = "read", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Basis {
    /// Its calls.
    #[default]
    Call,
    /// Seconds of the recording, if fewer than half of the calls have ended.
    Second,
}

/// A measure of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "read", derive(serde::Serialize))]
#[cfg_attr(feature = "read", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Measure {
    /// Mean ns inside `poll`, without annotated callees.
    Busy,
    /// Mean ns between polls, without waits of annotated callees.
    Idle,
    /// Median latency of completed calls in ns.
    P50,
    /// 90th percentile of the latency of completed calls in ns. It is steadier than the median if
    /// there are two kinds of calls, such as hits and misses.
    P90,
    /// 99th percentile of the latency of completed calls in ns.
    P99,
    /// Calls per second of the recording.
    Calls,
}

/// A measure of a function on both sides.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "read", derive(serde::Serialize))]
#[non_exhaustive]
pub struct MeasureDiff {
    /// The measure.
    pub measure: Measure,
    /// Its values on the old side.
    pub old: Option<Spread>,
    /// Its values on the new side.
    pub new: Option<Spread>,
    /// The relative change of the median: 0.1 for 10 % more; `None` without an old value above
    /// zero.
    pub relative: Option<f64>,
    /// The relative change that noise alone may cause; `None` if it cannot be estimated.
    pub noise: Option<f64>,
    /// Whether it has changed.
    pub change: Change,
}

/// The kind of a change.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "read", derive(serde::Serialize))]
#[cfg_attr(feature = "read", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Change {
    /// More time.
    Slower,
    /// Less time.
    Faster,
    /// More calls per second.
    MoreCalls,
    /// Fewer calls per second.
    FewerCalls,
    /// Over the threshold, but not over the noise.
    Unsure,
    /// Within the threshold.
    #[default]
    Same,
}

/// The words in text: `slower`, `more calls`.
impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Slower => "slower",
            Self::Faster => "faster",
            Self::MoreCalls => "more calls",
            Self::FewerCalls => "fewer calls",
            Self::Unsure => "unsure",
            Self::Same => "same",
        })
    }
}
