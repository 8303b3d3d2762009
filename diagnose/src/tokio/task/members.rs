//! The tasks of a set, by number.

use std::panic::Location;
use std::task::{Context, Poll};

use crate::live::{HANDLE, SET};
use crate::spawned::Numbered;
use crate::tokio::sync::is_forced;
use crate::waits::{LazyWait, WaitInfo, WaitMode, WaitTarget};

/// Of more tasks it is not recorded which of them is waited for.
const MOST: usize = 256;

/// The tasks that were spawned into a set. Those that are over are left out from time to time.
#[derive(Debug, Default)]
pub(super) struct Members {
    tasks: Vec<Numbered>,
    /// Whether there are others, of which nothing is known.
    has_others: bool,
}

impl Members {
    /// Records a task that was spawned into the set, and the set's number of tasks.
    pub(super) fn add(&mut self, task: Numbered, len: usize) {
        if self.tasks.len() > 2 * len + 8 {
            self.tasks.retain(|task| task.is_alive());
        }
        // The owner of the set may abort it, and so may the owner of the handle that the spawn
        // returned.
        task.add_handle(HANDLE | SET);
        match task.id() {
            Some(_) => self.tasks.push(task),
            None => self.has_others = true,
        }
    }

    /// All of them are about to be aborted.
    pub(super) fn note_abort(&self) {
        self.tasks.iter().copied().for_each(Numbered::note_abort);
    }

    /// There may be others from now on.
    pub(super) fn lose(&mut self) {
        self.has_others = true;
    }

    /// No task is in the set any more.
    pub(super) fn clear(&mut self) {
        self.tasks.clear();
        self.has_others = false;
    }

    /// Polls the set for one of them that is done.
    pub(super) fn poll<T>(
        &self,
        kept: &mut LazyWait,
        at: &'static Location<'static>,
        context: &mut Context<'_>,
        poll: impl FnMut(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<T> {
        let is_listed = kept.is_listed();
        kept.poll(context, || self.leaf(at, is_listed), poll)
    }

    /// What waits there for one of them. Not recorded if they are not all known, or too many: it would look as if only some
    /// of them could end the wait. Once it is listed, they are known.
    fn leaf(&self, at: &'static Location<'static>, is_listed: bool) -> WaitInfo {
        let alive = || self.tasks.iter().filter(|task| task.is_alive()).filter_map(|task| task.id());
        let target = if self.has_others || self.tasks.len() > 4 * MOST {
            WaitTarget::Resource(None)
        } else {
            let most = if is_listed { 0 } else { MOST + 1 };
            let tasks: Vec<u64> = alive().take(most).collect();
            if tasks.len() > MOST { WaitTarget::Resource(None) } else { WaitTarget::Tasks(tasks) }
        };
        WaitInfo::new(target, WaitMode::Join, 1, at).forced_by(is_forced)
    }
}
