//! Takes one capture at a time, and fixes the order of its readings.

use std::time::Duration;

use diagnose_reports::Snapshot;

use super::build::{build, process};
use super::live_spans::LiveSpans;
use super::merged::Merged;
use crate::identity;
use crate::switch::cut_off_from;
use crate::sync::{ForkMutex, ForkMutexGuard};

/// Serializes captures: each keeps the waits that it reads, and counts how many waits keep a task's
/// waker. A capture that panics does not block others, and one that never ends blocks them for
/// [`PATIENCE`].
static TURN: ForkMutex<()> = ForkMutex::new(());
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// Prevents other captures until it is dropped.
pub(crate) struct CaptureTurn {
    #[cfg_attr(not(unix), allow(dead_code))]
    guard: ForkMutexGuard<'static, ()>,
}

#[cfg(unix)]
impl CaptureTurn {
    /// Forgets the threads that wait, in a forked child.
    pub(crate) fn forget_waiting(&self) {
        self.guard.forget_waiting();
    }
}

/// Takes the turn. Returns `None` if it is not free within `patience`.
pub(crate) fn turn(patience: Duration) -> Option<CaptureTurn> {
    TURN.try_lock_for(patience).map(|guard| CaptureTurn { guard })
}

/// The scope of a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// Everything alive, and all recorded times.
    Whole,
    /// Everything alive.
    Alive,
    /// Tasks that run, or wait for a thread to run them, without their waits.
    Running,
}

/// Takes a snapshot of `extent`.
pub(super) fn capture(extent: Extent) -> Snapshot {
    let is_whole = extent == Extent::Whole;
    if let Some(parent) = cut_off_from() {
        return refusal(parent);
    }
    let turn = turn(PATIENCE);
    let mut merged = if is_whole { Merged::capture(turn.as_ref()) } else { Merged::default() };
    let alive = if extent == Extent::Running { LiveSpans::running() } else { LiveSpans::capture() };
    if is_whole {
        alive.charge(&mut merged);
    }
    let snapshot = build(&merged, alive);
    drop(turn);
    snapshot
}

/// Returns a snapshot that explains why nothing can be read: after a fork while other threads
/// recorded, any lock may stay locked.
fn refusal(parent: u32) -> Snapshot {
    let mut snapshot = Snapshot::default();
    snapshot.version = diagnose_reports::model::VERSION;
    snapshot.producer.push_str(concat!("diagnose ", env!("CARGO_PKG_VERSION")));
    snapshot.process = process();
    snapshot.captured_unix_ms = identity::unix_ms();
    let words = format!(
        "nothing is recorded here: this process was forked from process {parent} while other threads of it recorded, and \
         what they recorded cannot be read"
    );
    snapshot.alarms.push(words.into());
    snapshot
}
