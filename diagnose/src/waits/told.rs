//! When those who wait were told last: of a `Notify`, a `Condvar`.

use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::clock;
use crate::live::Task;
use crate::recorder;
use crate::tree::Link;

/// When, where and by whom they were told last. In a poll, when that began.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Told {
    pub(crate) at: &'static Location<'static>,
    /// Zero if no task did.
    pub(crate) task: u64,
    pub(crate) tick: u64,
    /// How many waited then.
    pub(crate) waiting: u64,
    /// Whether all of them were told, and not one.
    pub(crate) all: bool,
}

/// Where that is kept. Of two who tell at the same time, parts of both.
#[derive(Debug)]
pub(super) struct LastTold {
    at: Link<Location<'static>>,
    task: AtomicU64,
    tick: AtomicU64,
    /// How many waited, above whether all were told.
    waiting: AtomicU64,
}

impl LastTold {
    /// Nobody has told anything yet.
    pub(super) fn new() -> Self {
        let zero = || AtomicU64::new(0);
        Self { at: Link::new(None), task: zero(), tick: zero(), waiting: zero() }
    }

    #[inline]
    pub(super) fn set(&self, at: &'static Location<'static>, waiting: u32, all: bool) {
        let here = recorder::here();
        self.task.store(here.task.map_or(0, Task::id), Relaxed);
        self.tick.store(if here.stamp == 0 { clock::now() } else { here.stamp }, Relaxed);
        self.waiting.store(u64::from(waiting) << 1 | u64::from(all), Relaxed);
        self.at.set(at);
    }

    /// The same again.
    pub(super) fn clear(&self) {
        self.at.put(None);
    }

    pub(super) fn get(&self) -> Option<Told> {
        let at = self.at.get()?;
        let waiting = self.waiting.load(Relaxed);
        let (task, tick) = (self.task.load(Relaxed), self.tick.load(Relaxed));
        Some(Told { at, task, tick, waiting: waiting >> 1, all: waiting & 1 != 0 })
    }
}
