//! The call tree of the text report: numbers on the left, the tree on the right.
//!
//! ```text
//!      busy     idle  of caller  calls  polls  pending  max poll  call path
//!   10.0 ms   1.00 s          -      1     12        1   3.20 ms  main
//!   8.00 ms   1.00 s     99.8 %     10     20        0   3.20 ms  ├─ handle user=7
//!   1.00 ms      0 s     0.10 %     10     10        0    100 µs  │  └─ parse
//! ```
//! Siblings are sorted by busy time, then idle time. Of a large tree, only the heaviest paths are
//! shown, each with all of its ancestors.

use std::cmp::Reverse;

use crate::analysis::tree::Tree;
use crate::clean::printable;
use crate::export::branches::Indent;
use crate::export::table::Table;
use crate::export::wrap::WIDTH;
use crate::model::Snapshot;
use crate::names::Names;
use crate::sort::{sort_by, sort_by_key};
use crate::units::{count, percent, time};

/// Renders at most `bound` paths, with whole names if `is_full`. Also returns the total number of
/// paths.
pub(crate) fn render(snapshot: &Snapshot, bound: usize, is_full: bool) -> (String, usize) {
    let tree = Tree::new(snapshot);
    let names = Names::new(snapshot);
    let shown = heaviest(&tree, bound);
    let mut table =
        Table::new(&["busy", "idle", "of caller", "calls", "polls", "pending", "max poll"], &["call path"]);
    // This stack is explicit, because a call path may be deeper than the stack of the thread
    // allows.
    let mut open: Vec<(usize, String, Indent)> = Vec::new();
    push_siblings(&mut open, &tree, &names, &shown, &tree.roots, None);
    while let Some((index, branch, indent)) = open.pop() {
        let node = &tree.nodes[index];
        let label = node.label.as_deref().map(|label| format!(" {}", printable(label))).unwrap_or_default();
        table.push(vec![
            time(node.busy_ns),
            time(node.idle_ns),
            of_caller(&tree, index),
            count(node.calls),
            count(node.polls),
            count(node.pending),
            time(node.longest_poll_ns),
            format!("{branch}{}{label}", names.frame(node.site)),
        ]);
        push_siblings(&mut open, &tree, &names, &shown, &tree.children[index], Some(&indent));
    }
    if !is_full {
        table.fit(WIDTH);
    }
    (table.render(), tree.nodes.len())
}

/// Formats the share of calls in their caller's busy and idle time. Concurrent calls, as in
/// `join!`, together take longer than their caller. How much longer has no meaning, so the share is
/// cut at 100 %.
pub(crate) fn share(called_ns: u64, callers_ns: u64) -> String {
    // Shares up to 100.5 % are rounded to 100 %.
    if u128::from(called_ns) * 200 >= u128::from(callers_ns) * 201 && callers_ns > 0 {
        return "> 100 %".to_owned();
    }
    percent(called_ns, callers_ns)
}

fn of_caller(tree: &Tree<'_>, index: usize) -> String {
    let in_flight = |index: usize| tree.nodes[index].busy_ns.saturating_add(tree.nodes[index].idle_ns);
    match tree.ancestors(index).next() {
        Some(caller) => share(in_flight(index), in_flight(caller)),
        None => "-".to_owned(),
    }
}

/// Pushes the shown `siblings`, with the first one to draw on top of the stack. Each has the prefix
/// of its line and the indent of its children. Roots have no `indent` and no branch.
fn push_siblings(
    open: &mut Vec<(usize, String, Indent)>,
    tree: &Tree<'_>,
    names: &Names,
    shown: &[bool],
    siblings: &[usize],
    indent: Option<&Indent>,
) {
    let mut siblings: Vec<usize> = siblings.iter().copied().filter(|&index| shown[index]).collect();
    sort_by(&mut siblings, |&a, &b| {
        let times = |index: usize| (Reverse(tree.nodes[index].busy_ns), Reverse(tree.nodes[index].idle_ns));
        let name = |index: usize| (names.frame(tree.nodes[index].site), &tree.nodes[index].label, index);
        times(a).cmp(&times(b)).then_with(|| name(a).cmp(&name(b)))
    });
    for (from_last, &index) in siblings.iter().rev().enumerate() {
        let is_last = from_last == 0;
        open.push(match indent {
            None => (index, String::new(), Indent::new("")),
            Some(indent) => (index, indent.branch(is_last), indent.below(is_last)),
        });
    }
}

/// Marks the `bound` nodes with the longest times in their subtrees. A parent weighs at least as
/// much as its children and wins ties, so the ancestors of a marked node are marked too.
fn heaviest(tree: &Tree<'_>, bound: usize) -> Vec<bool> {
    let mut weights: Vec<u64> =
        tree.nodes.iter().map(|node| node.busy_ns.saturating_add(node.idle_ns)).collect();
    for parent in (0..weights.len()).rev() {
        let heaviest_child = tree.children[parent].iter().map(|&child| weights[child]).max();
        weights[parent] = weights[parent].max(heaviest_child.unwrap_or(0));
    }
    let mut order: Vec<usize> = (0..weights.len()).collect();
    // The index breaks ties: a parent has a smaller index than its children.
    sort_by_key(&mut order, |&index| (Reverse(weights[index]), index));
    let mut shown = vec![false; weights.len()];
    for &index in order.iter().take(bound) {
        shown[index] = true;
    }
    shown
}
