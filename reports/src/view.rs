//! Which times a report shows. Analyses and writers take it, so it lives below both.

/// Which times a report shows. The text report, JSON and the graph of waits do not depend on it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum View {
    /// Times by the clock: the busy time of every task, and its idle time, charged to the path that
    /// ended each wait. Futures that wait at the same time do not count twice. The time a woken
    /// task was queued is separate.
    #[default]
    Wall,
    /// The busy and the idle time of every path, as separate leaves in one tree. Not additive where
    /// futures wait at the same time.
    Time,
    /// Time inside `poll` only. Additive.
    Busy,
    /// Time between polls only. Not additive: futures under one `join!` wait at the same time.
    Idle,
}
