//! The rule `blocking` for code that is not on record: workers sleep outside of recorded polls.
//!
//! ```text
//! worker   |·· asleep in middleware ··|█ handle █|·· asleep ··|── parked ──|
//! handle        woken, or due ········|██████████|
//! ```
//! A worker is parked, or on a CPU, or waits for one; the rest is a call that blocks its thread.
//! Nothing says which: middleware, an extractor, a task without annotation. So tasks on record have
//! to wait for a thread because of it.

use super::facts::{Facts, per_mille, percent};
use super::finding::{Finding, Severity};
use super::rule::Rule;
use super::saturated::queue;
use super::workers::CpuShare;
use crate::model::{NodeIndex, Worker};
use crate::units::time;

/// Shorter recordings may be a start-up.
const MIN_ELAPSED_NS: u64 = 5_000_000_000;
/// The least share of the workers' time, and of the time of calls in the queue, in thousandths.
const MIN_SHARE: u64 = 100;
/// The least mean time in the queue because of it. Below it, waits are in the range of a thread
/// switch.
const MIN_QUEUED_NS: u64 = 1_000_000;
/// Tasks must have waited for a tenth of the time for which workers were asleep.
const MIN_PART: u64 = 10;

pub(super) fn find(facts: &Facts<'_>) -> Vec<Finding> {
    let (snapshot, cpu) = (facts.snapshot, CpuShare::new(facts.snapshot));
    let asleep_ns = snapshot.workers.iter().map(asleep_ns).fold(0, u64::saturating_add);
    let listed_ns = snapshot.workers.iter().map(|worker| worker.listed_ns).fold(0, u64::saturating_add);
    let unparked = |worker: &Worker| worker.listed_ns.saturating_sub(worker.parked_ns);
    let unparked_ns = snapshot.workers.iter().map(unparked).fold(0, u64::saturating_add);
    let (share, queue) = (per_mille(asleep_ns, listed_ns), queue(facts));
    // Tasks also wait while workers do something else, or wait for a CPU.
    let because = queue.part(asleep_ns, unparked_ns);
    let waits = because.mean_ns() >= MIN_QUEUED_NS
        && because.share() >= MIN_SHARE
        && because.queued_ns() >= asleep_ns / MIN_PART;
    if snapshot.elapsed_ns < MIN_ELAPSED_NS || !cpu.fits(snapshot) || share < MIN_SHARE || !waits {
        return Vec::new();
    }
    // Code around a handler delays its own requests first.
    let queued = facts.tree.roots.iter().copied().filter(|&root| facts.has_ends(facts.node(root).site));
    let most = queued.max_by_key(|&root| (facts.node(root).queued_ns, std::cmp::Reverse(root)));
    let by = most.map_or_else(String::new, |root| {
        format!(", most of all those of {}", facts.name_and_line(facts.node(root).site))
    });
    let sentence = format!(
        "workers are asleep {} of their time in code that is not on record, and tasks waited {} for a thread{by}",
        percent(share.min(1000)),
        time(queue.queued_ns()),
    );
    let next = "look for a call that blocks its thread, such as `std::thread::sleep`, a lock, a file or a socket of `std`: in \
                middleware, extractors and spawned futures; annotate these to see which one, or use the feature \
                `native-stacks`";
    let mut finding = Finding::new(Rule::Blocking, Severity::Slow, &sentence, next);
    finding.explains_ns = asleep_ns;
    finding.per_mille = Some(share.min(1000));
    finding.evidence.sites = most.map(|root| facts.node(root).site).into_iter().collect();
    finding.evidence.nodes = most.map(NodeIndex::new).into_iter().collect();
    vec![finding]
}

/// For how long a worker was neither parked, nor in a poll on record, nor on a CPU, nor waited for
/// one, at least: some of its CPU time was in these polls.
fn asleep_ns(worker: &Worker) -> u64 {
    let Some((cpu_ns, delayed_ns)) = worker.cpu_ns.zip(worker.delayed_ns) else { return 0 };
    let known_ns = worker.parked_ns.saturating_add(worker.busy_ns);
    worker.listed_ns.saturating_sub(known_ns).saturating_sub(cpu_ns).saturating_sub(delayed_ns)
}
