//! One capture: what is read in which order, and that no other is taken meanwhile.

use std::time::Duration;

use diagnose_reports::Snapshot;

use super::build::{build, process};
use super::live_spans::LiveSpans;
use super::merged::Merged;
use crate::sync::{Mutex, MutexGuard};

/// Captures come one after the other: how many keep the waker of a wait is counted, and a capture keeps the waits that it
/// reads. One that was ended by a panic, and one that takes forever, does not keep others from theirs.
static TURN: Mutex<()> = Mutex::new(());
const PATIENCE: Duration = Duration::from_secs(5);

/// That no other capture is taken, until it is dropped.
pub(crate) struct CaptureTurn {
    _guard: MutexGuard<'static, ()>,
}

/// Waits for that long at most.
pub(crate) fn turn(patience: Duration) -> Option<CaptureTurn> {
    TURN.try_lock_for(patience).map(|guard| CaptureTurn { _guard: guard })
}

/// How much is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// What is alive, and what was spent.
    Whole,
    /// What is alive.
    Alive,
    /// Tasks that run, or wait for a thread to run them, without what they wait for.
    Running,
}

/// What is asked for.
pub(super) fn capture(extent: Extent) -> Snapshot {
    let is_whole = extent == Extent::Whole;
    if let Some(parent) = cut_off_from() {
        return refusal(parent);
    }
    let turn = turn(PATIENCE);
    let mut merged = if is_whole { Merged::capture() } else { Merged::default() };
    let alive = if extent == Extent::Running { LiveSpans::running() } else { LiveSpans::capture() };
    if is_whole {
        alive.charge(&mut merged);
    }
    let snapshot = build(&merged, alive);
    drop(turn);
    snapshot
}

/// The process that this one was forked from while other threads recorded.
pub(super) fn cut_off_from() -> Option<u32> {
    #[cfg(unix)]
    return crate::fork::cut_off_from();
    #[cfg(not(unix))]
    None
}

/// What is said where nothing can be read. Whatever is locked here may stay locked.
fn refusal(parent: u32) -> Snapshot {
    let mut snapshot = Snapshot::default();
    snapshot.version = diagnose_reports::model::VERSION;
    snapshot.producer.push_str(concat!("diagnose ", env!("CARGO_PKG_VERSION")));
    snapshot.process = process();
    snapshot.alarms.push(format!(
        "nothing is recorded here: this process was forked from process {parent} while other threads of it recorded, and \
         what they recorded cannot be read"
    ));
    snapshot
}
