//! The long polls of functions, from the histograms of their nodes.
//!
//! ```text
//! handle      |██ 1 ██|██████ 2 ██████|█ 3 █|    polls: 1 and 2 are long
//!   sign        |█ 1 █|                           a child explains 1, but not 2
//! ```

use super::facts::{Facts, per_mille};
use super::workers::CpuShare;
use crate::model::{Bucket, Node, SiteIndex};

/// The minimum length of a long poll, in ns. A task should reach an await every 10 to 100 µs: other
/// tasks notice a poll of some milliseconds.
pub(super) const LONG_NS: u64 = 2_000_000;
/// The least share of long polls among the polls of a function, in thousandths.
pub(super) const MIN_LONG_POLLS: u64 = 100;
/// The minimum number of calls for long polls to be compared with calls instead of polls.
const MIN_CALLS: u64 = 100;

/// The long polls of one function.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct HogPolls {
    pub(super) polls: u64,
    pub(super) time_ns: u64,
}

impl HogPolls {
    pub(super) fn mean_ns(&self) -> u64 {
        self.time_ns.checked_div(self.polls).unwrap_or(0)
    }

    /// Returns whether they would have been long on an idle machine, even if workers waited for a
    /// CPU in no other polls.
    pub(super) fn are_sure(&self, cpu: &CpuShare) -> bool {
        let least_ns = self.time_ns.saturating_sub(cpu.delayed_in_polls_ns);
        cpu.is_known && least_ns >= self.polls.saturating_mul(LONG_NS)
    }
}

/// The long polls of a node that its children do not explain.
pub(super) fn own_long_polls(facts: &Facts<'_>, node: usize, long_ns: u64) -> HogPolls {
    let own = facts.node(node);
    let polls = reaching(own, long_ns);
    let children = facts.tree.children[node].iter();
    // A child explains a poll of which it takes half.
    let explained = children.map(|&child| reaching(facts.node(child), long_ns / 2));
    let unexplained = polls.saturating_sub(explained.fold(0, u64::saturating_add));
    if unexplained == 0 {
        return HogPolls::default();
    }
    let long = own.polls_histogram.iter().filter(|bucket| is_long(own, bucket, long_ns));
    // A duration lies anywhere in its bucket, on average at three quarters of its upper end.
    let time =
        long.map(|bucket| u128::from(bucket.from_ns / 2 + bucket.to_ns / 2) * u128::from(bucket.count));
    let time_ns = time.fold(0_u128, u128::saturating_add).saturating_mul(u128::from(unexplained));
    let time_ns = u64::try_from(time_ns / u128::from(polls)).unwrap_or(u64::MAX);
    // The long polls took the part of its own time that the short ones cannot have taken.
    let self_busy_ns = facts.tree.self_busy_ns[node];
    let least_ns =
        if unexplained == polls { self_busy_ns.saturating_sub(shorter_ns(own, long_ns)) } else { 0 };
    HogPolls { polls: unexplained, time_ns: time_ns.clamp(least_ns, self_busy_ns) }
}

/// The greatest time that polls shorter than `ns` can have taken, in ns.
fn shorter_ns(node: &Node, ns: u64) -> u64 {
    let short = node.polls_histogram.iter().filter(|bucket| !is_long(node, bucket, ns));
    short.map(|bucket| bucket.to_ns.saturating_mul(bucket.count)).fold(0, u64::saturating_add)
}

/// The number of polls that took at least `ns`.
fn reaching(node: &Node, ns: u64) -> u64 {
    let long = node.polls_histogram.iter().filter(|bucket| is_long(node, bucket, ns));
    long.map(|bucket| bucket.count).fold(0, u64::saturating_add)
}

/// Returns whether the polls of a bucket took `ns` or more. The bucket that contains `ns` counts if
/// its mean is at least `ns`, estimated with all other polls in the middle of their buckets.
fn is_long(node: &Node, bucket: &Bucket, ns: u64) -> bool {
    let middle_ns = |other: &Bucket| {
        let to_ns = other.to_ns.min(node.longest_poll_ns);
        (other.from_ns / 2 + to_ns / 2).saturating_mul(other.count)
    };
    // Only for the bucket around `ns`.
    let mean_ns = || {
        let others = node.polls_histogram.iter().filter(|other| other.from_ns != bucket.from_ns);
        let others_ns = others.map(middle_ns).fold(0, u64::saturating_add);
        node.busy_ns.saturating_sub(others_ns).checked_div(bucket.count).unwrap_or(0)
    };
    bucket.from_ns >= ns || bucket.to_ns > ns && mean_ns() >= ns
}

/// The number of polls of a function that work is expected in. An await adds polls without work, so
/// the calls count in a function that is called often.
pub(super) fn working_polls(facts: &Facts<'_>, site: SiteIndex) -> u64 {
    let (polls, calls) = (facts.sum(site, |node| node.polls), facts.totals(site).calls);
    if calls >= MIN_CALLS { polls.min(calls) } else { polls }
}

/// The time in long polls, in ns, of other functions that have such polls rarely: where the CPU
/// times of the workers are unknown, these tell how busy the machine is.
pub(super) fn rare_long_ns(facts: &Facts<'_>, but: SiteIndex) -> u64 {
    let mut by_site = vec![HogPolls::default(); facts.snapshot.sites.len()];
    for node in (0..facts.tree.nodes.len()).filter(|&node| facts.is_in_task(node)) {
        let Some(long) = by_site.get_mut(facts.node(node).site.get()) else { continue };
        let own = own_long_polls(facts, node, LONG_NS);
        long.polls = long.polls.saturating_add(own.polls);
        long.time_ns = long.time_ns.saturating_add(own.time_ns);
    }
    let sites = by_site.iter().enumerate().map(|(site, long)| (SiteIndex::new(site), long));
    let is_rare = |&(site, long): &(SiteIndex, &HogPolls)| {
        site != but && per_mille(long.polls, working_polls(facts, site)) < MIN_LONG_POLLS
    };
    sites.filter(is_rare).map(|(_, long)| long.time_ns).fold(0, u64::saturating_add)
}
