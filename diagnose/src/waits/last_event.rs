//! The last acquisition, or the last notification of waiters, at a resource.

use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::clock;
use crate::live::{self, CurrentPoll};
use crate::tree::Link;

/// Time, place and task of an event.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LastEvent {
    pub(crate) at: &'static Location<'static>,
    /// Number of the task; 0 outside of all tasks.
    pub(crate) task: u64,
    /// Tick of the event, or of the last clock reading in its poll; 0 if the clock was not read.
    pub(crate) tick: u64,
}

/// The last notification of waiters.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LastNotify {
    pub(crate) last: LastEvent,
    /// Number of waits at that time.
    pub(crate) waiting: u64,
    /// Whether all waits were notified, not just one.
    pub(crate) all: bool,
}

/// The cell of a [`LastEvent`]. Concurrent writers may interleave: a reader can see fields of two
/// different events.
#[derive(Debug, Default)]
pub(super) struct LastEventCell {
    at: Link<Location<'static>>,
    task: AtomicU64,
    tick: AtomicU64,
}

impl LastEventCell {
    #[inline]
    pub(super) fn set(&self, at: &'static Location<'static>, here: &CurrentPoll, tick: u64) {
        self.task.store(here.task, Relaxed);
        self.tick.store(tick, Relaxed);
        self.at.set(at);
    }

    pub(super) fn clear(&self) {
        self.at.put(None);
    }

    pub(super) fn get(&self) -> Option<LastEvent> {
        let at = self.at.get()?;
        Some(LastEvent { at, task: self.task.load(Relaxed), tick: self.tick.load(Relaxed) })
    }
}

/// The cell of a [`LastNotify`].
#[derive(Debug, Default)]
pub(super) struct LastNotifyCell {
    last: LastEventCell,
    /// Number of waits, above one bit for whether all were notified.
    waiting: AtomicU64,
}

impl LastNotifyCell {
    #[inline]
    pub(super) fn set(&self, at: &'static Location<'static>, waiting: u32, all: bool) {
        let here = live::current_poll();
        self.waiting.store(u64::from(waiting) << 1 | u64::from(all), Relaxed);
        self.last.set(at, &here, if here.stamp == 0 { clock::now() } else { here.stamp });
    }

    pub(super) fn clear(&self) {
        self.last.clear();
    }

    pub(super) fn get(&self) -> Option<LastNotify> {
        let last = self.last.get()?;
        let waiting = self.waiting.load(Relaxed);
        Some(LastNotify { last, waiting: waiting >> 1, all: waiting & 1 != 0 })
    }
}
