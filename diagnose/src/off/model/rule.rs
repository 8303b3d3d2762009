//! The rules of findings. Their names and sections are those of the feature `on`.

use std::fmt;

use super::verdict::VerdictKind;

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

        /// The name in reports: `contended`, or `stuck.cycle` for a verdict.
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
    /// Two locks are acquired in both orders, and calls deadlock until a time limit.
    Inversion = "inversion",
    /// Requests wait for a lock or permit that is held for far longer than before.
    Held = "held",
    /// Calls wait for far longer than any call of their function that has ended.
    Stopped = "stopped",
    /// Requests wait for a free slot of a channel for most of their time.
    FullChannel = "full_channel",
    /// Requests wait for the answers of one task, which handles one after the other.
    Bottleneck = "bottleneck",
    /// Requests await the same call many times, one after the other.
    Sequential = "sequential",
    /// One function uses a large share of the CPU in long polls.
    Hog = "hog",
    /// A poll took long with little CPU time: it blocked its thread.
    Blocking = "blocking",
    /// All workers are busy, and tasks wait for their turn.
    Saturated = "saturated",
    /// Workers spend much time in code that is not on record.
    Unrecorded = "unrecorded",
    /// All threads for blocking jobs are busy, and jobs wait for one.
    BlockingPool = "blocking_pool",
    /// Runtimes are built and shut down all the time.
    Runtimes = "runtimes",
    /// One worker did almost all polls.
    Imbalance = "imbalance",
    /// The number of tasks or futures of one place keeps growing.
    Growing = "growing",
    /// More and more messages wait in a channel without a bound.
    Backlog = "backlog",
    /// Receivers of a broadcast channel miss messages.
    Lagged = "lagged",
    /// A future was woken, or created, and is not polled.
    SetAside = "set_aside",
    /// Calls are dropped while they wait.
    Cancelled = "cancelled",
    /// Calls panic.
    Panicked = "panicked",
    /// A task wakes itself for most of its polls.
    SelfWake = "self_wake",
    /// A call tries to connect again and again, without a pause.
    Retries = "retries",
    /// Futures are created and dropped without a poll.
    MissingAwait = "missing_await",
    /// Workers wait for a CPU that other threads or processes use.
    Oversubscribed = "oversubscribed",
    /// A few calls take far longer than the others, at one await.
    SlowAwait = "slow_await",
    /// Large futures take much memory.
    LargeFuture = "large_future",
    /// The recording lost data.
    LostData = "lost_data",
}
