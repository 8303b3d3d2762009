//! The call paths of a snapshot with their own times, for every flame graph and profile.
//!
//! ```text
//! handle                    busy 7, self idle 0       handle    busy 7
//! ├─ sleep(d).await         self idle 50         ──▶  ├─ read   busy 2, idle 9
//! └─ read().await           no time of its own        └─ sleep(d).await     idle 50
//!    └─ read                busy 2, self idle 9
//! ```
//! An await without time of its own is left out, because the annotated future below it begins and
//! ends with it. Its part of the task's wall time goes to the path above. Siblings of one site form
//! one path. A path has at most 512 frames. All times below go to one frame,
//! [`deeper`](PathSite::Deeper).
//!
//! Invariants: Σ `busy_ns` is the busy time of all roots minus `nested_ns`. `busy_ns`, `waited_ns`
//! and `queued_ns` of a task's paths add up to its wall time. Σ `idle_ns` is the sum of every
//! path's own waits, which may overlap.

use crate::analysis::tree::Tree;
use crate::model::{SiteIndex, SiteKind, Snapshot};
use crate::names::{DEEPER, Names};
use crate::sort::{sort_by, sort_by_key};

/// Maximum number of frames of a path, twice the recorded depth. Thousands of nested nodes, each
/// with a line of its own, would take quadratic space. So deeper nodes add their times to one
/// frame.
pub(crate) const MAX_FRAMES: usize = 512;

/// The times and counts of one path, without the paths below it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Times {
    /// ns inside `poll`.
    pub(crate) busy_ns: u64,
    /// ns of the task's waits that ended on this path. Of concurrent waits, only one counts.
    pub(crate) waited_ns: u64,
    /// For a root, ns between wakes and polls.
    pub(crate) queued_ns: u64,
    /// ns of its own waits. Concurrent waits all count.
    pub(crate) idle_ns: u64,
    /// Polls of a function; 0 for an await, whose polls are those of its function.
    pub(crate) polls: u64,
    /// Calls of a function; 0 for an await.
    pub(crate) calls: u64,
}

impl Times {
    fn add(&mut self, other: &Self) {
        let sums = [
            (&mut self.busy_ns, other.busy_ns),
            (&mut self.waited_ns, other.waited_ns),
            (&mut self.queued_ns, other.queued_ns),
            (&mut self.idle_ns, other.idle_ns),
            (&mut self.polls, other.polls),
            (&mut self.calls, other.calls),
        ];
        for (sum, value) in sums {
            *sum = sum.saturating_add(value);
        }
    }
}

/// The last frame of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PathSite {
    /// A site, which may be out of range.
    Site(SiteIndex),
    /// All frames below the longest path.
    Deeper,
}

impl PathSite {
    /// The name of the frame, equal in all reports.
    pub(crate) fn frame(self, names: &Names) -> &str {
        match self {
            Self::Site(site) => names.frame(site),
            Self::Deeper => DEEPER,
        }
    }
}

/// A call path.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Path<'a> {
    /// Its last frame.
    pub(crate) site: PathSite,
    /// Number of its frames.
    pub(crate) depth: usize,
    /// The label of its last frame, if labels are kept.
    #[cfg_attr(not(feature = "pprof"), allow(dead_code))]
    pub(crate) label: Option<&'a str>,
    /// Its own times.
    pub(crate) times: Times,
}

/// Whether different labels of one site make different paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Labels {
    Kept,
    Merged,
}

/// The call paths of a snapshot, and the names of their frames.
#[derive(Debug)]
pub(crate) struct Paths<'a> {
    /// Depth first, siblings by frame and label.
    pub(crate) list: Vec<Path<'a>>,
    pub(crate) names: Names,
    /// By node: the index of its path in the list; `None` if the node is hidden or below the
    /// maximum depth.
    #[cfg_attr(not(feature = "svg"), allow(dead_code))]
    pub(crate) of_nodes: Vec<Option<usize>>,
}

/// Collects the call paths.
pub(crate) fn paths(snapshot: &Snapshot, labels: Labels) -> Paths<'_> {
    let tree = Tree::new(snapshot);
    let is_shown = shown(snapshot, &tree);
    let shown_sites = tree.nodes.iter().zip(&is_shown).filter(|(_, is_shown)| **is_shown);
    let names = Names::of_sites(snapshot, shown_sites.map(|(node, _)| node.site));
    let is_await = |site: SiteIndex| is_await(snapshot, site);
    let mut of_nodes = vec![None; tree.nodes.len()];
    let ranks = ranks(snapshot, &names);
    let list = list(&tree, &is_shown, is_await, &ranks, labels, &mut of_nodes);
    Paths { list, names, of_nodes }
}

fn list<'a>(
    tree: &Tree<'a>,
    is_shown: &[bool],
    is_await: impl Fn(SiteIndex) -> bool,
    ranks: &[usize],
    labels: Labels,
    of_nodes: &mut [Option<usize>],
) -> Vec<Path<'a>> {
    let times = times(tree, is_shown, is_await);
    let key = |index: usize| {
        let node = &tree.nodes[index];
        let label = node.label.as_deref().filter(|_| labels == Labels::Kept);
        (ranks.get(node.site.get()).copied().unwrap_or(usize::MAX), label)
    };
    let mut paths: Vec<Path<'a>> = Vec::new();
    // Each entry is one path: the index of its parent, and the nodes that are merged into it.
    let mut open: Vec<(Option<usize>, Vec<usize>)> = Vec::new();
    push_groups(&mut open, None, tree.roots.clone(), key);
    while let Some((parent, nodes)) = open.pop() {
        let index = paths.len();
        let depth = parent.map_or(1, |parent| paths[parent].depth + 1);
        let is_deeper = depth > MAX_FRAMES;
        let (first, mut sum) = (nodes[0], Times::default());
        let mut below = Vec::new();
        for &node in &nodes {
            sum.add(&times[node]);
            of_nodes[node] = Some(index).filter(|_| !is_deeper);
            below.extend(&tree.children[node]);
        }
        if is_deeper {
            add_all_below(&mut sum, tree, &times, below);
        } else {
            let mut children = Vec::with_capacity(below.len());
            while let Some(child) = below.pop() {
                if is_shown[child] { children.push(child) } else { below.extend(&tree.children[child]) }
            }
            if depth == MAX_FRAMES && !children.is_empty() {
                open.push((Some(index), children));
            } else {
                push_groups(&mut open, Some(index), children, key);
            }
        }
        let site = if is_deeper { PathSite::Deeper } else { PathSite::Site(tree.nodes[first].site) };
        let label = tree.nodes[first].label.as_deref().filter(|_| labels == Labels::Kept && !is_deeper);
        paths.push(Path { site, depth, label, times: sum });
    }
    paths
}

/// Pushes the siblings in groups of equal keys, with the smallest key on top of the stack.
fn push_groups<K: Ord>(
    open: &mut Vec<(Option<usize>, Vec<usize>)>,
    parent: Option<usize>,
    mut siblings: Vec<usize>,
    key: impl Fn(usize) -> K,
) {
    sort_by(&mut siblings, |&a, &b| key(b).cmp(&key(a)).then(a.cmp(&b)));
    for group in siblings.chunk_by(|&a, &b| key(a) == key(b)) {
        open.push((parent, group.to_vec()));
    }
}

fn add_all_below(sum: &mut Times, tree: &Tree<'_>, times: &[Times], mut below: Vec<usize>) {
    while let Some(index) = below.pop() {
        sum.add(&times[index]);
        below.extend(&tree.children[index]);
    }
}

fn is_await(snapshot: &Snapshot, site: SiteIndex) -> bool {
    snapshot.site(site).is_some_and(|site| site.kind == SiteKind::Await)
}

/// By node: whether it has a frame. An await has no frame if it has no time of its own and is not
/// the end of its path.
fn shown(snapshot: &Snapshot, tree: &Tree<'_>) -> Vec<bool> {
    let mut shown = vec![true; tree.nodes.len()];
    for (index, node) in tree.nodes.iter().enumerate() {
        let is_root = tree.ancestors(index).next().is_none();
        let has_time = tree.self_busy_ns[index] != 0 || node.self_idle_ns != 0;
        shown[index] =
            is_root || has_time || tree.children[index].is_empty() || !is_await(snapshot, node.site);
    }
    shown
}

/// By node: its own times, including those of the hidden nodes below it.
///
/// Some idle time of a task is charged to no path, because no recorded event ended the wait, or
/// because a capture came in between. That time goes to the root.
fn times(tree: &Tree<'_>, is_shown: &[bool], is_await: impl Fn(SiteIndex) -> bool) -> Vec<Times> {
    let mut times: Vec<Times> = Vec::with_capacity(tree.nodes.len());
    let mut roots: Vec<usize> = Vec::with_capacity(tree.nodes.len());
    let mut charged_ns = vec![0_u64; tree.nodes.len()];
    for (index, node) in tree.nodes.iter().enumerate() {
        let root = tree.ancestors(index).next().map_or(index, |parent| roots[parent]);
        roots.push(root);
        charged_ns[root] = charged_ns[root].saturating_add(node.wall_ns);
        times.push(Times {
            busy_ns: tree.self_busy_ns[index],
            waited_ns: node.wall_ns,
            queued_ns: node.queued_ns,
            idle_ns: node.self_idle_ns,
            polls: if is_await(node.site) { 0 } else { node.polls },
            calls: if is_await(node.site) { 0 } else { node.calls },
        });
    }
    for &root in &tree.roots {
        let charged_ns = charged_ns[root].saturating_add(tree.nodes[root].queued_ns);
        let rest_ns = tree.nodes[root].idle_ns.saturating_sub(charged_ns);
        times[root].waited_ns = times[root].waited_ns.saturating_add(rest_ns);
    }
    // Children have higher indexes than parents.
    for index in (0..times.len()).rev() {
        if let (false, Some(parent)) = (is_shown[index], tree.ancestors(index).next()) {
            let hidden = std::mem::take(&mut times[index]);
            times[parent].add(&hidden);
        }
    }
    times
}

/// By site: its rank in the order of frames. Sites with equal frames have equal ranks.
fn ranks(snapshot: &Snapshot, names: &Names) -> Vec<usize> {
    let mut order: Vec<usize> = (0..snapshot.sites.len()).collect();
    let frame = |site: usize| names.frame(SiteIndex::new(site));
    sort_by_key(&mut order, |&site| frame(site));
    let mut ranks = vec![0; order.len()];
    let mut rank = 0;
    for (at, &site) in order.iter().enumerate() {
        rank += usize::from(at > 0 && frame(order[at - 1]) != frame(site));
        ranks[site] = rank;
    }
    ranks
}
