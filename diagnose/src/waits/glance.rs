//! Waits seen in passing, for the watchdog: a few loads each, and nothing copied.
//!
//! The fields of a glance may be of two waits that had the record one after the other. Then something has just changed, and
//! whoever looks for what does not change looks again.

use std::sync::atomic::Ordering::Relaxed;

use super::record::Record;
use super::resource_type::ResourceKind;
use super::wait_cell::{BLOCKING, INDIRECT, LISTED, MODES, OVER, WaitCell, WaitMode};
use crate::pool;

/// What a wait waits for, and whether it can go on.
#[derive(Debug, Clone, Copy)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct Glance {
    wait: &'static WaitCell,
    pub(crate) id: u64,
    /// The task that polled it last; zero if none did.
    pub(crate) task: u64,
    pub(crate) mode: WaitMode,
    /// The record and number of the resource; zero if it waits for none.
    pub(crate) record: Option<&'static Record>,
    pub(crate) resource: u64,
    pub(crate) began: u64,
    /// When its last poll began.
    pub(crate) entered: u64,
    /// Of a timer, the tick at which it is due.
    pub(crate) due: u64,
    pub(crate) is_blocking: bool,
    pub(crate) is_given_up: bool,
    pub(crate) is_woken: bool,
    /// The resource keeps its waker.
    pub(crate) has_wakers: bool,
    /// It keeps a clone of its task's waker.
    pub(crate) keeps_task: bool,
}

impl WaitCell {
    /// Since when it waits; `None` if it does not.
    pub(crate) fn started(&self) -> Option<u64> {
        if self.flags.load(Relaxed) & LISTED == 0 {
            return None;
        }
        // Zero: its poll is not over yet.
        let began = self.began.load(Relaxed);
        Some(if began == 0 { self.entered.load(Relaxed) } else { began })
    }

    /// Whether what it waits for is a resource.
    pub(crate) fn has_resource(&self) -> bool {
        self.resource.load(Relaxed) != 0
    }

    /// What it waits for; `None` if it does not, and nobody keeps its waker.
    pub(crate) fn glance(&'static self) -> Option<Glance> {
        let (id, flags) = (self.id.load(Relaxed), self.flags.load(Relaxed));
        let wakers = self.forward.clones();
        let is_given_up = flags & OVER != 0 && wakers != 0;
        let is_waiting = flags & LISTED != 0;
        (id != 0 && (is_waiting || is_given_up)).then(|| Glance {
            wait: self,
            id,
            task: self.task.load(Relaxed),
            mode: MODES[self.mode.load(Relaxed) as usize % MODES.len()],
            record: self.record(),
            resource: self.resource.load(Relaxed),
            began: self.started().unwrap_or(0),
            entered: self.entered.load(Relaxed),
            due: self.due.load(Relaxed),
            is_blocking: flags & BLOCKING != 0,
            is_given_up,
            is_woken: self.woken.load(Relaxed) != 0,
            has_wakers: wakers != 0,
            keeps_task: wakers != 0 && flags & INDIRECT == 0,
        })
    }
}

impl Glance {
    /// The tasks of which one has to end.
    pub(crate) fn joined(&self) -> Vec<u64> {
        self.wait.tasks.lock().clone()
    }
}

impl Record {
    /// Whether it is a mutex or a read-write lock: a waiter gets it once its holders have let go.
    pub(crate) fn is_lock(&self) -> bool {
        self.what().is_some_and(|what| matches!(what.kind, ResourceKind::Mutex | ResourceKind::RwLock))
    }

    /// Whether it is a channel with nothing in it, so that a message can only come from a sender.
    pub(crate) fn is_empty_channel(&self) -> bool {
        let is_channel = |kind| {
            matches!(
                kind,
                ResourceKind::Mpsc
                    | ResourceKind::Mpmc
                    | ResourceKind::Oneshot
                    | ResourceKind::Broadcast
                    | ResourceKind::Watch
                    | ResourceKind::Pipe
            )
        };
        let is_empty = self.entered.load(Relaxed) == self.left.load(Relaxed);
        self.what().is_some_and(|what| {
            is_channel(what.kind)
                && (is_empty || matches!(what.kind, ResourceKind::Broadcast | ResourceKind::Watch))
        })
    }
}

/// All waits, used and unused, in parts that stay the same; further parts come at the end.
pub(crate) fn wait_parts() -> Vec<&'static [WaitCell]> {
    pool::chunks()
}
