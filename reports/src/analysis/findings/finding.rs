//! The parts of a finding. Nothing is decided here.

use std::fmt;

use super::rule::Rule;
use crate::clean::printable;
use crate::json::ToJson;
use crate::model::{NodeIndex, Place, ResourceId, SiteIndex, TaskId};
use crate::ordered::OrderedSet;

/// One answer to "what is wrong, and where": something stuck, slow, wasteful or risky.
///
/// Texts are plain: names of the program are in backquotes, and harmful characters are replaced.
/// A format still has to escape them.
///
/// # Examples
/// ```
/// use diagnose_reports::Snapshot;
///
/// for finding in Snapshot::default().findings() {
///     println!("{} {finding}", finding.severity);
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "read", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Finding {
    /// The rule that found it.
    pub rule: Rule,
    /// How urgent it is.
    pub severity: Severity,
    /// The fault as a sentence, with a number and a place, without a final period.
    pub sentence: String,
    /// The line to look at first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// Task time that it explains, in ns: waits, or busy time. Findings are sorted by it.
    pub explains_ns: u64,
    /// The share that the sentence names, in thousandths; `None` if it names none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_mille: Option<u64>,
    /// The next step, as one imperative clause, without a final period.
    pub next: String,
    /// The section of the documentation with cause, example and remedy:
    /// `docs/findings.md#contended`.
    pub page: &'static str,
    /// The records that it is based on.
    pub evidence: Evidence,
}

/// The records of a snapshot that a finding is based on.
#[derive(Debug, Clone, Default, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "read", derive(serde::Deserialize, serde::Serialize), serde(default))]
#[non_exhaustive]
pub struct Evidence {
    /// Sites, most important first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sites: Vec<SiteIndex>,
    /// Nodes, most important first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<NodeIndex>,
    /// Tasks, by id; at most 32.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<TaskId>,
    /// Number of all tasks, if `tasks` leaves out some of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all_tasks: Option<usize>,
    /// Resources, most important first; at most 32.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<ResourceId>,
    /// The position, in the list that [`Snapshot::verdicts`](crate::Snapshot::verdicts) returns, of
    /// the verdict that the finding reports; `None` if it reports none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<usize>,
}

/// How urgent a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, ToJson)]
#[cfg_attr(feature = "read", derive(serde::Deserialize, serde::Serialize))]
#[serde(rename_all = "lowercase")]
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
    /// Worth knowing when reading the numbers: the recording is incomplete, or the machine is busy.
    Note,
}

/// How many ids of tasks, and of resources, are listed as evidence.
pub(super) const MAX_IDS: usize = 32;

impl Evidence {
    /// Lists the first tasks, and counts them if there are more.
    pub(super) fn set_tasks(&mut self, ids: impl IntoIterator<Item = TaskId>) {
        let mut known = OrderedSet::new();
        self.tasks = ids.into_iter().filter(|id| known.insert(*id)).collect();
        let all = self.tasks.len();
        self.tasks.truncate(MAX_IDS);
        self.all_tasks = (all > MAX_IDS).then_some(all);
    }
}

impl Finding {
    /// Creates a finding without numbers, place and evidence.
    pub(super) fn new(rule: Rule, severity: Severity, sentence: &str, next: &str) -> Self {
        Self {
            rule,
            severity,
            sentence: printable(sentence),
            place: None,
            explains_ns: 0,
            per_mille: None,
            next: printable(next),
            page: rule.page(),
            evidence: Evidence::default(),
        }
    }
}

/// `sentence. Next: next. (rule)`, on one line.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}. Next: {}. ({})", self.sentence, self.next, self.rule)
    }
}

/// The word in saved files: `stuck`.
impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Stuck => "stuck",
            Self::Slow => "slow",
            Self::Waste => "waste",
            Self::Risk => "risk",
            Self::Note => "note",
        })
    }
}

/// Reads a finding as it was serialized. The page is that of its rule.
#[cfg(feature = "read")]
impl<'de> serde::Deserialize<'de> for Finding {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        #[serde(rename = "Finding")]
        struct Saved {
            rule: Rule,
            severity: Severity,
            sentence: String,
            #[serde(default)]
            place: Option<Place>,
            explains_ns: u64,
            #[serde(default)]
            per_mille: Option<u64>,
            next: String,
            #[serde(default)]
            evidence: Evidence,
        }
        let Saved { rule, severity, sentence, place, explains_ns, per_mille, next, evidence } =
            Saved::deserialize(deserializer)?;
        let page = rule.page();
        Ok(Self { rule, severity, sentence, place, explains_ns, per_mille, next, page, evidence })
    }
}

#[cfg(all(test, feature = "read"))]
mod tests {
    use super::{Finding, Rule, Severity, TaskId};

    #[test]
    fn a_finding_is_read_as_it_was_saved() {
        for rule in Rule::ALL {
            let mut finding = Finding::new(*rule, Severity::Waste, "a sentence", "a step");
            finding.per_mille = Some(7);
            finding.evidence.tasks = vec![TaskId::new(3)];
            let saved = serde_json::to_string(&finding).expect("it is plain data");
            assert_eq!(serde_json::from_str::<Finding>(&saved).expect("it was just saved"), finding);
        }
        for unknown in ["\"nothing\"", "\"stuck.nothing\"", "\"stuck\""] {
            let error = serde_json::from_str::<Rule>(unknown).expect_err("there is no such rule");
            assert!(error.to_string().contains("unknown variant"), "{error}");
        }
    }
}
