//! The verdicts and findings of a snapshot, without the feature `on`: the types exist, and no value
//! of them is made.
//!
//! The lists of a snapshot, such as its tasks and resources, exist with the feature `on` only.

use std::fmt;

pub use super::alarms::{Alarm, AlarmKind};
pub use super::reports::Snapshot;

/// The id of a task.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId(u64);

impl TaskId {
    /// The id with this number.
    #[must_use]
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// Its number.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// Something that hangs, or may hang.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verdict {
    /// The kind of hang.
    pub kind: VerdictKind,
    /// How certain the verdict is.
    pub confidence: Confidence,
    /// Whether no other verdict has to be resolved before this one.
    pub root_cause: bool,
    /// The chain of waits as a sentence.
    pub sentence: String,
    /// The tasks that wait behind it.
    pub victims: Vec<TaskId>,
}

impl Verdict {
    /// The change that prevents the hang, as a clause in the imperative.
    #[must_use]
    pub fn remedy(&self) -> &'static str {
        ""
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

/// The kind of a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum VerdictKind {
    /// Tasks wait for each other.
    Cycle,
    /// A task waits for itself.
    SelfWait,
    /// A future that its task stopped polling has what the task waits for.
    Futurelock,
    /// A wait asks for more than there is.
    Starved,
    /// A guard, permit or sender that a task waits for is never released.
    Leak,
    /// Nothing can wake the task.
    LostWaker,
    /// The notification came before the wait, or went to another one.
    MissedNotify,
    /// A worker thread sleeps inside a poll, for something that needs that thread.
    BlockedWorker,
    /// All threads for blocking work wait for blocking work.
    PoolExhausted,
    /// No thread drives the timers.
    DriverStarved,
    /// A poll does not end.
    Spin,
    /// A runtime shuts down and waits for blocking work.
    Shutdown,
    /// Nothing is stuck yet.
    Hazard,
}

/// How certain a verdict is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Confidence {
    /// It follows from exact facts.
    Proven,
    /// It follows if guards and channel ends are with the task that last used them.
    Likely,
    /// Its age suggests it.
    Suspect,
}

/// One answer to "what is wrong, and where".
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// How urgent it is.
    pub severity: Severity,
    /// The fault, as a sentence.
    pub sentence: String,
    /// Task time that it explains, in ns.
    pub explains_ns: u64,
    /// The next step, as a clause in the imperative.
    pub next: String,
    /// The section of the documentation.
    pub page: &'static str,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

/// How urgent a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Severity {
    /// Tasks make no progress.
    Stuck,
    /// Calls take longer than they need.
    Slow,
    /// CPU time or memory is spent without need.
    Waste,
    /// Nothing is wrong yet, but it will be.
    Risk,
    /// Worth knowing when reading the numbers.
    Note,
}

/// Implements `Display` with one word per member, as with the feature `on`.
macro_rules! words {
    ($($name:ident { $($member:ident $word:literal)* })*) => {$(
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(match self { $(Self::$member => $word,)* })
            }
        }
    )*};
}

words! {
    VerdictKind {
        Cycle "cycle" SelfWait "self_wait" Futurelock "futurelock" Starved "starved" Leak "leak"
        LostWaker "lost_waker" MissedNotify "missed_notify" BlockedWorker "blocked_worker"
        PoolExhausted "pool_exhausted" DriverStarved "driver_starved" Spin "spin" Shutdown "shutdown"
        Hazard "hazard"
    }
    Confidence { Proven "proven" Likely "likely" Suspect "suspect" }
    Severity { Stuck "stuck" Slow "slow" Waste "waste" Risk "risk" Note "note" }
}
