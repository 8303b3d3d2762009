//! All findings of a snapshot: most urgent first, at most ten.

use std::cmp::Reverse;

use super::finding::{Finding, Severity};
use super::stuck;
use crate::model::Snapshot;

/// How many findings there are at most: as many as fit on one screen.
const MAX_FINDINGS: usize = 10;

impl Snapshot {
    /// What to look at first: what is stuck, then what explains most task time. At most ten;
    /// none for a healthy program. Equal snapshots have equal findings.
    ///
    /// Computed on each call, with [`verdicts`](Self::verdicts) and their cost.
    #[must_use]
    pub fn findings(&self) -> Vec<Finding> {
        find(self, None)
    }

    /// Like [`findings`](Self::findings), with an earlier snapshot of the same process: growth is
    /// measured between the two. An `earlier` snapshot of another process is ignored.
    #[must_use]
    pub fn findings_since(&self, earlier: &Self) -> Vec<Finding> {
        let is_same = self.process == earlier.process && earlier.elapsed_ns < self.elapsed_ns;
        find(self, is_same.then_some(earlier))
    }
}

fn find(snapshot: &Snapshot, _earlier: Option<&Snapshot>) -> Vec<Finding> {
    let mut findings = stuck::find(snapshot);
    // A stable sort: findings that are equal here keep the order of the rules.
    findings.sort_by_key(|finding| {
        let class = match finding.severity {
            Severity::Stuck => 0,
            Severity::Note => 2,
            _ => 1,
        };
        (class, Reverse(finding.explains_ns))
    });
    findings.truncate(MAX_FINDINGS);
    findings
}
