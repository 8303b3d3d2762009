//! Which times a report shows: an argument of analyses and writers alike, so it lives below both.

/// Which times a report shows. Text and JSON hold all of them and ignore it, and so does the graph of who waits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum View {
    /// What the clock showed: the busy time of every task, and its idle time, charged to the path that ended each wait, so
    /// that futures which wait at the same time do not count twice. What a task waited in the queue after a wake is apart.
    #[default]
    Wall,
    /// The busy and the idle time of every path, as leaves of their own in one tree. Not additive where futures wait at the
    /// same time.
    Time,
    /// Time inside `poll` only. Additive: the parts are the whole.
    Busy,
    /// Time between polls only. Not additive: futures under one `join!` wait at the same time.
    Idle,
}
