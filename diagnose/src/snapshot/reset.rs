//! Resets the recording without changing data that threads write.

use super::capture::{PATIENCE, turn};
use super::merged::Merged;
use super::numbers::Table;
use super::replaced_labels;
use crate::clock;
use crate::cpu;
use crate::label::Replaced;
use crate::live;
use crate::os;
use crate::switch;
use crate::sync::Mutex;
use crate::tree::{self, Node};
use crate::waits;

/// What later captures subtract.
#[derive(Debug)]
struct Baseline {
    merged: Merged,
    tick: u64,
    /// By thread: its time on a CPU, and the time that it waited for one, in ns.
    cpu_times: Table<u64, (u64, u64)>,
}

static BASELINE: Mutex<Option<Baseline>> = Mutex::new(None);

/// How often a capture is repeated in which a node could not be read: it would not be reset.
const MAX_CAPTURES: u32 = 5;

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
    for _ in 1..MAX_CAPTURES {
        if merged.unreadable == 0 {
            break;
        }
        merged = Merged::read_all(turn.as_ref());
    }
    #[cfg(feature = "tokio")]
    live::workers::note_reset(now);
    waits::restart_usage();
    // A running poll ends after the reset, and counts then.
    for path in &mut merged.paths {
        path.sums.polls = path.sums.polls.saturating_sub(path.running);
    }
    replaced_labels::forget_longest();
    let cpu_times = cpu_times(&merged);
    let mut baseline = BASELINE.lock();
    for tree in tree::all() {
        forget_longest(&tree.root);
        tree.restart_root_polls();
    }
    *baseline = Some(Baseline { merged, tick: now, cpu_times });
}

/// The CPU times of all threads that runtimes have started, or that have polled, and of this one.
fn cpu_times(merged: &Merged) -> Table<u64, (u64, u64)> {
    let polled = merged.threads.iter().map(|thread| thread.thread_id);
    let threads = polled.chain([os::thread_id()]);
    #[cfg(feature = "tokio")]
    let threads = threads.chain(live::workers::all_threads());
    threads.filter_map(|thread| Some((thread, cpu::times(thread)?))).collect()
}

/// Returns the time of a thread on a CPU, and the time that it waited for one, since the
/// last reset, or since it began. In ns; `None` if unknown.
pub(super) fn cpu_times_of(thread: u64) -> Option<(u64, u64)> {
    let (cpu_ns, delayed_ns) = cpu::times(thread)?;
    let baseline = BASELINE.lock();
    let before = baseline.as_ref().and_then(|baseline| baseline.cpu_times.get(&thread).copied());
    // A thread with less time than before has the number of one that has ended.
    let before = before.filter(|before| before.0 <= cpu_ns && before.1 <= delayed_ns);
    let (cpu_before, delayed_before) = before.unwrap_or_default();
    Some((cpu_ns - cpu_before, delayed_ns - delayed_before))
}

/// Calls `apply` with the capture of the last reset, if any.
pub(super) fn with_baseline(apply: impl FnOnce(&Merged)) {
    if let Some(baseline) = &*BASELINE.lock() {
        apply(&baseline.merged);
    }
}

/// Moves the sums that labels had at the last reset to `[other]`.
pub(super) fn replace_labels(labels: &Replaced) {
    if let Some(baseline) = &mut *BASELINE.lock() {
        for path in &mut baseline.merged.paths {
            path.label = labels.shown(path.label);
        }
    }
}

/// Returns the tick at which the recording, or the last reset, began.
pub(super) fn began() -> u64 {
    let baseline = BASELINE.lock();
    baseline.as_ref().map_or_else(clock::origin, |baseline| baseline.tick)
}

fn forget_longest(node: &'static Node) {
    node.forget_longest();
    node.children().for_each(forget_longest);
}
