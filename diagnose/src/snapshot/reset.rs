//! Resets the recording without changing data that threads write.

use super::capture::{PATIENCE, turn};
use super::merged::Merged;
use super::replaced_labels;
use crate::clock;
use crate::cpu;
use crate::label::Replaced;
use crate::live;
use crate::switch;
use crate::sync::Mutex;
use crate::tree::{self, Node};
use crate::waits;

/// The capture of the last reset, and its tick.
static BASELINE: Mutex<Option<(Merged, u64)>> = Mutex::new(None);

/// Discards the recording so far: later snapshots count from now.
///
/// No counter of the running program is erased. A capture becomes the new baseline and is
/// subtracted from later captures, including open polls and waits. A wait that began an hour before
/// the reset counts from the reset on. Longest polls restart from zero. Acquisitions of resources,
/// waits for them and holds of them count when they are over: in full, if that is after the reset.
///
/// # Examples
/// ```
/// #[diagnose::diagnose]
/// fn work() -> u32 { 7 }
///
/// work();
/// diagnose::reset();
/// work();
/// work();
/// assert_eq!(diagnose::snapshot().nodes[0].calls, 2);
/// ```
pub fn reset() {
    if switch::is_cut_off() {
        return;
    }
    let now = clock::now();
    let turn = turn(PATIENCE);
    // Noted first, because a poll that begins after its node was read must not add the wait before
    // it.
    live::note_reset(now);
    let mut merged = Merged::read_all(turn.as_ref());
    #[cfg(feature = "tokio")]
    live::workers::note_reset(now);
    waits::restart_usage();
    // A running poll ends after the reset, and counts then.
    for path in &mut merged.paths {
        path.sums.polls = path.sums.polls.saturating_sub(path.running);
    }
    for thread in &mut merged.threads {
        thread.times_before = cpu::times(thread.thread_id).unwrap_or_default();
    }
    replaced_labels::forget_longest();
    let mut baseline = BASELINE.lock();
    for tree in tree::all() {
        forget_longest(&tree.root);
        tree.restart_root_polls();
    }
    *baseline = Some((merged, now));
}

/// Calls `apply` with the capture of the last reset, if any.
pub(super) fn with_baseline(apply: impl FnOnce(&Merged)) {
    if let Some((merged, _)) = &*BASELINE.lock() {
        apply(merged);
    }
}

/// Moves the sums that labels had at the last reset to `[other]`.
pub(super) fn replace_labels(labels: &Replaced) {
    if let Some((merged, _)) = &mut *BASELINE.lock() {
        for path in &mut merged.paths {
            path.label = labels.shown(path.label);
        }
    }
}

/// Returns the tick at which the recording, or the last reset, began.
pub(super) fn began() -> u64 {
    let baseline = BASELINE.lock();
    baseline.as_ref().map_or_else(clock::origin, |(_, tick)| *tick)
}

fn forget_longest(node: &'static Node) {
    node.forget_longest();
    node.children().for_each(forget_longest);
}
