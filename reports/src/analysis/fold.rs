//! Folds self times into stacks: every self time becomes one stack with its own leaf.
//!
//! ```text
//! handle              busy 10, own idle 4       handle;[busy]         7
//! └─ read             busy 3, own idle 50   →   handle;[idle]         4
//!                                               handle;read;[busy]    3
//!                                               handle;read;[idle]    50
//! ```
//! A parent has no value of its own, only through a leaf. Otherwise, tools that sort lines as text
//! would draw a frame twice if the name of a sibling begins with its name (`fetch` and
//! `fetch::retry`). A path ends after 512 frames, with the frame `[deeper]` for everything below.
//!
//! Invariants: the `[busy]` leaves add up to the busy time of all roots minus `nested_ns`. The
//! nested time already counts in the roots of the tasks that nested executors polled. The `[idle]`
//! leaves add up to every path's own waits, which may overlap.

use crate::analysis::paths::{Labels, Paths, paths};
use crate::model::Snapshot;
use crate::names::{BUSY, IDLE, QUEUED};
use crate::sort::sort_by;
use crate::view::View;

/// A call path that ends in a leaf for one kind of time, and the amount of that time.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stack {
    /// The frames from the root to the leaf: `[busy]`, `[idle]`, or `[queued]` in [`View::Wall`].
    /// No frame is empty or contains a `;` or a line break.
    pub frames: Vec<String>,
    /// The leaf's time in ns, never zero.
    pub value_ns: u64,
}

/// Folds the self times of a snapshot into stacks, sorted like their lines (`frames.join(";")`, by
/// bytes). Equal stacks are merged, and all labels of a site share one frame. An await gets no
/// frame if it has no time of its own because the annotated future below it has all of the time.
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
    let Paths { list, names, .. } = paths(snapshot, Labels::Merged);
    let mut stacks: Vec<(String, u64)> = Vec::new();
    // The line of the current path, and the length of the line for each prefix of the path.
    let (mut line, mut lengths) = (String::new(), Vec::new());
    for path in &list {
        lengths.truncate(path.depth - 1);
        line.truncate(lengths.last().copied().unwrap_or_default());
        line.push_str(path.site.frame(&names));
        line.push(';');
        lengths.push(line.len());
        let times = &path.times;
        let values = match view {
            View::Wall => [times.busy_ns, times.waited_ns, times.queued_ns],
            View::Time => [times.busy_ns, times.idle_ns, 0],
            View::Busy => [times.busy_ns, 0, 0],
            View::Idle => [0, times.idle_ns, 0],
        };
        for (leaf, value_ns) in [BUSY, IDLE, QUEUED].into_iter().zip(values) {
            if value_ns > 0 {
                stacks.push((format!("{line}{leaf}"), value_ns));
            }
        }
    }
    let split = |line: &str| line.split(';').map(str::to_owned).collect();
    sort_by(&mut stacks, |a, b| a.0.cmp(&b.0));
    stacks.dedup_by(|(line, value_ns), (before, total_ns)| {
        let is_same = line == before;
        if is_same {
            *total_ns = total_ns.saturating_add(*value_ns);
        }
        is_same
    });
    stacks.into_iter().map(|(line, value_ns)| Stack { frames: split(&line), value_ns }).collect()
}
