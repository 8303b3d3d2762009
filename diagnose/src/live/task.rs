//! A task: a root span with its waker, and its state outside of polls.
//!
//! ```text
//!  spawned        poll            Pending           wake            poll            Ready, drop
//!  unpolled ────▶ running ──────▶ waiting ────────▶ queued ───────▶ running ──────▶ done
//! ```
//! A task record is never freed, so a wake finds its task without a lock. It is reused for a later
//! task once no clone of its waker is left.

use std::panic::{Location, RefUnwindSafe};
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU32, AtomicU64, fence};

use super::forward::Forward;
use super::live_slot::{RUNNING, RunState, UNPOLLED, WAITING};
use super::task_origin::{PackedOrigin, SpawnRuntime, TaskOrigin};
use super::transfers::Transfers;
use crate::pool::pooled;
use crate::site::Site;
use crate::sync::add_relaxed;
use crate::tree::Link;

/// One task. The polling thread writes the counters, the waking thread the wake.
#[derive(Debug, Default)]
pub(crate) struct Task {
    /// Unique in the process; zero while the record is free.
    pub(super) id: AtomicU64,
    pub(super) forward: Forward,
    /// The start of the current state: the tick above two bits for the state.
    pub(super) since: AtomicU64,
    /// The tick of the first wake that no poll has answered yet; zero if there is none; or
    /// [`IN_POLL`].
    pub(super) woken_at: AtomicU64,
    /// The id of the task that woke it last; zero if a thread outside of every task did.
    pub(crate) woken_by: AtomicU64,
    /// The tick at which the last finished poll began; zero before it.
    pub(crate) entered: AtomicU64,
    pub(crate) polls: AtomicU64,
    pub(crate) busy: AtomicU64,
    /// Ticks between a wake and the poll that it led to, summed.
    pub(crate) queued: AtomicU64,
    /// The tick of the last wake that a poll has answered; zero if there was none.
    last_wake: AtomicU64,
    /// Number of wakes that a poll has answered. `self_wakes` counts those that came from the task
    /// itself.
    wakes: AtomicU64,
    self_wakes: AtomicU64,
    /// The id of the root span; zero before its first poll.
    pub(crate) span: AtomicU64,
    /// The id that the runtime gives it; zero if none.
    pub(crate) runtime_id: AtomicU64,
    /// Counts of spawns and sends; `None` before the first.
    pub(super) transfers: Link<Transfers>,
    pub(super) site: Link<Site>,
    pub(super) spawned_at: Link<Location<'static>>,
    pub(super) made: AtomicU64,
    pub(super) origin: AtomicU64,
    /// The [`Memory`](super::Memory) of the root, from the first poll of a spawned task on.
    pub(crate) memory: AtomicU64,
    /// The label, below the bits for handles; see `handles`.
    pub(super) label: AtomicU32,
    /// The number of the tree of the thread that polled it last.
    pub(crate) thread: AtomicU32,
}

pooled!(Task, max = usize::MAX, chunk = 64);

// Counters, and a waker that no panic leaves half changed.
impl RefUnwindSafe for Task {}

/// Stands for a tick if the task is woken during its poll: it is then queued from the end of that
/// poll on.
pub(super) const IN_POLL: u64 = 1;

impl Task {
    /// Turns a free record into a new task.
    pub(super) fn occupy(&self, id: u64, origin: &TaskOrigin) {
        // Pairs with the Acquire fence in `origin`: a reader that copies a field of this task sees
        // that the previous task is gone.
        fence(Release);
        self.span.store(0, Relaxed);
        self.memory.store(0, Relaxed);
        self.thread.store(0, Relaxed);
        self.site.set(origin.site);
        self.spawned_at.put(origin.spawned_at);
        self.made.store(origin.made, Relaxed);
        self.origin.store(PackedOrigin::new(origin).0, Relaxed);
        self.set_label(origin.label);
        self.since.store(origin.made << 2 | UNPOLLED, Relaxed);
        // Release pairs with the Acquire of `origin`: a reader that sees the id sees the fields.
        self.id.store(id, Release);
    }

    /// Ends the task. Returns whether the record can be reused: no clone of its waker is left.
    pub(super) fn vacate(&self) -> bool {
        if let Some(transfers) = self.transfers.get() {
            transfers.end(self.id());
        }
        self.id.store(0, Relaxed);
        let is_free = self.forward.end();
        if is_free {
            self.clear();
        }
        is_free
    }

    /// Resets the counters. A task that was ready in its first poll has not changed them.
    #[inline]
    pub(super) fn clear(&self) {
        self.woken_at.store(0, Relaxed);
        self.forward.begin();
        if self.polls.load(Relaxed) != 0 || self.is_used() {
            self.clear_used();
        }
    }

    fn is_used(&self) -> bool {
        let counters = [&self.woken_by, &self.runtime_id, &self.busy];
        counters.iter().any(|counter| counter.load(Relaxed) != 0) || self.transfers.get().is_some()
    }

    #[cold]
    fn clear_used(&self) {
        for counter in [
            &self.woken_by,
            &self.entered,
            &self.polls,
            &self.busy,
            &self.queued,
            &self.last_wake,
            &self.wakes,
            &self.self_wakes,
            &self.runtime_id,
        ] {
            counter.store(0, Relaxed);
        }
        if let Some(transfers) = self.transfers.get() {
            transfers.clear();
        }
    }

    /// The task's id and origin; `None` if the record is free.
    pub(crate) fn origin(&self) -> Option<(u64, TaskOrigin)> {
        // Acquire pairs with the Release in `occupy`.
        let id = self.id.load(Acquire);
        let site = self.site.get()?;
        let spawned_at = self.spawned_at.get();
        let (label, made) = (self.label(), self.made.load(Relaxed));
        let packed = PackedOrigin(self.origin.load(Relaxed));
        // Pairs with the Release fence in `occupy`: if a field is of a later task, the id below has
        // changed.
        fence(Acquire);
        let is_same = id != 0 && self.id.load(Relaxed) == id;
        is_same.then(|| (id, packed.origin(site, label, spawned_at, made)))
    }

    /// Returns whether the task was spawned through this crate, and so is a root wherever it is
    /// polled.
    #[inline]
    pub(crate) fn was_spawned(&self) -> bool {
        PackedOrigin(self.origin.load(Relaxed)).runtime() != SpawnRuntime::Unknown
    }

    /// The tick of its creation.
    #[inline]
    pub(crate) fn made(&self) -> u64 {
        self.made.load(Relaxed)
    }

    #[inline]
    pub(crate) fn id(&self) -> u64 {
        self.id.load(Relaxed)
    }

    /// Starts a poll. Returns the tick of the last poll's end, and the tick of the wake that led to
    /// this poll; zero if there was none.
    #[inline]
    pub(crate) fn enter(&self, now: u64, thread: u32) -> (u64, u64) {
        let before = self.since.load(Relaxed);
        let left = if before & 3 == WAITING { before >> 2 } else { 0 };
        self.run(now, thread);
        (left, self.answer(left))
    }

    /// Starts a poll of a waiting task, on the thread that polled it last. Returns what `enter`
    /// does.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn enter_again(&self, now: u64) -> (u64, u64) {
        let left = self.since();
        self.since.store(now << 2 | RUNNING, Relaxed);
        (left, self.answer(left))
    }

    /// Takes the wake since `left` that led to this poll. A later wake requests another poll.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn answer(&self, left: u64) -> u64 {
        let woken_at = match self.woken_at.load(Relaxed) {
            0 => return 0,
            // Without clones no thread is about to wake the task. Release pairs with the Acquire of
            // `doing`: a reader that finds no wake finds the task running.
            woken_at if self.forward.clones() == 0 => {
                self.woken_at.store(0, Release);
                woken_at
            }
            // Release for the same reason.
            _ => self.woken_at.swap(0, Release),
        };
        let woken_at = woken_at.max(left);
        add_relaxed(&self.wakes, 1);
        if self.woken_by.load(Relaxed) == self.id() {
            add_relaxed(&self.self_wakes, 1);
        }
        self.last_wake.store(woken_at, Relaxed);
        woken_at
    }

    /// Number of wakes, at most one between two polls, and of those that came from the task itself.
    pub(crate) fn wakes(&self) -> (u64, u64) {
        let open = u64::from(self.woken_at.load(Relaxed) != 0);
        let by_itself = open != 0 && self.woken_by.load(Relaxed) == self.id();
        (self.wakes.load(Relaxed) + open, self.self_wakes.load(Relaxed) + u64::from(by_itself))
    }

    /// The tick of the last wake; zero if there was none.
    pub(crate) fn last_wake(&self) -> u64 {
        match (self.woken_at.load(Relaxed), self.last_wake.load(Relaxed)) {
            (0, tick) => tick,
            (IN_POLL, _) => self.since(),
            (tick, _) => tick,
        }
    }

    /// Its origin and the runtime's id of it, if the task is known only from the runtime's hooks.
    #[cold]
    pub(crate) fn hooked(&self) -> Option<(TaskOrigin, u64)> {
        let (_, origin) = self.origin()?;
        (origin.target.runtime == SpawnRuntime::TokioHooks).then(|| (origin, self.runtime_id.load(Relaxed)))
    }

    /// Records that the thread with the tree `thread` runs the task: polls or drops its future, or
    /// calls its closure.
    #[inline]
    pub(crate) fn run(&self, now: u64, thread: u32) {
        self.thread.store(thread, Relaxed);
        self.since.store(now << 2 | RUNNING, Relaxed);
    }

    /// Ends the running poll; the task waits.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn leave(&self, now: u64) {
        let entered = self.since();
        add_relaxed(&self.busy, now.saturating_sub(entered));
        add_relaxed(&self.polls, 1);
        self.entered.store(entered, Relaxed);
        // Release pairs with the Acquire of `doing`: a reader that finds the task waiting finds the
        // clones of its waker.
        self.since.store(now << 2 | WAITING, Release);
    }

    /// The state, and the tick of its start.
    pub(crate) fn doing(&self) -> (RunState, u64) {
        // Acquire of `since` pairs with the Release in `leave`.
        // Acquire of `woken_at` pairs with the Release in `enter` and `note_wake`.
        let mut since = self.since.load(Acquire);
        let mut woken_at = self.woken_at.load(Acquire);
        // A poll that began in between has taken the wake.
        while since != self.since.load(Acquire) {
            since = self.since.load(Acquire);
            woken_at = self.woken_at.load(Acquire);
        }
        match since & 3 {
            UNPOLLED => (RunState::Unpolled, since >> 2),
            RUNNING => (RunState::Running, since >> 2),
            // Woken during its poll, the task has been queued since that poll's end.
            _ if woken_at != 0 => (RunState::Queued, woken_at.max(since >> 2)),
            _ => (RunState::Waiting, since >> 2),
        }
    }

    /// The tick of the last poll's start or end.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn since(&self) -> u64 {
        self.since.load(Relaxed) >> 2
    }

    /// Number of clones of its waker.
    pub(crate) fn live_wakers(&self) -> u32 {
        self.forward.clones()
    }

    /// The addresses of the data and of the vtable of the executor's waker that it was cloned from
    /// last; 0 before any.
    pub(crate) fn outer_waker(&self) -> [usize; 2] {
        self.forward.address()
    }
}

#[cfg(all(test, not(diagnose_loom)))]
mod tests {
    use super::Task;

    #[test]
    fn a_task_takes_at_most_208_bytes() {
        assert!(size_of::<Task>() <= 208, "{}", size_of::<Task>());
    }
}
