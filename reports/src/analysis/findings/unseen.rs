//! Whether calls may wait for a thread although no wait is on record.
//!
//! ```text
//! poll of a task   |████████ sign ████████|
//! its worker             a request arrives, or a timer is due: seen at the next park
//! ```
//! A thread that polls sees neither, so a request waits without a record. But nobody waits for the
//! turn of a loop, and a task that is alone waits for no other.

use super::facts::Facts;
use super::hog::roots_of;
use super::saturated::answers_requests;
use crate::model::SiteIndex;

/// How many calls of a task's function may wait for each other, or show that more will come.
const MIN_CALLS: u64 = 2;

/// Returns whether some call may wait for the thread while this function has it: a request, another
/// call of the function's own tasks, or a task that is not on record.
pub(super) fn may_wait(facts: &Facts<'_>, site: SiteIndex) -> bool {
    let snapshot = facts.snapshot;
    let own = roots_of(facts, site);
    let are_several = |&root: &SiteIndex| facts.totals(root).calls >= MIN_CALLS;
    let roots = || facts.tree.roots.iter().copied().filter(|&root| facts.is_in_task(root));
    snapshot.unrecorded_tasks > 0
        || snapshot.runtimes.is_empty()
        || own.iter().any(are_several)
        || overlap(facts, site, own.iter().map(|&root| facts.wall_ns(root)).fold(0, u64::saturating_add))
        || roots().any(|root| {
            let site = facts.node(root).site;
            are_several(&site) && facts.has_ends(site) || answers_requests(facts, root)
        })
}

/// Returns whether calls of the function, or of one that calls it, are side by side in their tasks.
fn overlap(facts: &Facts<'_>, site: SiteIndex, tasks_ns: u64) -> bool {
    let mut around = facts.nodes_of_site(site).iter().flat_map(|&node| facts.functions(node));
    around.any(|node| facts.wall_ns(facts.node(node).site) > tasks_ns)
}
