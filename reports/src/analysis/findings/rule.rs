//! The rules of findings, with their names and their sections in the documentation.

use std::fmt;

use crate::analysis::hangs::VerdictKind;
use crate::json::{Json, ToJson};

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
            /// All rules, with one kind of verdict for [`Rule::Stuck`].
            #[cfg(test)]
            pub(crate) const ALL: &[Self] = &[Self::Stuck(VerdictKind::Cycle), $(Self::$rule),*];

            /// All names, where `stuck` stands for those of verdicts.
            #[cfg(feature = "read")]
            const NAMES: &[&str] = &["stuck", $($name),*];

            /// Returns the rule with this name, if it is none of a verdict.
            #[cfg(feature = "read")]
            fn named(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$rule),)*
                    _ => None,
                }
            }

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

impl ToJson for Rule {
    fn write_json(&self, json: &mut Json<'_>) {
        json.string(&self.to_string());
    }
}

/// Serializes the rule as its name.
#[cfg(feature = "read")]
impl serde::Serialize for Rule {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Reads the name of a rule.
#[cfg(feature = "read")]
impl<'de> serde::Deserialize<'de> for Rule {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::{Error, IntoDeserializer as _};

        let name = String::deserialize(deserializer)?;
        if let Some(kind) = name.strip_prefix("stuck.") {
            return VerdictKind::deserialize(kind.into_deserializer()).map(Self::Stuck);
        }
        Self::named(&name).ok_or_else(|| D::Error::unknown_variant(&name, Self::NAMES))
    }
}

#[cfg(test)]
mod tests {
    use super::Rule;

    #[test]
    fn the_document_has_a_section_for_each_rule_with_cause_example_and_remedy() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/findings.md");
        let document = std::fs::read_to_string(path).unwrap();
        for rule in Rule::ALL {
            let (file, anchor) = rule.page().split_once('#').unwrap();
            assert_eq!(file, "docs/findings.md");
            let start = format!("\n## {anchor}\n");
            let section = document.split_once(&start).unwrap_or_else(|| panic!("no section for {rule}")).1;
            let section = section.split("\n## ").next().unwrap();
            for part in ["**Says:**", "**Cause:**", "```rust", "**Next:**", "**Silent when:**"] {
                assert!(section.contains(part), "{rule} without {part}");
            }
        }
    }

    #[test]
    fn the_page_of_a_rule_is_named_after_it() {
        for rule in Rule::ALL {
            let name = rule.to_string();
            assert!(rule.page().ends_with(name.split('.').next().unwrap()), "{name}");
        }
    }
}
