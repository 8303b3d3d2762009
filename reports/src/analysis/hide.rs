//! Removes nodes from a snapshot, and adds their times to the nodes above them.
//!
//! ```text
//! handle                    self idle 0        handle    self idle 50
//! ├─ sleep(d).await         self idle 50   ──▶ └─ read   self idle 9
//! └─ read().await           self idle 0
//!    └─ read                self idle 9
//! ```
//! No time is lost: the node above already includes the busy time, and the self idle time is added
//! to its own. Roots stay. Because waits may overlap, the self idle time of a node is limited to
//! its idle time.

use rustc_hash::FxHashMap;

use crate::analysis::tree::Tree;
use crate::model::{Bucket, Node, NodeIndex, SiteIndex, SiteKind, Snapshot};
use crate::ordered::OrderedMap;
use crate::sort::sort_by_key;

impl Snapshot {
    /// Returns the snapshot without nodes of these kinds. Without [`SiteKind::Await`], a wait
    /// belongs to the function that awaits. Without [`SiteKind::Block`], a wait belongs to the
    /// function around the block. Roots stay. Siblings with the same site and label are merged.
    ///
    /// # Examples
    /// ```
    /// use diagnose_reports::Snapshot;
    /// use diagnose_reports::model::SiteKind;
    ///
    /// let snapshot = Snapshot::default();
    /// assert_eq!(snapshot.without(&[SiteKind::Await]), snapshot);
    /// ```
    #[must_use]
    pub fn without(&self, kinds: &[SiteKind]) -> Self {
        let shown = Self { nodes: Vec::new(), ..self.clone() };
        hide(self, shown, |_, node| self.site(node.site).is_some_and(|site| kinds.contains(&site.kind)))
    }
}

/// The recorded times, without awaits that have no time of their own because the span below them
/// begins and ends with them. Live tasks, spans, waits and resources are left out.
pub(crate) fn plain(snapshot: &Snapshot) -> Snapshot {
    let tree = Tree::new(snapshot);
    hide(snapshot, without_alive(snapshot), |index, node| {
        let is_await = snapshot.site(node.site).is_some_and(|site| site.kind == SiteKind::Await);
        is_await
            && tree.self_busy_ns[index] == 0
            && node.self_idle_ns == 0
            && !tree.children[index].is_empty()
    })
}

/// The recorded times by function. The time of an await goes to the function around it. Live tasks,
/// spans, waits and resources are left out.
#[cfg(feature = "compare")]
pub(crate) fn functions(snapshot: &Snapshot) -> Snapshot {
    hide(snapshot, without_alive(snapshot), |_, node| {
        snapshot.site(node.site).is_some_and(|site| site.kind == SiteKind::Await)
    })
}

/// A copy without nodes, and without live tasks, spans, waits and resources. There may be millions
/// of each.
fn without_alive(snapshot: &Snapshot) -> Snapshot {
    Snapshot {
        version: snapshot.version,
        producer: snapshot.producer.clone(),
        process: snapshot.process.clone(),
        elapsed_ns: snapshot.elapsed_ns,
        captured_unix_ms: snapshot.captured_unix_ms,
        enabled: snapshot.enabled,
        clock: snapshot.clock.clone(),
        costs: snapshot.costs.clone(),
        dropped: snapshot.dropped.clone(),
        threads: snapshot.threads.clone(),
        sites: snapshot.sites.clone(),
        long_poll_ns: snapshot.long_poll_ns,
        alarms: snapshot.alarms.clone(),
        ..Snapshot::default()
    }
}

/// Copies the nodes that are not hidden into `shown`.
fn hide(snapshot: &Snapshot, mut shown: Snapshot, is_hidden: impl Fn(usize, &Node) -> bool) -> Snapshot {
    // By old index: the new index of the node, or that of its nearest shown ancestor.
    let mut places: Vec<usize> = Vec::with_capacity(snapshot.nodes.len());
    let mut known = FxHashMap::<(Option<usize>, SiteIndex, Option<String>), usize>::default();
    for (index, node) in snapshot.nodes.iter().enumerate() {
        let parent = node.parent.and_then(|parent| places.get(parent.get())).copied();
        if let (Some(parent), true) = (parent, is_hidden(index, node)) {
            places.push(parent);
            let above = &mut shown.nodes[parent];
            above.wall_ns = above.wall_ns.saturating_add(node.wall_ns);
            above.nested_ns = above.nested_ns.saturating_add(node.nested_ns);
            above.self_idle_ns = above.self_idle_ns.saturating_add(node.self_idle_ns).min(above.idle_ns);
            continue;
        }
        let place = *known.entry((parent, node.site, node.label.clone())).or_insert(shown.nodes.len());
        places.push(place);
        match shown.nodes.get_mut(place) {
            Some(same) => add_counters(same, node),
            None => shown.nodes.push(Node { parent: parent.map(NodeIndex::new), ..node.clone() }),
        }
    }
    depth_first(&mut shown);
    shown
}

/// Adds the counters of a node to those of another one with the same path.
pub(crate) fn add_counters(into: &mut Node, node: &Node) {
    let sums: [(&mut u64, u64); 15] = [
        (&mut into.calls, node.calls),
        (&mut into.polls, node.polls),
        (&mut into.completed, node.completed),
        (&mut into.cancelled, node.cancelled),
        (&mut into.panicked, node.panicked),
        (&mut into.never_polled, node.never_polled),
        (&mut into.pending, node.pending),
        (&mut into.running, node.running),
        (&mut into.busy_ns, node.busy_ns),
        (&mut into.nested_ns, node.nested_ns),
        (&mut into.idle_ns, node.idle_ns),
        (&mut into.self_idle_ns, node.self_idle_ns),
        (&mut into.queued_ns, node.queued_ns),
        (&mut into.wall_ns, node.wall_ns),
        (&mut into.unpolled_ns, node.unpolled_ns),
    ];
    for (sum, value) in sums {
        *sum = sum.saturating_add(value);
    }
    into.is_unspawned |= node.is_unspawned;
    into.unsettled = into.unsettled.saturating_add(node.unsettled);
    into.longest_poll_ns = into.longest_poll_ns.max(node.longest_poll_ns);
    into.first_seen_ns = into.first_seen_ns.min(node.first_seen_ns);
    into.last_seen_ns = into.last_seen_ns.max(node.last_seen_ns);
    let mut buckets: OrderedMap<u64, Bucket> =
        into.polls_histogram.iter().map(|bucket| (bucket.from_ns, *bucket)).collect();
    for bucket in &node.polls_histogram {
        let same = buckets.entry(bucket.from_ns).or_insert(Bucket { count: 0, ..*bucket });
        same.count = same.count.saturating_add(bucket.count);
    }
    into.polls_histogram = buckets.into_values().collect();
    into.latency.merge(&node.latency);
}

/// Restores the depth-first order of the nodes. Siblings are sorted by name, site and label.
pub(crate) fn depth_first(snapshot: &mut Snapshot) {
    let tree = Tree::new(snapshot);
    let sorted = |siblings: &[usize]| {
        let mut siblings = siblings.to_vec();
        sort_by_key(&mut siblings, |&index| {
            let node = &snapshot.nodes[index];
            (snapshot.site(node.site).map(|site| &site.name), node.site, &node.label)
        });
        siblings.into_iter().rev()
    };
    let mut order: Vec<usize> = Vec::with_capacity(snapshot.nodes.len());
    let mut open: Vec<usize> = sorted(&tree.roots).collect();
    while let Some(index) = open.pop() {
        order.push(index);
        open.extend(sorted(&tree.children[index]));
    }
    let mut numbers = vec![0; order.len()];
    for (number, &index) in order.iter().enumerate() {
        numbers[index] = number;
    }
    for node in &mut snapshot.nodes {
        node.parent = node.parent.map(|parent| NodeIndex::new(numbers[parent.get()]));
    }
    // Nodes are swapped in place, because a copy would be the third list of a million nodes.
    for index in 0..numbers.len() {
        while numbers[index] != index {
            let number = numbers[index];
            snapshot.nodes.swap(index, number);
            numbers.swap(index, number);
        }
    }
}
