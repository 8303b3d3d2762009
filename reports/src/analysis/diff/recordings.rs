//! Splits snapshots into recordings, each with its totals by function.
//!
//! A later snapshot of a process contains the earlier ones. So each snapshot counts from the
//! previous one of its process, on either side:
//! ```text
//! process 7   |=====|          snapshot 1   ──▶  recording 1: start to snapshot 1
//!             |==========|     snapshot 2   ──▶  recording 2: snapshot 1 to snapshot 2
//! process 8   |======|         snapshot 3   ──▶  recording 3
//! ```

use crate::analysis::hide::functions;
use crate::analysis::since::subtract_buckets;
use crate::analysis::tree::Tree;
use crate::model::{Durations, Place, Site, SiteKind, Snapshot};
use crate::ordered::OrderedMap;
use crate::sort::sort_by_key;

/// The identity of a function across snapshots: its site without the line, which changes with
/// edits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FunctionKey {
    pub(super) name: String,
    pub(super) module: String,
    pub(super) file: String,
    kind: SiteKind,
    /// The number of the site among the sites of the file with the same name, in order of place,
    /// from 0.
    pub(super) ordinal: usize,
}

/// The totals of a function in a recording.
#[derive(Debug, Clone, Default)]
pub(super) struct Totals {
    pub(super) place: Place,
    pub(super) calls: u64,
    /// Calls that have ended, in any way.
    pub(super) ended: u64,
    pub(super) self_busy_ns: u64,
    pub(super) self_idle_ns: u64,
    /// Latency of completed calls.
    pub(super) completed: Durations,
    /// ns from the start of the process's recording to the first poll of the function.
    first_seen_ns: u64,
}

/// A part of a process's life, with its totals.
#[derive(Debug, Clone, Default)]
pub(super) struct Recording {
    pub(super) process: String,
    pub(super) elapsed_ns: u64,
    /// The time of its end, in ms since 1970 in UTC; 0 if unknown.
    pub(super) captured_unix_ms: u64,
    /// Whether the recorder has dropped calls.
    pub(super) is_incomplete: bool,
    pub(super) functions: OrderedMap<FunctionKey, Totals>,
}

/// The recordings of a side, in the order of its snapshots. Of several equal snapshots, only the
/// first counts.
pub(super) fn recordings(side: &[Snapshot], other_side: &[Snapshot]) -> Vec<Recording> {
    let snapshots: Vec<&Snapshot> = side.iter().chain(other_side).collect();
    let all: Vec<Recording> = snapshots.iter().map(|snapshot| Recording::new(snapshot)).collect();
    let mut found = Vec::new();
    for (index, recording) in all.iter().take(side.len()).enumerate() {
        // An equal snapshot of the other side has a higher index, so it does not count as earlier.
        let earlier = all.iter().enumerate().filter(|(other, earlier)| {
            let is_before = (earlier.elapsed_ns, *other) < (recording.elapsed_ns, index);
            let is_same = snapshots[*other].process.is_same(&snapshots[index].process);
            is_before && is_same && recording.continues(earlier)
        });
        match earlier.max_by_key(|(other, earlier)| (earlier.elapsed_ns, *other)) {
            None => found.push(recording.clone()),
            Some((_, earlier)) if earlier.elapsed_ns < recording.elapsed_ns => {
                found.push(recording.since(earlier));
            }
            Some(_) => {}
        }
    }
    found
}

/// For each snapshot, whether another snapshot of its process contains it. Of several equal
/// snapshots, only the last is not contained.
pub(crate) fn is_continued(snapshots: &[Snapshot]) -> Vec<bool> {
    let all: Vec<Recording> = snapshots.iter().map(Recording::new).collect();
    let is_before = |index: usize, other: usize| {
        let (earlier, later) = (&snapshots[index], &snapshots[other]);
        earlier.process.is_same(&later.process)
            && (earlier.elapsed_ns, index) < (later.elapsed_ns, other)
            && all[other].continues(&all[index])
    };
    (0..all.len()).map(|index| (0..all.len()).any(|other| is_before(index, other))).collect()
}

impl Recording {
    fn new(snapshot: &Snapshot) -> Self {
        let snapshot = &functions(snapshot);
        let keys = keys(&snapshot.sites);
        let tree = Tree::new(snapshot);
        let mut functions = OrderedMap::<FunctionKey, Totals>::new();
        for (index, node) in snapshot.nodes.iter().enumerate() {
            let Some(site) = snapshot.site(node.site).filter(|site| site.kind != SiteKind::Other) else {
                continue;
            };
            let totals = functions.entry(keys[node.site.get()].clone()).or_insert_with(|| Totals {
                place: site.place.clone(),
                first_seen_ns: u64::MAX,
                ..Totals::default()
            });
            let ended = node.completed.saturating_add(node.cancelled).saturating_add(node.panicked);
            add(&mut totals.calls, node.calls);
            add(&mut totals.ended, ended);
            add(&mut totals.self_busy_ns, tree.self_busy_ns[index]);
            add(&mut totals.self_idle_ns, node.self_idle_ns);
            totals.completed.merge(&node.latency.completed);
            totals.first_seen_ns = totals.first_seen_ns.min(node.first_seen_ns);
        }
        let dropped = &snapshot.dropped;
        Self {
            process: snapshot.process.name.clone(),
            elapsed_ns: snapshot.elapsed_ns,
            captured_unix_ms: snapshot.captured_unix_ms,
            is_incomplete: dropped.over_nodes > 0 || dropped.over_depth > 0 || dropped.unreadable > 0,
            functions,
        }
    }

    /// Returns whether this recording can contain `earlier`: every function has the same time of
    /// its first poll, and at least as many calls. The times of first polls hardly ever are equal
    /// in two runs of a program.
    fn continues(&self, earlier: &Self) -> bool {
        /// Allows for rounded ticks, and for a clock rate that is later measured more precisely.
        const SLACK_NS: u64 = 1_000;
        !earlier.functions.is_empty()
            && earlier.functions.iter().all(|(key, before)| {
                self.functions.get(key).is_some_and(|totals| {
                    let slack_ns = SLACK_NS + before.first_seen_ns / 10_000;
                    totals.calls >= before.calls
                        && totals.first_seen_ns.abs_diff(before.first_seen_ns) <= slack_ns
                })
            })
    }

    /// The part that was recorded after `earlier`.
    fn since(&self, earlier: &Self) -> Self {
        let mut later = self.clone();
        later.elapsed_ns -= earlier.elapsed_ns;
        for (key, before) in &earlier.functions {
            let Some(totals) = later.functions.get_mut(key) else { continue };
            totals.calls = totals.calls.saturating_sub(before.calls);
            totals.ended = totals.ended.saturating_sub(before.ended);
            totals.self_busy_ns = totals.self_busy_ns.saturating_sub(before.self_busy_ns);
            totals.self_idle_ns = totals.self_idle_ns.saturating_sub(before.self_idle_ns);
            subtract_buckets(&mut totals.completed.buckets, &before.completed.buckets);
        }
        later
    }
}

/// The key of each site, by index.
fn keys(sites: &[Site]) -> Vec<FunctionKey> {
    let mut order: Vec<usize> = (0..sites.len()).collect();
    sort_by_key(&mut order, |&index| &sites[index].place);
    let mut keys: Vec<Option<FunctionKey>> = vec![None; sites.len()];
    let mut numbers = OrderedMap::<FunctionKey, usize>::new();
    for index in order {
        let site = &sites[index];
        let mut key = FunctionKey {
            name: site.name.clone(),
            module: site.module.clone(),
            file: site.place.file.as_str().to_owned(),
            kind: site.kind,
            ordinal: 0,
        };
        let number = numbers.entry(key.clone()).or_default();
        key.ordinal = *number;
        *number += 1;
        keys[index] = Some(key);
    }
    keys.into_iter().flatten().collect()
}

/// Adds with saturation, because a saved snapshot may contain any number.
fn add(sum: &mut u64, value: u64) {
    *sum = sum.saturating_add(value);
}
