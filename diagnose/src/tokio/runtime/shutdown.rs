//! Records the shutdown of a runtime: its drop waits until its blocking code has ended.
//!
//! Fields are dropped in order. The one before the runtime records the start of the wait, the one
//! after it the end.

use std::panic::Location;
use std::sync::{Arc, OnceLock};

use super::number::Listed;
use crate::live::{self, TaskKind};
use crate::waits::BlockedThread;

/// The wait, once it has begun. It ends when both owners are dropped.
type Begun = Arc<OnceLock<BlockedThread>>;

/// The field before the runtime. Its drop records the start of the wait.
#[derive(Debug)]
pub(super) struct ShutdownStart {
    begun: Option<Begun>,
    number: u16,
    made_at: &'static Location<'static>,
}

/// The field after the runtime. Its drop records the end of the wait.
#[derive(Debug)]
pub(super) struct ShutdownEnd {
    _begun: Option<Begun>,
    /// Keeps the runtime listed under its number; `None` if it was not built through this crate.
    _held: Option<Listed>,
}

/// Creates both fields of a runtime made at `made_at`. Without `held`, nothing is recorded.
pub(super) fn pair(
    held: Option<Listed>,
    made_at: &'static Location<'static>,
) -> (ShutdownStart, ShutdownEnd) {
    let number = held.as_ref().map_or(0, Listed::number);
    let begun = held.is_some().then(Begun::default);
    (ShutdownStart { begun: begun.clone(), number, made_at }, ShutdownEnd { _begun: begun, _held: held })
}

impl ShutdownStart {
    /// Records nothing: the runtime does not wait, or waits with a limit.
    pub(super) fn cancel(mut self) {
        self.begun = None;
    }
}

impl Drop for ShutdownStart {
    fn drop(&mut self) {
        let Some(begun) = &self.begun else { return };
        // Includes closures that have not started: they may still start, or are dropped.
        let is_job = |task: &&live::Task| {
            task.origin().is_some_and(|(_, origin)| {
                origin.work == TaskKind::Blocking && origin.target.number == self.number
            })
        };
        let jobs: Vec<u64> = live::all_tasks().filter(is_job).map(live::Task::id).collect();
        if let Some(wait) = BlockedThread::begin_shutdown(jobs, self.made_at) {
            let _ = begun.set(wait);
        }
    }
}
