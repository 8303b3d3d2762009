//! Finds call paths with long polls in the histograms.
//!
//! A histogram knows only the bucket of each poll. So all polls in the bucket that contains the
//! requested bound count, and those in higher buckets. No longer poll is left out, and reports show
//! the actual bound.
//! ```text
//! buckets        |   43..87 µs   |   87..175 µs   |  175..350 µs  |
//! wanted                             ^ 100 µs
//! counted                         |███████████████████████████████|
//! ```
//! A long poll also makes the polls around it long. A path is listed only if its children do not
//! explain its polls: for some duration, more of its polls reached that duration than polls of all
//! its children reached half of it.

use std::cmp::Reverse;

use crate::analysis::tree::Tree;
use crate::model::{Bucket, Node, Snapshot};
use crate::sort::sort_by_key;

/// The table of long polls.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct LongPolls {
    /// The minimum duration of a counted poll, in ns.
    pub(crate) from_ns: u64,
    /// Rows by total time, descending.
    pub(crate) rows: Vec<LongRow>,
}

/// A call path with long polls.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LongRow {
    /// The index of its node.
    pub(crate) node: usize,
    /// Number of its long polls, including a running poll if it is longer than all finished ones.
    pub(crate) polls: u64,
    /// Its longest poll in ns, a running one included.
    pub(crate) longest_ns: u64,
    /// The minimum total time of those polls in ns, by the lower bounds of their buckets.
    pub(crate) at_least_ns: u64,
}

/// Returns the call paths with polls of about `wanted_ns` or longer that no path below them
/// explains.
pub(crate) fn long_polls(snapshot: &Snapshot, tree: &Tree<'_>, wanted_ns: u64) -> LongPolls {
    let buckets = || snapshot.nodes.iter().flat_map(|node| &node.polls_histogram);
    let around = buckets().filter(|bucket| bucket.from_ns <= wanted_ns && wanted_ns < bucket.to_ns);
    let from_ns = around.map(|bucket| bucket.from_ns).min().unwrap_or(wanted_ns);
    let mut rows = Vec::new();
    for (index, node) in tree.nodes.iter().enumerate() {
        let children = || tree.children[index].iter().map(|&child| &tree.nodes[child]);
        let is_own = |bucket: &Bucket| {
            let below = children().map(|child| reaching(child, bucket.from_ns / 2 + 1));
            reaching(node, bucket.from_ns.saturating_add(1)) > below.fold(0, u64::saturating_add)
        };
        let runs = || {
            let own_ns = node.longest_poll_ns;
            own_ns >= from_ns
                && node.running > 0
                && is_longest_running(node)
                && !children().any(|child| child.running > 0 && child.longest_poll_ns > own_ns / 2)
        };
        if long(node, from_ns).any(is_own) || runs() {
            rows.push(LongRow {
                node: index,
                polls: long(node, from_ns)
                    .map(|bucket| bucket.count)
                    .fold(u64::from(is_longest_running(node)), u64::saturating_add),
                longest_ns: node.longest_poll_ns,
                at_least_ns: at_least(node, from_ns),
            });
        }
    }
    sort_by_key(&mut rows, |row| (Reverse(row.at_least_ns), row.node));
    LongPolls { from_ns, rows }
}

fn long(node: &Node, from_ns: u64) -> impl Iterator<Item = &Bucket> {
    node.polls_histogram.iter().filter(move |bucket| bucket.from_ns >= from_ns)
}

/// The number of polls in buckets that end after `ns`.
fn reaching(node: &Node, ns: u64) -> u64 {
    let reaching = node.polls_histogram.iter().filter(|bucket| bucket.to_ns > ns);
    reaching.map(|bucket| bucket.count).fold(0, u64::saturating_add)
}

fn at_least(node: &Node, from_ns: u64) -> u64 {
    let times = long(node, from_ns).map(|bucket| bucket.from_ns.saturating_mul(bucket.count));
    let sum = times.fold(0_u64, u64::saturating_add);
    // The exact duration of the longest poll is known. A running poll is in no bucket.
    let more = if is_longest_running(node) {
        node.longest_poll_ns
    } else {
        let last = long(node, from_ns).last();
        last.map_or(0, |bucket| node.longest_poll_ns.saturating_sub(bucket.from_ns))
    };
    sum.saturating_add(more).min(node.busy_ns)
}

/// Returns whether the longest poll is longer than every finished one.
fn is_longest_running(node: &Node) -> bool {
    node.polls_histogram.iter().all(|bucket| bucket.to_ns <= node.longest_poll_ns)
}
