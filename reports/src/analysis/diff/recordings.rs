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
use crate::ordered::{OrderedMap, OrderedSet};
use crate::sort::sort_by_key;

/// The identity of a function across snapshots: its site without the line, which changes with
/// edits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FunctionKey {
    pub(super) name: String,
    pub(super) module: String,
    pub(super) file: String,
    kind: SiteKind,
    /// The number of the site among its namesakes in the file, in order of place, from 0. See
    /// [`ordinals`].
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

/// A part of a process's life, with its totals: by site, and then by function.
#[derive(Debug, Clone)]
pub(super) struct Recording<Key = FunctionKey> {
    pub(super) process: String,
    pub(super) elapsed_ns: u64,
    /// The time of its end, in ms since 1970 in UTC; 0 if unknown.
    pub(super) captured_unix_ms: u64,
    /// Whether the recorder has dropped calls.
    pub(super) is_incomplete: bool,
    pub(super) functions: OrderedMap<Key, Totals>,
}

/// The recordings of a side, in the order of its snapshots. Of several equal snapshots, only the
/// first counts.
pub(super) fn recordings(side: &[Snapshot], other_side: &[Snapshot]) -> Vec<Recording> {
    let snapshots: Vec<&Snapshot> = side.iter().chain(other_side).collect();
    let all: Vec<Recording<Site>> = snapshots.iter().map(|snapshot| Recording::new(snapshot)).collect();
    let (own, other) = all.split_at(side.len());
    let builds: OrderedSet<&str> = snapshots.iter().map(|it| &it.process.build[..]).collect();
    let is_one_build = builds.len() == 1 && !builds.contains("");
    let ordinals = ordinals(&sites(own), &sites(other), is_one_build);
    let in_time = parts(side.len(), &all, &snapshots);
    in_time.into_iter().map(|recording| recording.by_function(&ordinals)).collect()
}

/// The first `count` recordings, each from the end of the previous one of its process, by site.
fn parts(count: usize, all: &[Recording<Site>], snapshots: &[&Snapshot]) -> Vec<Recording<Site>> {
    let mut found = Vec::new();
    for (index, recording) in all.iter().take(count).enumerate() {
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
    let all: Vec<Recording<Site>> = snapshots.iter().map(Recording::new).collect();
    let is_before = |index: usize, other: usize| {
        let (earlier, later) = (&snapshots[index], &snapshots[other]);
        earlier.process.is_same(&later.process)
            && (earlier.elapsed_ns, index) < (later.elapsed_ns, other)
            && all[other].continues(&all[index])
    };
    (0..all.len()).map(|index| (0..all.len()).any(|other| is_before(index, other))).collect()
}

impl Recording<Site> {
    fn new(snapshot: &Snapshot) -> Self {
        let snapshot = &functions(snapshot);
        let tree = Tree::new(snapshot);
        let mut functions = OrderedMap::<Site, Totals>::new();
        for (index, node) in snapshot.nodes.iter().enumerate() {
            let Some(site) = snapshot.site(node.site).filter(|site| site.kind != SiteKind::Other) else {
                continue;
            };
            let totals = functions.entry(site.clone()).or_insert_with(|| Totals {
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

    /// Names the functions by keys that other recordings have, too.
    fn by_function(self, ordinals: &OrderedMap<&Site, usize>) -> Recording {
        let Self { process, elapsed_ns, captured_unix_ms, is_incomplete, functions } = self;
        let key = |site: &Site| FunctionKey::new(site, ordinals.get(&site).copied().unwrap_or(0));
        let functions = functions.into_iter().map(|(site, totals)| (key(&site), totals)).collect();
        Recording { process, elapsed_ns, captured_unix_ms, is_incomplete, functions }
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

/// The sites of all functions of these recordings.
fn sites(recordings: &[Recording<Site>]) -> OrderedSet<&Site> {
    recordings.iter().flat_map(|recording| recording.functions.keys()).collect()
}

/// The ordinals of a side's sites.
///
/// A snapshot has only the sites that its process has reached. So all sites of a side are numbered
/// together. If one side has all namesakes of the other, at the same places, they seem to be of the
/// same build, and both are numbered together, as are those of one named build:
/// ```text
/// old  {block} line 10, 50     new  {block} line 50         line 50 has number 1 on both sides
/// old  {block} line 10, 50     new  {block} line 12, 52     numbers 0 and 1 on each side
/// ```
fn ordinals<'a>(
    own: &OrderedSet<&'a Site>,
    other: &OrderedSet<&'a Site>,
    is_one_build: bool,
) -> OrderedMap<&'a Site, usize> {
    let mut namesakes = OrderedMap::<FunctionKey, [Vec<&Site>; 2]>::new();
    for (side, sites) in [own, other].into_iter().enumerate() {
        for site in sites {
            namesakes.entry(FunctionKey::new(site, 0)).or_default()[side].push(site);
        }
    }
    let mut ordinals = Vec::new();
    for [mut sites, others] in namesakes.into_values() {
        let [is_in_own, is_in_other] =
            [(&others, own), (&sites, other)].map(|(sites, all)| sites.iter().all(|site| all.contains(site)));
        if is_one_build || is_in_own || is_in_other {
            sites.extend(others.into_iter().filter(|site| !own.contains(site)));
        }
        sort_by_key(&mut sites, |site| &site.place);
        ordinals.extend(sites.into_iter().zip(0..));
    }
    ordinals.into_iter().collect()
}

impl FunctionKey {
    fn new(site: &Site, ordinal: usize) -> Self {
        Self {
            name: site.name.clone(),
            module: site.module.clone(),
            file: site.place.file.as_str().to_owned(),
            kind: site.kind,
            ordinal,
        }
    }
}

/// Adds with saturation, because a saved snapshot may contain any number.
fn add(sum: &mut u64, value: u64) {
    *sum = sum.saturating_add(value);
}
