//! What is seen without a proof: timers that nobody drives, polls that do not end, futures that nobody polls.

use std::collections::BTreeSet;

use super::facts::Facts;
use super::verdict::Verdict;

/// What may hang, apart from the tasks that are known to be stuck.
pub(super) fn remarks(_facts: &Facts<'_>, _stuck: &BTreeSet<usize>) -> Vec<Verdict> {
    Vec::new()
}
