//! The difference of two snapshots of one process: what was recorded between them.
//!
//! ```text
//! earlier   handle 10 calls                   later   handle 14 calls
//!           └─ read 10 calls                          ├─ read 13 calls
//!                                                     └─ write 2 calls
//! later since earlier   handle 4 calls
//!                       ├─ read 3 calls
//!                       └─ write 2 calls
//! ```
//! Counters and times of call paths are subtracted. Tasks, resources and waits are those of the
//! later snapshot, because they are a state, not a sum. Paths are matched by their sites, because
//! new paths change the positions of others. If the recorder has replaced a label in the meantime,
//! the sums of that label are in `[other]`.

use std::collections::HashMap;

use crate::model::{Alarm, Bucket, Durations, Node, NodeIndex, Site, Snapshot};
use crate::names::OTHER;
use crate::ordered::OrderedMap;

/// The allowed difference of the two clocks: this many ms, plus one part in [`CLOCK_SHARE`] of the
/// time between the captures. The wall clock is read in whole ms, and is corrected while the
/// program runs.
const CLOCK_SLACK_MS: u64 = 10;
const CLOCK_SHARE: u64 = 1_000;

/// Identifies a path: the index of its parent, the number of its site, and its label.
type PathKey<'a> = (Option<usize>, usize, Option<&'a str>);

impl Snapshot {
    /// Returns what was recorded after `earlier`, a snapshot of the same process, up to this one.
    ///
    /// Counters, times and histograms of [`nodes`](Self::nodes) are subtracted, and so are
    /// [`elapsed_ns`](Self::elapsed_ns) and the cost of recording. Paths without new events stay,
    /// with zeros. [`alarms`](Self::alarms) are the alarms that `earlier` does not have, also not
    /// as unresolved ones. [`first_seen_ns`](crate::model::Node::first_seen_ns) and `last_seen_ns`
    /// count from the capture of `earlier`, and are zero before it. Everything else equals this
    /// snapshot.
    ///
    /// A poll or wait that was open in `earlier` counts only from that capture on. The longest poll
    /// is exact if it is longer than any before `earlier`; otherwise it is an upper bound, from its
    /// histogram's bucket, or from the busy time that the others leave to a running poll.
    ///
    /// If `earlier` is of another process, or if the recording was reset in between, the result is
    /// this snapshot.
    ///
    /// # Examples
    /// ```
    /// use diagnose_reports::Snapshot;
    ///
    /// let earlier = Snapshot::default();
    /// let mut later = Snapshot::default();
    /// later.elapsed_ns = 5_000;
    /// assert_eq!(later.since(&earlier).elapsed_ns, 5_000);
    /// assert_eq!(later.since(&later).elapsed_ns, 0);
    /// ```
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let mut between = self.clone();
        if !self.continues(earlier) {
            return between;
        }
        between.elapsed_ns -= earlier.elapsed_ns;
        for node in &mut between.nodes {
            for seen_ns in [&mut node.first_seen_ns, &mut node.last_seen_ns] {
                *seen_ns = seen_ns.saturating_sub(earlier.elapsed_ns);
            }
        }
        for cost in &mut between.costs {
            for before in earlier.costs.iter().filter(|before| before.activity == cost.activity) {
                cost.count = cost.count.saturating_sub(before.count);
                cost.ns = cost.ns.saturating_sub(before.ns);
            }
        }
        // An alarm that has been resolved since then is the same alarm.
        let is_same =
            |a: &Alarm, b: &Alarm| (a.at_unix_ms, a.kind, &a.text) == (b.at_unix_ms, b.kind, &b.text);
        between.alarms.retain(|alarm| !earlier.alarms.iter().any(|before| is_same(before, alarm)));
        for (node, before) in matches(self, earlier) {
            if let (Some(node), Some(before)) = (between.nodes.get_mut(node), earlier.nodes.get(before)) {
                subtract(node, before);
            }
        }
        between
    }

    /// Returns whether this recording began after `earlier` was captured, a snapshot of the same
    /// process. Then the recording was reset, or another process has the same id, as in a restarted
    /// container.
    ///
    /// In that case, the recording is shorter than the time between the two captures. Returns
    /// `false` if the time of the earlier capture is unknown.
    ///
    /// # Examples
    /// ```
    /// use diagnose_reports::Snapshot;
    ///
    /// let mut earlier = Snapshot::default();
    /// earlier.captured_unix_ms = 1_795_000_000_000;
    /// let mut later = earlier.clone();
    /// (later.captured_unix_ms, later.elapsed_ns) = (1_795_000_060_000, 5_000_000_000);
    /// assert!(later.began_after(&earlier), "60 s have passed, of which 5 s are recorded");
    /// later.elapsed_ns = 90_000_000_000;
    /// assert!(!later.began_after(&earlier));
    /// ```
    #[must_use]
    pub fn began_after(&self, earlier: &Self) -> bool {
        let apart_ms = self.captured_unix_ms.saturating_sub(earlier.captured_unix_ms);
        let slack_ms = CLOCK_SLACK_MS + apart_ms / CLOCK_SHARE;
        earlier.captured_unix_ms > 0 && self.elapsed_ns / 1_000_000 + slack_ms < apart_ms
    }

    /// Returns whether `earlier` is from the same recording, and not newer.
    pub(crate) fn continues(&self, earlier: &Self) -> bool {
        self.process.is_same(&earlier.process)
            && earlier.elapsed_ns <= self.elapsed_ns
            && !self.began_after(earlier)
    }
}

/// Returns the paths that both snapshots have, as pairs of node indices: later, earlier.
fn matches(later: &Snapshot, earlier: &Snapshot) -> Vec<(usize, usize)> {
    // The first of equal sites stands for all of them.
    let mut numbers: OrderedMap<&Site, usize> = OrderedMap::new();
    let mut of_later = |site| {
        let next = numbers.len();
        *numbers.entry(site).or_insert(next)
    };
    let known: Vec<usize> = later.sites.iter().map(&mut of_later).collect();
    let before: Vec<usize> = earlier.sites.iter().map(of_later).collect();
    let mut paths: HashMap<PathKey<'_>, usize> = HashMap::with_capacity(later.nodes.len());
    for (number, node) in later.nodes.iter().enumerate() {
        if let Some(site) = known.get(node.site.get()) {
            paths.entry((node.parent.map(NodeIndex::get), *site, node.label.as_deref())).or_insert(number);
        }
    }
    // For each path of `earlier`, the matching path of `later`. Parents come before their children.
    let mut found: Vec<Option<usize>> = Vec::with_capacity(earlier.nodes.len());
    for node in &earlier.nodes {
        let parent = match node.parent {
            None => Some(None),
            Some(parent) => found.get(parent.get()).copied().flatten().map(Some),
        };
        let path = parent.zip(before.get(node.site.get()));
        let find = |label| path.and_then(|(parent, site)| paths.get(&(parent, *site, label)).copied());
        let label = node.label.as_deref();
        // A label that lost its place and got one again counts from zero.
        let goes_on = |found: &usize| later.nodes[*found].calls >= node.calls;
        let replaced = || label.and_then(|_| find(Some(OTHER)));
        found.push(find(label).filter(|found| label.is_none() || goes_on(found)).or_else(replaced));
    }
    found.into_iter().enumerate().filter_map(|(before, later)| later.map(|later| (later, before))).collect()
}

/// Subtracts the counters of an earlier reading. Both readings are taken while the program runs, so
/// a counter that has shrunk becomes zero.
fn subtract(node: &mut Node, before: &Node) {
    let counters = [
        (&mut node.calls, before.calls),
        (&mut node.polls, before.polls),
        (&mut node.completed, before.completed),
        (&mut node.cancelled, before.cancelled),
        (&mut node.panicked, before.panicked),
        (&mut node.never_polled, before.never_polled),
        (&mut node.busy_ns, before.busy_ns),
        (&mut node.nested_ns, before.nested_ns),
        (&mut node.idle_ns, before.idle_ns),
        (&mut node.self_idle_ns, before.self_idle_ns),
        (&mut node.queued_ns, before.queued_ns),
        (&mut node.wall_ns, before.wall_ns),
        (&mut node.unpolled_ns, before.unpolled_ns),
    ];
    for (counter, before) in counters {
        *counter = counter.saturating_sub(before);
    }
    // The start of calls that were open in `earlier` is not counted here.
    let ends = [node.completed, node.cancelled, node.panicked, node.pending, node.running];
    let ends = ends.into_iter().fold(0_u64, u64::saturating_add);
    node.unsettled = signed(node.calls).saturating_sub(signed(ends));
    subtract_buckets(&mut node.polls_histogram, &before.polls_histogram);
    let bound = node.polls_histogram.last().map_or(0, |bucket| bucket.to_ns);
    // A running poll is counted, and is in no bucket. It takes at most what the others leave.
    let ended = |bucket: &Bucket| bucket.count.saturating_mul(bucket.from_ns);
    let ended_ns = node.polls_histogram.iter().map(ended).fold(0, u64::saturating_add);
    let running_ns = (node.running > 0).then(|| node.busy_ns.saturating_sub(ended_ns));
    let count = node.polls.max(node.running);
    node.longest_poll_ns = longest(node.longest_poll_ns, before.longest_poll_ns, count, (bound, running_ns));
    subtract_durations(&mut node.latency.completed, &before.latency.completed);
    subtract_durations(&mut node.latency.cancelled, &before.latency.cancelled);
}

fn subtract_durations(durations: &mut Durations, before: &Durations) {
    subtract_buckets(&mut durations.buckets, &before.buckets);
    let count = durations.buckets.iter().map(|bucket| bucket.count).max().unwrap_or(0);
    let bound = durations.buckets.last().map_or(0, |bucket| bucket.to_ns);
    durations.longest_ns = longest(durations.longest_ns, before.longest_ns, count, (bound, None));
}

/// The longest of the `count` durations since the earlier snapshot. `bound` exceeds all finished
/// durations, and is zero if there are none; one that is running takes at most `running_ns`.
fn longest(now: u64, before: u64, count: u64, (bound, running_ns): (u64, Option<u64>)) -> u64 {
    if count == 0 {
        0
    } else if now > before || bound == 0 && running_ns.is_none() {
        now
    } else {
        // The upper bound of a bucket is exclusive.
        now.min(bound.saturating_sub(1).max(running_ns.unwrap_or(0)))
    }
}

/// Subtracts each earlier bucket from the bucket that contains its middle. The bounds of a bucket
/// may differ between two readings, because the scale from ticks to ns is measured anew.
pub(super) fn subtract_buckets(buckets: &mut Vec<Bucket>, before: &[Bucket]) {
    for earlier in before {
        let middle = earlier.from_ns.midpoint(earlier.to_ns);
        let at = buckets.partition_point(|bucket| bucket.to_ns <= middle);
        if let Some(bucket) = buckets.get_mut(at).filter(|bucket| bucket.from_ns <= middle) {
            bucket.count = bucket.count.saturating_sub(earlier.count);
        }
    }
    buckets.retain(|bucket| bucket.count > 0);
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
