//! One capture: what is read in which order, and that no other is taken meanwhile.

use std::time::Duration;

use diagnose_reports::Snapshot;

use super::alive::Alive;
use super::build::build;
use super::merged::Merged;
use crate::sync::Mutex;

/// Captures come one after the other: how many keep the waker of a wait is counted, and a capture keeps the waits that it
/// reads. One that was ended by a panic, and one that takes forever, does not keep others from theirs.
static TURN: Mutex<()> = Mutex::new(());
const PATIENCE: Duration = Duration::from_secs(5);

/// What is alive, and, if asked for, what was spent.
pub(super) fn capture(is_whole: bool) -> Snapshot {
    let turn = TURN.try_lock_for(PATIENCE);
    let mut merged = if is_whole { Merged::capture() } else { Merged::default() };
    let alive = Alive::capture();
    if is_whole {
        alive.charge(&mut merged);
    }
    let snapshot = build(&merged, &alive);
    drop(turn);
    snapshot
}
