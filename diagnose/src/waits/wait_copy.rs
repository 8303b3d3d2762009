//! Copies of waits for snapshots, and what has changed since a copy.

use std::panic::Location;
use std::sync::atomic::Ordering::{Acquire, Relaxed};
use std::sync::atomic::fence;

use super::wait_cell::{BLOCKING, FORCED, INDIRECT, LISTED, MODES, OVER, WaitCell, WaitMode};
use crate::live::Memory;
use crate::pool;
use crate::site::Site;

/// A copy of the fields of a wait that change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct WaitProgress {
    pub(crate) task: u64,
    pub(crate) span: u64,
    pub(crate) polls: u64,
    /// Last reading of the clock before its last poll, as a tick.
    pub(crate) entered: u64,
    pub(crate) woken: u64,
    pub(crate) is_forced: bool,
    pub(crate) is_indirect: bool,
    /// Clones of its waker that the resource keeps. While there is one, it keeps a clone of the
    /// task's waker.
    pub(crate) wakers: u64,
    /// Whether the wait is off the record. A blocked thread may go on within the same poll.
    pub(crate) is_ended: bool,
}

impl WaitProgress {
    /// Returns whether the wait is unchanged since `before`. It may have been polled without a wake
    /// in between: a future that gets its resource ends, and keeps no waker.
    pub(crate) fn waits_as(&self, before: &Self) -> bool {
        let same = Self { polls: before.polls, entered: before.entered, ..*self };
        same == *before && (self.polls == before.polls || self.woken == 0)
    }
}

#[derive(Debug, Clone)]
pub(crate) struct WaitCopy {
    wait: &'static WaitCell,
    pub(crate) id: u64,
    pub(crate) mode: WaitMode,
    pub(crate) units: u64,
    pub(crate) tasks: Vec<u64>,
    /// The tick at which a timer is due, or a blocked thread gives up; 0 if there is none.
    pub(crate) due: u64,
    pub(crate) at: &'static Location<'static>,
    pub(crate) awaited: Option<&'static Site>,
    /// Number of the resource; 0 if it waits for none.
    pub(crate) resource: u64,
    pub(crate) place: u64,
    pub(crate) asked: u64,
    pub(crate) began: u64,
    pub(crate) thread: Option<u32>,
    pub(crate) memory: Memory,
    pub(crate) is_blocking: bool,
    /// Whether it was given up, and only its waker is left.
    pub(crate) is_given_up: bool,
    pub(crate) polled: WaitProgress,
}

impl WaitCopy {
    pub(crate) fn read(&self) -> WaitProgress {
        let polled = self.wait.polled();
        // Pairs with the Release fence in `take`: the fields read above are of this wait if its
        // number is still there.
        fence(Acquire);
        let is_ended = polled.is_ended || self.wait.id.load(Relaxed) != self.id;
        WaitProgress { is_ended, ..polled }
    }
}

impl WaitCell {
    fn polled(&self) -> WaitProgress {
        let flags = self.flags.load(Relaxed);
        WaitProgress {
            task: self.task.load(Relaxed),
            span: self.span.load(Relaxed),
            polls: self.polls.load(Relaxed),
            entered: self.entered.load(Relaxed),
            woken: self.woken.load(Relaxed),
            is_forced: flags & FORCED != 0,
            is_indirect: flags & INDIRECT != 0,
            wakers: u64::from(self.forward.clones()),
            is_ended: flags & (LISTED | OVER) == 0,
        }
    }

    /// Returns a copy if it waits, or if it was given up and its waker is still kept.
    fn copy(&'static self) -> Option<WaitCopy> {
        // Acquire pairs with the Release in `take`: these flags are not those of an earlier wait.
        let id = self.id.load(Acquire);
        // Acquire pairs with the Release in `begin`: a reader that finds it listed sees the other
        // fields.
        let flags = self.flags.load(Acquire);
        let is_given_up = flags & OVER != 0 && self.forward.clones() != 0;
        if id == 0 || (flags & LISTED == 0 && !is_given_up) {
            return None;
        }
        let began = self.began.load(Relaxed);
        let waiting = WaitCopy {
            wait: self,
            id,
            mode: MODES[self.mode.load(Relaxed) as usize % MODES.len()],
            units: self.units.load(Relaxed),
            tasks: if self.mode.load(Relaxed) == WaitMode::Join as u32
                || self.mode.load(Relaxed) == WaitMode::Shutdown as u32
            {
                self.tasks.lock().clone()
            } else {
                Vec::new()
            },
            due: self.due.load(Relaxed),
            at: self.at.get()?,
            awaited: self.awaited.get(),
            resource: self.resource.load(Relaxed),
            place: self.place.load(Relaxed),
            asked: self.asked.load(Relaxed),
            // 0 while the first poll is not over.
            began: if began == 0 { self.entered.load(Relaxed) } else { began },
            thread: self.thread.load(Relaxed).checked_sub(1).and_then(|thread| u32::try_from(thread).ok()),
            memory: Memory(self.memory.load(Relaxed)),
            is_blocking: flags & BLOCKING != 0,
            is_given_up,
            polled: self.polled(),
        };
        // Pairs with the Release fence in `take`: if a field above is from a later wait, the number
        // read below differs.
        fence(Acquire);
        (self.id.load(Relaxed) == id).then_some(waiting)
    }
}

pub(crate) fn all_waits() -> impl Iterator<Item = WaitCopy> {
    pool::all::<WaitCell>().filter_map(WaitCell::copy)
}
