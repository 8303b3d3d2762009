//! Folding: every self time becomes one stack with a leaf of its own.
//!
//! ```text
//! handle              busy 10, own idle 4       handle;[busy]         7
//! └─ read             busy 3, own idle 50   →   handle;[idle]         4
//!                                               handle;read;[busy]    3
//!                                               handle;read;[idle]    50
//! ```
//! A parent never stands alone with a value. Tools that sort lines as text would otherwise draw a frame twice
//! where a sibling's name begins with the frame's (`fetch` beside `fetch::retry`).
//!
//! A path ends after 512 frames; what is below is the frame `[deeper]`.
//!
//! What holds: the `[busy]` leaves sum up to the busy time of all roots less what nested executors polled
//! (`nested_ns`), which is in the roots of those tasks. The `[idle]` leaves sum up to every path's own waits,
//! which may overlap.

use std::collections::BTreeMap;

use crate::analysis::hide::plain;
use crate::analysis::tree::Tree;
use crate::model::Snapshot;
use crate::names::{BUSY, DEEPER, IDLE, Names, QUEUED};
use crate::view::View;

/// A path has so many frames, twice what is recorded. A line for each of thousands of nodes below each other would take
/// space in the square of their number; what is deeper is one frame, `[deeper]`, with all its time.
const MAX_FRAMES: usize = 512;

/// A call path, down to the leaf that says which kind of time it is, and how much of it there was.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stack {
    /// The frames from the root to the leaf, `[busy]` or `[idle]`. None is empty or holds a `;` or a line
    /// break.
    pub frames: Vec<String>,
    /// The leaf's time; never zero.
    pub value_ns: u64,
}

/// Folds the self times of a snapshot into stacks, sorted as their lines sort (`frames.join(";")`, by bytes)
/// and merged: equal stacks are one, and all labels of a site are one frame. An await that has no time of its own, because
/// all of it is that of the annotated future it awaits, is no frame.
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
    // What is deeper than a path may be adds up in its last frame before a line is made of it.
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

/// For each node the one whose path stands for it, itself or the ancestor at the bound, and that one's depth.
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

/// The idle time of every path as the clock has shown it. What was charged to no path of a task, because nothing that is
/// recorded ended the wait or a capture fell between, is its root's own: so the sum over its paths, with the time in the
/// queue, is the idle time of the root, as exactly as it was read.
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
