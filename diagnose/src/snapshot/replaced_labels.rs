//! Labels that have lost their places: their sums go to `[other]`, and their numbers to other
//! texts.
//!
//! A number keeps its nodes, whose counters only grow. What they had counted for earlier texts is
//! subtracted from the number, and added to `[other]`:
//! ```text
//! label 7          user=7 ······ 40 calls │ none │ user=900 ······ 12 calls
//! sums of 7 in the trees               40 │      │                       52
//! taken from 7, given to [other]        0 │   40 │                       40
//! ```
//! A replaced label keeps its number until none of its calls is alive. Until then, all of its sums
//! are in `[other]`. Records that name a node and outlive its calls, such as the longest wait for a
//! lock, are shown on the path of the later text.

use std::time::Duration;

use diagnose_reports::sort::sort;

use super::capture::{CaptureTurn, turn};
use super::merged::Merged;
use super::merged_path::MergedPath;
use super::reset;
use crate::label::{Label, Replaced};
use crate::live;
use crate::own_thread;
use crate::sync::Mutex;
use crate::tree::{self, Node};

/// The sums of earlier texts.
#[derive(Debug, Default)]
struct PastLabels {
    /// By the paths from which they are subtracted.
    taken: Merged,
    /// By the paths to which they are added.
    given: Merged,
}

static PAST: Mutex<Option<PastLabels>> = Mutex::new(None);

/// Takes what was read from the trees, and moves the sums of labels without a place to `[other]`.
/// With the `turn`, frees the numbers of those without living calls.
pub(super) fn move_to_other(trees: Merged, turn: Option<&CaptureTurn>) -> Merged {
    let mut past = PAST.lock();
    let reusable = Replaced::reusable();
    // A node that was not read may have a living call, and its sums would seem to shrink.
    if turn.is_some() && trees.unreadable == 0 && !reusable.is_empty() {
        free_idle(past.get_or_insert_default(), &trees, &reusable);
    }
    let mut merged = trees.with_replaced(Replaced::now());
    if let Some(PastLabels { taken, given }) = &*past {
        merged.for_paths_of(taken, |path, taken| {
            path.sums.subtract(&taken.sums);
            if path.label == taken.label {
                path.first_seen = path.first_seen.max(taken.last_seen);
            }
        });
        merged.for_paths_of(given, MergedPath::add_all);
    }
    merged
}

/// Starts new maxima for the sums of earlier texts.
pub(super) fn forget_longest() {
    if let Some(past) = &mut *PAST.lock() {
        past.given.paths.iter_mut().for_each(MergedPath::forget_longest);
    }
}

/// Frees numbers of labels, on a thread of its own.
pub(crate) fn free_numbers_soon() {
    // Another capture frees them itself.
    let free = || {
        if let Some(turn) = turn(Duration::ZERO) {
            drop(Merged::read_all(Some(&turn)));
        }
    };
    // Without a thread, the next snapshot frees them.
    drop(own_thread::spawn("diagnose-labels", move || own_thread::work(free)));
}

fn free_idle(past: &mut PastLabels, trees: &Merged, replaced: &Replaced) {
    let idle = replaced.without(&busy_labels(trees));
    if idle.is_empty() {
        return;
    }
    let now = trees.below(&idle);
    let mut moved = now.clone();
    // Sums of earlier texts of these numbers have been moved already.
    moved.for_paths_of(&past.taken.below(&idle), |path, taken| path.sums.subtract(&taken.sums));
    past.taken.for_paths_of(&now, |taken, now| {
        // The paths above have no sums here.
        if !now.is_empty() {
            (taken.sums, taken.last_seen) = (now.sums.clone(), now.last_seen);
        }
    });
    past.given = std::mem::take(&mut past.given).with_replaced(idle.clone());
    past.given.for_paths_of(&moved, MergedPath::add_all);
    past.given.restore_labels();
    reset::replace_labels(&idle);
    for tree in tree::all() {
        forget_longest_below(&tree.root, false, &idle);
    }
    idle.free();
}

/// Returns the labels of paths with living calls, of the paths above them, and of living tasks. The
/// trees may have had no room for the paths of such tasks. Sorted.
fn busy_labels(trees: &Merged) -> Vec<Label> {
    let tasks = live::all_tasks().filter(|task| task.id() != 0);
    let mut busy: Vec<Label> = tasks.map(live::Task::label).collect();
    for path in trees.paths.iter().filter(|path| !path.is_at_rest()) {
        let above = |path: &&MergedPath| path.parent.map(|parent| &trees.paths[parent]);
        busy.extend(std::iter::successors(Some(path), above).map(|path| path.label));
    }
    sort(&mut busy);
    busy.dedup();
    busy
}

fn forget_longest_below(node: &'static Node, is_below: bool, labels: &Replaced) {
    let is_below = is_below || labels.has(node.label);
    if is_below {
        node.forget_longest();
    }
    node.children().for_each(|child| forget_longest_below(child, is_below, labels));
}
