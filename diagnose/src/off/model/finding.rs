//! Findings. No value of them is made.

use std::fmt;

use super::ids::{NodeIndex, ResourceId, SiteIndex, TaskId};
use super::rule::Rule;
use super::text::Place;
use super::words::words;

/// One answer to "what is wrong, and where".
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The rule that found it.
    pub rule: Rule,
    /// How urgent it is.
    pub severity: Severity,
    /// The fault, as a sentence.
    pub sentence: String,
    /// The line to look at first.
    pub place: Option<Place>,
    /// Task time that it explains, in ns.
    pub explains_ns: u64,
    /// The share that the sentence names, in thousandths.
    pub per_mille: Option<u64>,
    /// The next step, as a clause in the imperative.
    pub next: String,
    /// The section of the documentation.
    pub page: &'static str,
    /// The records that it is based on.
    pub evidence: Evidence,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}. Next: {}. ({})", self.sentence, self.next, self.rule)
    }
}

/// The records that a finding is based on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Evidence {
    /// Sites, most important first.
    pub sites: Vec<SiteIndex>,
    /// Nodes, most important first.
    pub nodes: Vec<NodeIndex>,
    /// Tasks, by id.
    pub tasks: Vec<TaskId>,
    /// Number of all tasks, if `tasks` leaves out some of them.
    pub all_tasks: Option<usize>,
    /// Resources, most important first.
    pub resources: Vec<ResourceId>,
    /// The position of the verdict that the finding reports.
    pub verdict: Option<usize>,
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

words! {
    Severity { Stuck "stuck" Slow "slow" Waste "waste" Risk "risk" Note "note" }
}
