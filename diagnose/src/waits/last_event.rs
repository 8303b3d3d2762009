//! Who did something last: took a lock or a permit; told those who wait for a `Notify`, a `Condvar`.

use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::clock;
use crate::live::{self, CurrentPoll};
use crate::tree::Link;

/// When, where and by whom it was done last.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LastEvent {
    pub(crate) at: &'static Location<'static>,
    /// Zero if no task did.
    pub(crate) task: u64,
    /// In a poll, when that began; zero if the clock was not read for it.
    pub(crate) tick: u64,
}

/// When, where and by whom they were told last.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LastNotify {
    pub(crate) last: LastEvent,
    /// How many waited then.
    pub(crate) waiting: u64,
    /// Whether all of them were told, and not one.
    pub(crate) all: bool,
}

/// Where that is kept. Of two who do it at the same time, parts of both.
#[derive(Debug)]
pub(super) struct LastEventCell {
    at: Link<Location<'static>>,
    task: AtomicU64,
    tick: AtomicU64,
}

impl LastEventCell {
    /// Nobody has done it yet.
    pub(super) fn new() -> Self {
        Self { at: Link::new(None), task: AtomicU64::new(0), tick: AtomicU64::new(0) }
    }

    #[inline]
    pub(super) fn set(&self, at: &'static Location<'static>, here: &CurrentPoll, tick: u64) {
        self.task.store(here.task, Relaxed);
        self.tick.store(tick, Relaxed);
        self.at.set(at);
    }

    /// The same again.
    pub(super) fn clear(&self) {
        self.at.put(None);
    }

    pub(super) fn get(&self) -> Option<LastEvent> {
        let at = self.at.get()?;
        Some(LastEvent { at, task: self.task.load(Relaxed), tick: self.tick.load(Relaxed) })
    }
}

/// The same for those who wait, who were told.
#[derive(Debug)]
pub(super) struct LastNotifyCell {
    last: LastEventCell,
    /// How many waited, above whether all were told.
    waiting: AtomicU64,
}

impl LastNotifyCell {
    pub(super) fn new() -> Self {
        Self { last: LastEventCell::new(), waiting: AtomicU64::new(0) }
    }

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
