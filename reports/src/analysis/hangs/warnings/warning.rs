//! The shared parts of warnings: thresholds, the key of a runtime, and the constructor.

use crate::analysis::hangs::verdict::{Confidence, Link, Verdict, VerdictKind};
use crate::model::Task;

/// The minimum length of a poll that counts as long, in ns.
pub(crate) const LONG_POLL_NS: u64 = 500_000_000;
/// The minimum age of a suspicion, in ns.
pub(crate) const SUSPECT_NS: u64 = 1_000_000_000;

/// The name and number of a runtime.
pub(crate) type RuntimeKey<'a> = (&'a str, u64);

/// Creates a root-cause verdict without victims.
pub(crate) fn warning(
    kind: VerdictKind,
    confidence: Confidence,
    chain: Vec<Link>,
    sentence: String,
) -> Verdict {
    Verdict {
        kind,
        detail: None,
        confidence,
        root_cause: true,
        chain,
        sentence,
        victims: Vec::new(),
        behind: None,
    }
}

/// The runtime of a task.
pub(crate) fn runtime_key(task: &Task) -> RuntimeKey<'_> {
    (&task.runtime, task.runtime_number)
}
