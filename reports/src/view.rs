//! The times that a report shows. Analyses and writers both use it, so it lives below both.

/// The times that a report shows.
///
/// It selects the times of `svg` and `folded`, and what `html` and profiles show first. All other
/// formats ignore it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum View {
    /// Elapsed time: the busy time of every task, and its idle time, charged to the path that ended
    /// each wait. Futures that wait at the same time do not count twice. A woken task's time in the
    /// queue is separate.
    #[default]
    Wall,
    /// The busy and idle time of every path, as separate leaves in one tree. Not additive where
    /// futures wait at the same time.
    Time,
    /// Time inside `poll` only. Additive.
    Busy,
    /// Time between polls only. Not additive: futures under one `join!` wait at the same time.
    Idle,
}
