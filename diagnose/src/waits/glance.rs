//! A quick look at waits for the watchdog: a few loads each, without a copy.
//!
//! The fields of a [`Glance`] may mix two waits that used the cell one after the other. In that
//! case the wait has just changed. The watchdog reports only waits that last, so it checks again.

use std::sync::atomic::Ordering::Relaxed;

use super::record::Record;
use super::resource_type::ResourceKind;
use super::wait_cell::{BLOCKING, INDIRECT, LISTED, MODES, OVER, READY, WaitCell, WaitMode};
use crate::pool;

/// The target of a wait, and whether the wait can go on.
#[derive(Debug, Clone, Copy)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct Glance {
    wait: &'static WaitCell,
    pub(crate) id: u64,
    /// Number of the task that polled it last; 0 if none did.
    pub(crate) task: u64,
    pub(crate) mode: WaitMode,
    /// Record and number of the resource; `None` and 0 if it waits for none.
    pub(crate) record: Option<&'static Record>,
    pub(crate) resource: u64,
    pub(crate) began: u64,
    /// Tick at which its last poll began; `u64::MAX` if its future was ready then.
    pub(crate) entered: u64,
    /// When a timer is due, or a blocked thread gives up, by
    /// [`instant_ns`](crate::clock::instant_ns); 0 if never, or unknown.
    pub(crate) due: u64,
    pub(crate) is_blocking: bool,
    pub(crate) is_given_up: bool,
    pub(crate) is_woken: bool,
    /// Whether the resource stores its waker.
    pub(crate) has_wakers: bool,
    /// Whether its waker holds a clone of the task's waker.
    pub(crate) has_task_waker: bool,
}

impl WaitCell {
    /// Returns the tick since which it waits, or `None` if it does not wait.
    pub(crate) fn started(&self) -> Option<u64> {
        if self.flags.load(Relaxed) & LISTED == 0 {
            return None;
        }
        // 0 while the first poll is not over.
        let began = self.began.load(Relaxed);
        Some(if began == 0 { self.entered.load(Relaxed) } else { began })
    }

    pub(crate) fn has_resource(&self) -> bool {
        self.resource.load(Relaxed) != 0
    }

    /// Returns its target. Returns `None` if it neither waits nor has a waker that is still stored.
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
            entered: if flags & READY == 0 { self.entered.load(Relaxed) } else { u64::MAX },
            due: self.due.load(Relaxed),
            is_blocking: flags & BLOCKING != 0,
            is_given_up,
            is_woken: self.woken.load(Relaxed) != 0,
            has_wakers: wakers != 0,
            has_task_waker: wakers != 0 && flags & INDIRECT == 0,
        })
    }
}

impl Glance {
    /// Returns whether it waits for units that the resource can provide: a lock, an empty tracker,
    /// or at most as many permits as the semaphore has.
    pub(crate) fn is_for_units(&self) -> bool {
        let Some(record) = self.record else { return false };
        match self.mode {
            WaitMode::Lock | WaitMode::Read | WaitMode::Write | WaitMode::Closed => record.is_lock(),
            WaitMode::Acquire => record.has_permits(self.wait.units.load(Relaxed)),
            _ => false,
        }
    }

    /// Returns whether it waits for a free slot, which a receiver can provide.
    pub(crate) fn is_for_slot(&self) -> bool {
        self.mode == WaitMode::Send && self.record.is_some_and(Record::is_bounded_queue)
    }

    /// Returns whether a task that was created at the tick `made` can end the wait, because the
    /// task may have got the `Notify` or the barrier at its spawn.
    pub(crate) fn may_be_notified_since(&self, made: u64) -> bool {
        let created = || self.record.map_or(0, |record| record.created.load(Relaxed));
        matches!(self.mode, WaitMode::Notified | WaitMode::Arrive) && created() != 0 && made > created()
    }

    pub(crate) fn joined(&self) -> Vec<u64> {
        self.wait.tasks.lock().clone()
    }
}

impl Record {
    /// Returns whether it is a lock or a tracker: its waiters can go on once the holders release
    /// it.
    fn is_lock(&self) -> bool {
        self.resource_type().is_some_and(|it| {
            matches!(it.kind, ResourceKind::Mutex | ResourceKind::RwLock | ResourceKind::TaskTracker)
        })
    }

    /// Returns whether the resource is a semaphore with at least `permits` permits, free or held.
    fn has_permits(&self, permits: u64) -> bool {
        let all = self.capacity.load(Relaxed).saturating_sub(self.forgotten.load(Relaxed));
        self.resource_type().is_some_and(|it| it.kind == ResourceKind::Semaphore) && permits <= all
    }

    /// Returns whether it is an empty channel: only a sender can provide the next message.
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
        self.resource_type().is_some_and(|it| {
            is_channel(it.kind)
                && (is_empty || matches!(it.kind, ResourceKind::Broadcast | ResourceKind::Watch))
        })
    }
}

/// Returns all wait cells, used and unused, in chunks. Chunks keep their positions; new ones come
/// at the end.
pub(crate) fn wait_parts() -> Vec<&'static [WaitCell]> {
    pool::chunks()
}
