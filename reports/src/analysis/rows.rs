//! The table by function: the totals of all call paths of a site.
//!
//! Counters and self times are plain sums, but cumulative times are not. If a site occurs several
//! times on a path, the time of the outer span contains that of the inner one, so only the
//! outermost occurrence counts.
//! ```text
//! walk          busy 10    adds 10
//! └─ walk       busy 6     already included
//!    └─ stat    busy 2     adds 2 to another row
//! ```

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use crate::analysis::latency::{LatencyQuantiles, has_latency, in_flight, mean_concurrency};
use crate::analysis::quantile::Histogram;
use crate::analysis::tree::Tree;
use crate::model::{Latency, Node, SiteIndex, SiteKind, Snapshot};
use crate::names::Names;
use crate::ordered::OrderedMap;
use crate::sort::sort_by;

/// One line of the table by function.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Row {
    /// The site's name, unambiguous within the snapshot and equal in all reports.
    pub name: String,
    /// Its site.
    pub site: SiteIndex,
    /// Spans that were polled at least once.
    pub calls: u64,
    /// Polls, including running ones.
    pub polls: u64,
    /// Spans that returned `Ready`.
    pub completed: u64,
    /// Spans that were dropped while pending.
    pub cancelled: u64,
    /// Spans that panicked in a poll.
    pub panicked: u64,
    /// Spans that were dropped without a poll.
    pub never_polled: u64,
    /// Spans that were pending at the capture.
    pub pending: u64,
    /// Polls that were running at the capture.
    pub running: u64,
    /// Time inside `poll` in ns, without annotated callees.
    pub self_busy_ns: u64,
    /// Time inside `poll` in ns, with annotated callees.
    pub busy_ns: u64,
    /// Waits in ns during which no annotated callee was pending.
    pub self_idle_ns: u64,
    /// Waits in ns, with those of annotated callees.
    pub idle_ns: u64,
    /// Time from wakes to polls in ns, of tasks.
    pub queued_ns: u64,
    /// Busy and idle time in ns of all callers. A caller inside another is part of that. 0 for a
    /// function that only un-annotated code calls.
    pub callers_ns: u64,
    /// Busy and idle time in ns of the calls from these callers.
    pub called_ns: u64,
    /// Time from construction to the first poll, in ns.
    pub unpolled_ns: u64,
    /// The median of the finished polls in ns, estimated from the histogram; `None` without any.
    pub p50_poll_ns: Option<u64>,
    /// The 99th percentile of the finished polls in ns, estimated from the histogram; `None`
    /// without any.
    pub p99_poll_ns: Option<u64>,
    /// The longest poll in ns, a running one included.
    pub longest_poll_ns: u64,
    /// Latency of the calls that returned.
    pub completed_latency: LatencyQuantiles,
    /// Latency of the calls that were dropped while pending.
    pub cancelled_latency: LatencyQuantiles,
    /// ns that calls were in flight, summed over all calls, recursive ones included; 0 for awaits.
    pub in_flight_ns: u64,
}

impl Row {
    /// The mean number of calls in flight at once during `elapsed_ns`, by Little's law; 0 if no
    /// time has passed.
    #[must_use]
    pub fn mean_concurrency(&self, elapsed_ns: u64) -> f64 {
        mean_concurrency(self.in_flight_ns, elapsed_ns)
    }
}

/// Adds up the snapshot by site, sorted by self busy, then self idle (both descending), then name.
///
/// # Examples
/// ```
/// use diagnose_reports::{Snapshot, rows};
///
/// for row in rows(&Snapshot::default()) {
///     println!("{} was polled {} times", row.name, row.polls);
/// }
/// ```
#[must_use]
pub fn rows(snapshot: &Snapshot) -> Vec<Row> {
    let tree = Tree::new(snapshot);
    let names = Names::new(snapshot);
    // Each node looks up a key. Boxed values keep the keys close together in memory.
    let mut by_site = OrderedMap::<SiteIndex, Box<(Row, Histogram, Latency)>>::new();
    let mut callers = Callers::new(snapshot, &tree);
    let is_outermost = tree.outermost(|node| node.site);
    for (index, node) in tree.nodes.iter().enumerate() {
        let (row, histogram, latency) = &mut **by_site.entry(node.site).or_default();
        add_counters(row, node);
        add(&mut row.self_busy_ns, tree.self_busy_ns[index]);
        if is_outermost[index] {
            add(&mut row.busy_ns, node.busy_ns);
            add(&mut row.idle_ns, node.idle_ns);
            if callers.note(index, node.site) {
                add(&mut row.called_ns, node.busy_ns.saturating_add(node.idle_ns));
            }
        }
        histogram.merge(&node.polls_histogram);
        if has_latency(snapshot, node) {
            latency.merge(&node.latency);
            add(&mut row.in_flight_ns, in_flight(node));
        }
    }
    callers.add_times(&tree, |site, ns| {
        if let Some(sums) = by_site.get_mut(&site) {
            add(&mut sums.0.callers_ns, ns);
        }
    });
    let finish = |(site, sums): (SiteIndex, Box<(Row, Histogram, Latency)>)| {
        let (row, histogram, latency) = *sums;
        Row {
            name: names.frame(site).to_owned(),
            site,
            p50_poll_ns: histogram.quantile(500, row.longest_poll_ns),
            p99_poll_ns: histogram.quantile(990, row.longest_poll_ns),
            completed_latency: latency.completed.quantiles(),
            cancelled_latency: latency.cancelled.quantiles(),
            ..row
        }
    };
    let mut rows: Vec<Row> = by_site.into_iter().map(finish).collect();
    sort_by(&mut rows, |a, b| {
        let key = |row: &Row| (Reverse(row.self_busy_ns), Reverse(row.self_idle_ns));
        key(a).cmp(&key(b)).then_with(|| a.name.cmp(&b.name))
    });
    rows
}

/// The callers of each function, by node. An await is no caller: the function around it is.
struct Callers {
    /// By node: the nearest node above that is not an await.
    above: Vec<Option<usize>>,
    /// By node: the functions that it calls.
    called: Vec<Vec<SiteIndex>>,
    known: HashSet<(usize, SiteIndex)>,
}

impl Callers {
    fn new(snapshot: &Snapshot, tree: &Tree<'_>) -> Self {
        let is_await = |node: usize| {
            snapshot.site(tree.nodes[node].site).is_some_and(|site| site.kind == SiteKind::Await)
        };
        let above = tree.inherit(|index, above: Option<Option<usize>>| {
            let parent = tree.ancestors(index).next()?;
            if is_await(parent) { above.flatten() } else { Some(parent) }
        });
        Self { called: vec![Vec::new(); above.len()], above, known: HashSet::new() }
    }

    /// Notes the caller of a node of `site`. Returns whether it has one.
    fn note(&mut self, index: usize, site: SiteIndex) -> bool {
        let Some(caller) = self.above[index] else { return false };
        if self.known.insert((caller, site)) {
            self.called[caller].push(site);
        }
        true
    }

    /// Calls `add` with the busy and idle time of each caller of each function. A caller inside
    /// another caller of the same function is part of that.
    fn add_times(&self, tree: &Tree<'_>, mut add: impl FnMut(SiteIndex, u64)) {
        let mut open = HashMap::<SiteIndex, usize>::new();
        let mut steps: Vec<(usize, bool)> = tree.roots.iter().map(|&root| (root, false)).collect();
        while let Some((index, is_left)) = steps.pop() {
            for &site in &self.called[index] {
                let depth = open.entry(site).or_default();
                if is_left {
                    *depth -= 1;
                    continue;
                }
                if *depth == 0 {
                    let caller = &tree.nodes[index];
                    add(site, caller.busy_ns.saturating_add(caller.idle_ns));
                }
                *depth += 1;
            }
            if !is_left {
                steps.push((index, true));
                steps.extend(tree.children[index].iter().map(|&child| (child, false)));
            }
        }
    }
}

/// Adds the counters that are plain sums.
fn add_counters(row: &mut Row, node: &Node) {
    add(&mut row.calls, node.calls);
    add(&mut row.polls, node.polls);
    add(&mut row.completed, node.completed);
    add(&mut row.cancelled, node.cancelled);
    add(&mut row.panicked, node.panicked);
    add(&mut row.never_polled, node.never_polled);
    add(&mut row.pending, node.pending);
    add(&mut row.running, node.running);
    add(&mut row.self_idle_ns, node.self_idle_ns);
    add(&mut row.unpolled_ns, node.unpolled_ns);
    add(&mut row.queued_ns, node.queued_ns);
    row.longest_poll_ns = row.longest_poll_ns.max(node.longest_poll_ns);
}

/// Adds with saturation, because a saved snapshot may contain any number.
fn add(sum: &mut u64, value: u64) {
    *sum = sum.saturating_add(value);
}
