//! The times that a report shows. Analyses and writers both use this type.

/// The times that a report shows.
///
/// The view selects the times in `svg` and `folded`, and the times that `html` and profiles show
/// first. All other formats ignore it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum View {
    /// Elapsed time: the busy time of every task, and its idle time, charged to the path that ended
    /// each wait. Concurrent waits of a task do not count twice. The time of a woken task in the
    /// queue is separate.
    #[default]
    Wall,
    /// The busy and idle time of every path, as separate leaves in one tree. Times of concurrent
    /// futures overlap, so they are not additive.
    Time,
    /// Time inside `poll` only. Additive.
    Busy,
    /// Time between polls only. Not additive, because futures under one `join!` wait at the same
    /// time.
    Idle,
}
