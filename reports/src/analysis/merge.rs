//! Adds up snapshots of several processes, or of several runs, into one.
//!
//! ```text
//! run 1: handle 3 calls     run 2: handle 4 calls     merged: handle 7 calls
//!        └─ read 3                 └─ write 1                 ├─ read 3
//!                                                             └─ write 1
//! ```
//! Two paths are equal if all their sites and labels are equal. The lengths of the recordings are
//! added, too, so a rate is the mean of the processes. Live tasks, waits and resources are left
//! out, because their ids belong to one process, and no verdict follows from several processes.

use crate::analysis::diff::is_continued;
use crate::analysis::hide::{add_counters, depth_first};
use crate::model::{Activity, Cost, Dropped, Node, NodeIndex, Site, SiteIndex, Snapshot, VERSION};
use crate::ordered::{OrderedMap, OrderedSet};
use crate::sort::sort_by;

/// Adds up the counters and times of all snapshots, by call path. Of several snapshots of one
/// process, only the last counts, because it contains the others.
///
/// Tasks, resources and waits are left out. If the names of the processes differ, they are joined
/// with commas. If their process ids differ, the id is 0.
///
/// # Examples
/// ```
/// use diagnose_reports::{Snapshot, merge};
///
/// let mut half = Snapshot::default();
/// half.elapsed_ns = 1_000;
/// half.process.pid = 7;
/// let mut other = half.clone();
/// other.process.pid = 8;
/// let whole = merge(&[half, other]);
/// assert_eq!((whole.elapsed_ns, whole.process.pid), (2_000, 0));
/// ```
#[must_use]
pub fn merge(snapshots: &[Snapshot]) -> Snapshot {
    let is_last = is_continued(snapshots).into_iter().map(|is_continued| !is_continued);
    let snapshots: Vec<&Snapshot> =
        snapshots.iter().zip(is_last).filter(|(_, is_last)| *is_last).map(|(snapshot, _)| snapshot).collect();
    let recordings = snapshots.iter().map(|snapshot| snapshot.merged.max(1)).fold(0, u64::saturating_add);
    let mut merged = Snapshot { version: VERSION, merged: recordings, ..Snapshot::default() };
    head(&mut merged, &snapshots);
    let sites: OrderedSet<&Site> = snapshots.iter().flat_map(|snapshot| &snapshot.sites).collect();
    merged.sites = sites.iter().map(|site| (*site).clone()).collect();
    let numbers: OrderedMap<&Site, SiteIndex> = sites.into_iter().zip((0..).map(SiteIndex::new)).collect();
    let mut known = OrderedMap::<(Option<NodeIndex>, SiteIndex, Option<String>), NodeIndex>::new();
    for snapshot in snapshots {
        add_nodes(&mut merged.nodes, &mut known, snapshot, &numbers);
    }
    depth_first(&mut merged);
    merged
}

/// Merges everything except call paths.
fn head(merged: &mut Snapshot, snapshots: &[&Snapshot]) {
    let texts = |text: fn(&Snapshot) -> &str| {
        let texts: OrderedSet<&str> =
            snapshots.iter().map(|snapshot| text(snapshot)).filter(|it| !it.is_empty()).collect();
        texts.into_iter().collect::<Vec<_>>().join(", ")
    };
    merged.producer = texts(|snapshot| &snapshot.producer);
    merged.process.name = texts(|snapshot| &snapshot.process.name);
    merged.clock.name = texts(|snapshot| &snapshot.clock.name);
    merged.process.host = texts(|snapshot| &snapshot.process.host);
    merged.process.build = texts(|snapshot| &snapshot.process.build);
    let pids: OrderedSet<u32> = snapshots.iter().map(|snapshot| snapshot.process.pid).collect();
    if let [pid] = pids.into_iter().collect::<Vec<_>>()[..] {
        merged.process.pid = pid;
    }
    let mut costs = OrderedMap::<Activity, Cost>::new();
    for snapshot in snapshots {
        add(&mut merged.elapsed_ns, snapshot.elapsed_ns);
        add(&mut merged.clock.jumps, snapshot.clock.jumps);
        merged.captured_unix_ms = merged.captured_unix_ms.max(snapshot.captured_unix_ms);
        merged.enabled |= snapshot.enabled;
        merged.long_poll_ns = merged.long_poll_ns.max(snapshot.long_poll_ns);
        for cost in &snapshot.costs {
            let sum =
                costs.entry(cost.activity).or_insert(Cost { activity: cost.activity, ..Cost::default() });
            add(&mut sum.count, cost.count);
            add(&mut sum.ns, cost.ns);
        }
        add_dropped(&mut merged.dropped, &snapshot.dropped);
        merged.threads.extend(snapshot.threads.iter().cloned());
        merged.alarms.extend(snapshot.alarms.iter().cloned());
    }
    merged.costs = costs.into_values().collect();
    sort_by(&mut merged.threads, |a, b| a.name.cmp(&b.name));
    sort_by(&mut merged.alarms, |a, b| a.at_unix_ms.cmp(&b.at_unix_ms));
}

fn add_dropped(sum: &mut Dropped, dropped: &Dropped) {
    add(&mut sum.over_nodes, dropped.over_nodes);
    add(&mut sum.over_depth, dropped.over_depth);
    add(&mut sum.over_labels, dropped.over_labels);
    add(&mut sum.over_spans, dropped.over_spans);
    add(&mut sum.over_holdings, dropped.over_holdings);
    add(&mut sum.unreadable, dropped.unreadable);
}

/// Adds the nodes of a snapshot. `known` has the merged node of each path so far.
fn add_nodes(
    merged: &mut Vec<Node>,
    known: &mut OrderedMap<(Option<NodeIndex>, SiteIndex, Option<String>), NodeIndex>,
    snapshot: &Snapshot,
    numbers: &OrderedMap<&Site, SiteIndex>,
) {
    // By old index: the merged node; `None` for a node without a site, whose children become roots.
    let mut places: Vec<Option<NodeIndex>> = Vec::with_capacity(snapshot.nodes.len());
    for node in &snapshot.nodes {
        let Some(&site) = snapshot.site(node.site).and_then(|site| numbers.get(site)) else {
            places.push(None);
            continue;
        };
        let parent = node.parent.and_then(|parent| places.get(parent.get()).copied().flatten());
        let place = *known.entry((parent, site, node.label.clone())).or_insert(NodeIndex::new(merged.len()));
        places.push(Some(place));
        match merged.get_mut(place.get()) {
            Some(same) => add_counters(same, node),
            None => merged.push(Node { site, parent, ..node.clone() }),
        }
    }
}

/// Adds with saturation, because a saved snapshot may contain any number.
fn add(sum: &mut u64, value: u64) {
    *sum = sum.saturating_add(value);
}
