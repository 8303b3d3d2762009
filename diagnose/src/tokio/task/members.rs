//! The tasks of a `JoinSet`, by number.

use std::mem;
use std::panic::Location;
use std::task::{Context, Poll};

use ::tokio::task::{Id, JoinError};

use super::{AbortHandle, ids};
use crate::live::{HANDLE, ON_DROP};
use crate::spawned::RecordedTask;
use crate::tokio::sync::is_forced;
use crate::waits::{LazyWait, Polled, WaitInfo, WaitMode, WaitTarget};

/// The result of a finished task, as a set returns it; `None` if no task has finished.
type Done<T> = Option<Result<T, JoinError>>;

/// Maximum number of tasks of a set, with finished ones that were not removed yet, whose waits are
/// recorded by name. Each wait for the next task lists them all.
const MOST: usize = 1_024;

/// A task with tokio's id of it, once it is spawned.
#[derive(Debug)]
struct Member {
    task: RecordedTask,
    id: Option<Id>,
}

/// Tasks that were spawned into a set. Finished ones are removed from time to time.
#[derive(Debug, Default)]
pub(super) struct Members {
    tasks: Vec<Member>,
    /// Whether the set may have tasks that are not recorded.
    has_others: bool,
    /// Whether tasks were added since `begin_poll`, or may have been.
    has_new: bool,
}

impl Members {
    /// Adds a task that is spawned into the set. `len` is the set's number of tasks.
    pub(super) fn add(&mut self, task: RecordedTask, len: usize) {
        if self.tasks.len() > 2 * len + 8 {
            self.tasks.retain(|member| member.task.is_alive());
        }
        self.has_new = true;
        // The owner of the set may abort it, and does so when it drops the set.
        task.add_handle(HANDLE | ON_DROP);
        match task.id() {
            Some(_) => self.tasks.push(Member { task, id: None }),
            None => self.has_others = true,
        }
    }

    /// Records the handle of the task that was added last.
    pub(super) fn spawned(&mut self, handle: AbortHandle) -> AbortHandle {
        ids::count(handle.task());
        if let Some(member) = self.tasks.last_mut().filter(|member| member.id.is_none()) {
            member.id = Some(handle.id());
        }
        handle
    }

    /// Records that the running task gets this output.
    pub(super) fn with_id<T>(&self, done: Done<(Id, T)>) -> Done<(Id, T)> {
        if let Some(Ok((id, _))) = &done {
            let is_searched = mem::needs_drop::<T>() && self.tasks.len() <= MOST;
            if let Some(member) = self.tasks.iter().find(|member| is_searched && member.id == Some(*id)) {
                member.task.note_output::<T>();
            }
        }
        done
    }

    /// Records that the running task gets this output, and returns it without the id.
    pub(super) fn without_id<T>(&self, done: Done<(Id, T)>) -> Done<T> {
        Some(self.with_id(done)?.map(|(_, output)| output))
    }

    /// Records that all tasks are about to be aborted.
    pub(super) fn note_abort(&self) {
        self.tasks.iter().for_each(|member| member.task.note_abort());
    }

    /// Records that the set may have unrecorded tasks from now on.
    pub(super) fn lose(&mut self) {
        self.has_others = true;
        self.has_new = true;
    }

    /// Records that the tasks go on without the set, and so without a handle.
    pub(super) fn detach(&mut self) {
        self.tasks.iter().for_each(|member| member.task.remove_handle(HANDLE | ON_DROP));
        self.clear();
    }

    /// Records that the set is empty.
    pub(super) fn clear(&mut self) {
        self.tasks.clear();
        self.has_others = false;
    }

    /// Begins a poll whose wait outlives the poll. If tasks may have been added, ends the previous
    /// wait, whose list lacks them.
    pub(super) fn begin_poll(&mut self, wait: &mut LazyWait) {
        if mem::take(&mut self.has_new) {
            wait.end();
        }
    }

    /// Polls the set for a finished task. `is_pinned` says that `wait` never moves again, in a
    /// future that borrows or owns the set.
    pub(super) fn poll<T>(
        &self,
        wait: &mut LazyWait,
        at: &'static Location<'static>,
        context: &mut Context<'_>,
        is_pinned: bool,
        poll: impl FnMut(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<T> {
        let is_listed = wait.is_listed();
        let polled = Polled { is_pinned, ..Polled::default() };
        wait.poll_where(context, polled, || self.wait_info(at, is_listed), poll)
    }

    /// Describes a wait for one of the tasks. Names none if some are unknown, or if there are too
    /// many. A partial list would look complete. A wait that is listed already has its list.
    fn wait_info(&self, at: &'static Location<'static>, is_listed: bool) -> WaitInfo {
        let tasks = self.tasks.iter().map(|member| member.task);
        let alive = tasks.filter(|task| !is_listed && task.is_alive()).filter_map(RecordedTask::id);
        let target = if self.has_others || self.tasks.len() > MOST {
            WaitTarget::Resource(None)
        } else {
            WaitTarget::Tasks(alive.collect())
        };
        WaitInfo::new(target, WaitMode::Join, 1, at).forced_by(is_forced)
    }
}
