//! The rules of findings, with their names and their sections in the documentation.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::analysis::hangs::VerdictKind;

/// Declares the rules other than [`Rule::Stuck`].
macro_rules! rules {
    ($($(#[$doc:meta])* $rule:ident = $name:literal,)*) => {
        /// The rule that made a finding.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Rule {
            /// A verdict: tasks that make no progress.
            Stuck(VerdictKind),
            $($(#[$doc])* $rule,)*
        }

        impl Rule {
            /// The section of `docs/findings.md`: `docs/findings.md#contended`.
            #[must_use]
            pub fn page(self) -> &'static str {
                match self {
                    Self::Stuck(_) => "docs/findings.md#stuck",
                    $(Self::$rule => concat!("docs/findings.md#", $name),)*
                }
            }
        }

        /// The name in reports and saved files: `contended`, or `stuck.cycle` for a verdict.
        impl fmt::Display for Rule {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    Self::Stuck(kind) => f.pad(&format!("stuck.{kind}")),
                    $(Self::$rule => f.pad($name),)*
                }
            }
        }
    };
}

rules! {
    /// Tasks wait for a lock, a permit or a connection for a large share of their time.
    Contended = "contended",
    /// One function uses a large share of the CPU in long polls.
    Hog = "hog",
    /// A poll took long with little CPU time: it blocked its thread.
    Blocking = "blocking",
    /// All workers are busy, and tasks wait for their turn.
    Saturated = "saturated",
    /// One worker did almost all polls.
    Imbalance = "imbalance",
    /// Tasks or futures of one place become more and more.
    Growing = "growing",
    /// A future was woken, or created, and is not polled.
    Parked = "parked",
    /// Calls are dropped while they wait.
    Cancelled = "cancelled",
    /// A task wakes itself for most of its polls.
    SelfWake = "self_wake",
    /// Futures are created and dropped without a poll.
    MissingAwait = "missing_await",
    /// A large future was moved into a task.
    Oversized = "oversized",
    /// Other processes use the CPU that this one waits for.
    Oversubscribed = "oversubscribed",
    /// One await takes most of the time of the calls around it.
    SlowAwait = "slow_await",
    /// The recording lost data.
    LostData = "lost_data",
}

/// As its name.
impl Serialize for Rule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
