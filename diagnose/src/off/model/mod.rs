//! The verdicts and findings of a snapshot, without the feature `on`: the types exist, and no value
//! of them is made.
//!
//! ```text
//! verdict   verdicts and the links of their chains
//! finding   findings and their evidence; rule: the rules that find them
//! times     latencies, and locks that were acquired in both orders
//! ids text  what these refer to
//! ```
//! The lists of a snapshot, such as its tasks and resources, exist with the feature `on` only.

mod finding;
mod ids;
mod rule;
mod text;
mod times;
mod verdict;
mod words;

pub use self::finding::{Evidence, Finding, Severity};
pub use self::ids::{NodeIndex, ResourceId, SiteIndex, SpanId, SpanIndex, TaskId, WaitId};
pub use self::rule::Rule;
pub use self::text::{Place, Text};
pub use self::times::{FunctionLatency, LatencyQuantiles, LockInversion};
pub use self::verdict::{Confidence, Link, LinkNode, LinkRole, Verdict, VerdictDetail, VerdictKind};
pub use super::alarms::{Alarm, AlarmKind};
pub use super::reports::Snapshot;
