//! Folding: every self time becomes one stack with a leaf of its own.
//!
//! ```text
//! handle              busy 10, own idle 4       handle;[busy]         7
//! └─ read             busy 3, own idle 50   →   handle;[idle]         4
//!                                               handle;read;[busy]    3
//!                                               handle;read;[idle]    50
//! ```
//! A parent never has a value without a leaf. Otherwise tools that sort lines as text would draw a
//! frame twice if a sibling's name begins with the frame's (`fetch` beside `fetch::retry`). A path
//! ends after 512 frames, with the frame `[deeper]` for all that is below.
//!
//! Invariants: the `[busy]` leaves add up to the busy time of all roots minus `nested_ns`, which is
//! in the roots of the tasks that nested executors polled. The `[idle]` leaves add up to every
//! path's own waits, which may overlap.

use std::collections::BTreeMap;

use crate::analysis::hide::plain;
use crate::analysis::tree::Tree;
use crate::model::Snapshot;
use crate::names::{BUSY, DEEPER, IDLE, Names, QUEUED};
use crate::view::View;

/// The longest path, twice what is recorded. One line for each of thousands of nested nodes would
/// take quadratic space, so deeper nodes add their time to one frame, `[deeper]`.
const MAX_FRAMES: usize = 512;

/// A call path with a leaf for one kind of time, and the amount of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stack {
    /// The frames from the root to the leaf, `[busy]` or `[idle]`. None is empty or contains a `;`
    /// or a line break.
    pub frames: Vec<String>,
    /// The leaf's time in ns, never zero.
    pub value_ns: u64,
}

/// Folds the self times of a snapshot into stacks, sorted like their lines (`frames.join(";")`, by
/// bytes). Equal stacks are merged, and all labels of a site are one frame. An await without time
/// of its own, because the annotated future below it has all of it, is no frame.
///
/// # Examples
/// ```
/// use diagnose_reports::model::{Node, Site};
/// use diagnose_reports::{Snapshot, View, fold};
///
/// let mut site = Site::default();
/// site.name = "handle".into();
/// let mut node = Node::default();
/// node.busy_ns = 30;
/// node.self_idle_ns = 400;
/// let mut snapshot = Snapshot::default();
/// snapshot.sites.push(site);
/// snapshot.nodes.push(node);
///
/// let stacks = fold(&snapshot, View::Time);
/// assert_eq!(stacks[0].frames, ["handle", "[busy]"]);
/// assert_eq!(stacks[0].value_ns, 30);
/// assert_eq!(stacks[1].frames, ["handle", "[idle]"]);
/// assert_eq!(stacks[1].value_ns, 400);
/// ```
#[must_use]
pub fn fold(snapshot: &Snapshot, view: View) -> Vec<Stack> {
    let snapshot = plain(snapshot);
    let tree = Tree::new(&snapshot);
    let names = Names::new(&snapshot);
    let mut values_ns = BTreeMap::<String, u64>::new();
    let waited_ns = waited(&tree);
    let shown = shown(&tree);
    // Times below the longest path are added up before a line is built for them.
    let mut times_ns = BTreeMap::<(usize, bool), [u64; 3]>::new();
    for (index, node) in tree.nodes.iter().enumerate() {
        let busy_ns = if view == View::Idle { 0 } else { tree.self_busy_ns[index] };
        let idle_ns = match view {
            View::Wall => waited_ns[index],
            View::Time | View::Idle => node.self_idle_ns,
            View::Busy => 0,
        };
        let queued_ns = if view == View::Wall { node.queued_ns } else { 0 };
        if busy_ns == 0 && idle_ns == 0 && queued_ns == 0 {
            continue;
        }
        let sums = times_ns.entry((shown[index].0, shown[index].0 != index)).or_default();
        for (sum, value_ns) in sums.iter_mut().zip([busy_ns, idle_ns, queued_ns]) {
            *sum = sum.saturating_add(value_ns);
        }
    }
    for ((index, is_deeper), sums) in times_ns {
        let mut path: Vec<&str> =
            tree.path(index).iter().map(|&index| names.frame(tree.nodes[index].site)).collect();
        path.extend(is_deeper.then_some(DEEPER));
        let path = path.join(";");
        for (leaf, value_ns) in [BUSY, IDLE, QUEUED].into_iter().zip(sums) {
            if value_ns > 0 {
                let total_ns = values_ns.entry(format!("{path};{leaf}")).or_default();
                *total_ns = total_ns.saturating_add(value_ns);
            }
        }
    }
    let split = |line: &str| line.split(';').map(str::to_owned).collect();
    values_ns.iter().map(|(line, &value_ns)| Stack { frames: split(line), value_ns }).collect()
}

/// By node: the node whose path represents it, itself or its ancestor at the bound, and its depth.
fn shown(tree: &Tree<'_>) -> Vec<(usize, usize)> {
    let mut shown: Vec<(usize, usize)> = Vec::with_capacity(tree.nodes.len());
    for index in 0..tree.nodes.len() {
        let above = tree.ancestors(index).next().map(|parent| shown[parent]);
        shown.push(match above {
            None => (index, 1),
            Some((ancestor, MAX_FRAMES)) => (ancestor, MAX_FRAMES),
            Some((_, depth)) => (index, depth + 1),
        });
    }
    shown
}

/// The idle time of every path by the clock, in ns. Idle time of a task that was charged to no
/// path, because nothing recorded ended the wait or a capture came between, goes to its root. So a
/// task's paths, with its queued time, add up to the idle time of its root, as exactly as it was
/// read.
fn waited(tree: &Tree<'_>) -> Vec<u64> {
    let mut waited_ns: Vec<u64> = tree.nodes.iter().map(|node| node.wall_ns).collect();
    for &root in &tree.roots {
        let mut charged_ns = tree.nodes[root].queued_ns;
        let mut open = vec![root];
        while let Some(index) = open.pop() {
            charged_ns = charged_ns.saturating_add(tree.nodes[index].wall_ns);
            open.extend(&tree.children[index]);
        }
        let rest_ns = tree.nodes[root].idle_ns.saturating_sub(charged_ns);
        waited_ns[root] = waited_ns[root].saturating_add(rest_ns);
    }
    waited_ns
}
