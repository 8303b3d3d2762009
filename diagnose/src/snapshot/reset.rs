//! Starting over without touching what the threads are writing.

use super::capture::cut_off_from;
use super::merged::Merged;
use crate::clock;
use crate::live;
use crate::sync::Mutex;
use crate::tree::{self, Node};

/// What had been recorded at the last reset, and when that was.
static BASELINE: Mutex<Option<(Merged, u64)>> = Mutex::new(None);

/// Forgets what was recorded so far: later snapshots count from now.
///
/// Nothing is erased under a running program. A capture is kept as the new zero and taken off every later one, open
/// polls and waits included; a wait that began an hour before the reset counts from the reset on. Longest polls
/// start again from zero.
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
    if cut_off_from().is_some() {
        return;
    }
    let now = clock::now();
    let mut merged = Merged::read_all();
    live::note_reset(clock::now());
    // A poll that is running now ends after the reset, and counts there.
    for path in &mut merged.paths {
        path.sums.polls = path.sums.polls.saturating_sub(path.running);
    }
    let mut baseline = BASELINE.lock();
    for tree in tree::all() {
        forget_longest(&tree.root);
    }
    *baseline = Some((merged, now));
}

/// Calls `apply` with the capture of the last reset, if there was one.
pub(super) fn with_baseline(apply: impl FnOnce(&Merged)) {
    if let Some((merged, _)) = &*BASELINE.lock() {
        apply(merged);
    }
}

/// The tick at which the recording, or the last reset, began.
pub(super) fn began() -> u64 {
    let baseline = BASELINE.lock();
    baseline.as_ref().map_or_else(clock::origin, |(_, tick)| *tick)
}

fn forget_longest(node: &'static Node) {
    node.forget_longest();
    node.children().for_each(forget_longest);
}
