//! Remedies: the change that prevents a hang, as one clause per kind.
//!
//! `docs/verdicts.md` has a section per kind with the same clause, a minimal program and the
//! reasons.

use super::types::{Link, LinkNode, LinkRole, Verdict, VerdictDetail, VerdictKind};

impl Verdict {
    /// The change that prevents the hang, as a clause in the imperative: `acquire them in the same
    /// order everywhere`.
    ///
    /// It depends on the kind, its detail, and on what the tasks in the chain hold and wait for.
    #[must_use]
    pub fn remedy(&self) -> &'static str {
        let is_held = |link: &&Link| matches!(link.role, LinkRole::Holds | LinkRole::Granted);
        let held = self.chain.iter().filter(is_held).count();
        let has_resource = self.chain.iter().any(|link| link.node == LinkNode::Resource);
        remedy(self.kind, self.detail, held, has_resource)
    }
}

/// `held` is the number of guards and permits in the chain.
fn remedy(kind: VerdictKind, detail: Option<VerdictDetail>, held: usize, has_resource: bool) -> &'static str {
    match (kind, detail) {
        (VerdictKind::Cycle, Some(VerdictDetail::Knot)) => {
            "acquire all permits in one call, or release the held ones before waiting for more"
        }
        (VerdictKind::Cycle, Some(VerdictDetail::ViaQueue)) => {
            "do not acquire a lock again while holding it: pass the guard on, or drop it first"
        }
        (VerdictKind::Cycle, None) if held == 0 => {
            "drop or use the channel end before this await, or wait in a task of its own"
        }
        (VerdictKind::Cycle, None) if held == 1 => {
            "release the guard or permit before waiting for the other task"
        }
        (VerdictKind::Cycle, _) => {
            "acquire locks in the same order everywhere, or release one before waiting for the other"
        }
        (VerdictKind::SelfWait, _) => {
            "release it before this await, or pass on the guard or result that the task already has"
        }
        (VerdictKind::Futurelock, Some(VerdictDetail::Unpolled)) => {
            "receive in another task, or together with this await; or receive before the channel is full"
        }
        (VerdictKind::Futurelock, _) => "drop or finish that future before this await",
        (VerdictKind::Starved, _) if held > 0 => {
            "release the guard before this await, and annotate the code that acquires it"
        }
        (VerdictKind::Starved, _) if !has_resource => {
            "import the channel, lock or token through `diagnose`, to see what it waits for"
        }
        (VerdictKind::Starved, _) => {
            "keep the tasks alive that must arrive or notify, or close the resource when they end"
        }
        (VerdictKind::Leak, _) => {
            "drop the guard or sender on every path, and do not keep a spare sender in scope"
        }
        (VerdictKind::LostWaker, _) => "store a clone of the waker before returning Pending, and wake it",
        (VerdictKind::MissedNotify, _) => {
            "create `notified()` before checking the condition, or use `notify_one`, which stores a permit"
        }
        (VerdictKind::BlockedWorker, _) => {
            "do not block inside a poll: use an async lock, or move the call to `spawn_blocking`"
        }
        (VerdictKind::PoolExhausted, _) => {
            "do not wait inside blocking work: await from a task, or give such work threads of its own"
        }
        (VerdictKind::DriverStarved, Some(VerdictDetail::Undriven)) => {
            "await the task inside `LocalSet::run_until`, or in a `block_on` of its runtime"
        }
        (VerdictKind::DriverStarved, _) => "free the thread that drives the timers: it is busy or blocked",
        (VerdictKind::Spin, _) => "yield inside the loop, or move it to `spawn_blocking`",
        (VerdictKind::Shutdown, _) => "signal the blocking work to end first, or use `shutdown_timeout`",
        (VerdictKind::Hazard, _) => "drop that future, or poll it while its task waits elsewhere",
    }
}

#[cfg(test)]
mod tests {
    use super::{VerdictDetail, VerdictKind, remedy};

    #[test]
    fn the_document_has_a_section_for_each_kind_with_its_remedies() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/verdicts.md");
        let document = std::fs::read_to_string(path).unwrap();
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        for &kind in VerdictKind::ALL {
            let start = format!("## {kind}\n");
            let section = document.split_once(&start).unwrap_or_else(|| panic!("no section for {kind}")).1;
            let section = words(section.split("\n## ").next().unwrap());
            for part in ["```rust", "**Fix:**", "**How sure:**"] {
                assert!(section.contains(part), "{kind} without {part}");
            }
            let details = VerdictDetail::ALL.iter().copied().map(Some).chain([None]);
            let shapes = || (0..3).flat_map(|held| [(held, true), (held, false)]);
            for detail in details {
                for text in shapes().map(|(held, has_resource)| remedy(kind, detail, held, has_resource)) {
                    assert!(section.contains(text), "{kind}: {text}");
                }
            }
        }
    }

    #[test]
    fn a_remedy_is_one_clause() {
        for &kind in VerdictKind::ALL {
            for (held, has_resource) in [(0, false), (1, true), (2, true)] {
                let text = remedy(kind, None, held, has_resource);
                assert!(!text.ends_with('.') && text.split(' ').count() <= 25, "{text}");
            }
        }
    }
}
