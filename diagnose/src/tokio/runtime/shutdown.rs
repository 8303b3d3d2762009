//! The shutdown of a runtime: dropping it waits until its blocking code has ended.
//!
//! The fields of a value are dropped in their order, so one before the runtime says that this begins, and one behind it
//! that it is over.

use std::panic::Location;
use std::sync::{Arc, OnceLock};

use super::number::Listed;
use crate::live::{self, TaskKind};
use crate::waits::RuntimeShutdown;

/// The wait, once it has begun.
type Begun = Arc<OnceLock<RuntimeShutdown>>;

/// What stands before the runtime.
#[derive(Debug)]
pub(super) struct Goes {
    begun: Option<Begun>,
    number: u16,
    made_at: &'static Location<'static>,
}

/// What stands behind it.
#[derive(Debug)]
pub(super) struct Gone {
    _begun: Option<Begun>,
    /// What lists the runtime under a number, if it was built through this crate.
    _held: Option<Listed>,
}

/// Both, of a runtime that was made there. Of one that is not listed, nothing is known.
pub(super) fn pair(held: Option<Listed>, made_at: &'static Location<'static>) -> (Goes, Gone) {
    let number = held.as_ref().map_or(0, Listed::number);
    let begun = held.is_some().then(Begun::default);
    (Goes { begun: begun.clone(), number, made_at }, Gone { _begun: begun, _held: held })
}

impl Goes {
    /// It is not going to wait, or not for ever.
    pub(super) fn never(mut self) {
        self.begun = None;
    }
}

impl Drop for Goes {
    fn drop(&mut self) {
        let Some(begun) = &self.begun else { return };
        // What has not begun may begin yet, or is given up.
        let is_job = |task: &&live::Task| {
            task.origin().is_some_and(|(_, origin)| {
                origin.work == TaskKind::Blocking && origin.home.number == self.number
            })
        };
        let jobs: Vec<u64> = live::all_tasks().filter(is_job).map(live::Task::id).collect();
        if let Some(wait) = RuntimeShutdown::begin(jobs, self.made_at) {
            let _ = begun.set(wait);
        }
    }
}
