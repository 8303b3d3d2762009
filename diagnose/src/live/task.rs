//! A task: a root span with its waker, and what is known of it from outside its polls.
//!
//! ```text
//!  spawned        poll            Pending           wake            poll            Ready, drop
//!  unpolled ────▶ running ──────▶ waiting ────────▶ queued ───────▶ running ──────▶ done
//! ```
//! Tasks are never freed, only used again for later ones once nobody keeps a waker, so that a wake needs no lock to find
//! its task.

use std::panic::{Location, RefUnwindSafe};
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU32, AtomicU64, fence};
use std::task::Waker;

use super::forward::Forward;
use super::task_origin::{PackedOrigin, SpawnRuntime, TaskOrigin};
use super::transfers::{TransferCounts, Transfers};
use super::waker;
use crate::pool::pooled;
use crate::site::Site;
use crate::sync::add_relaxed;
use crate::tree::Link;

/// One task. Counters are written by the thread that polls it, the wake by whoever wakes it.
#[derive(Debug)]
pub(crate) struct Task {
    /// Unique in the process; zero while this is nobody's.
    pub(super) id: AtomicU64,
    pub(super) forward: Forward,
    /// Since when it is in its state: the tick above two bits.
    pub(super) since: AtomicU64,
    /// The tick of the first wake that no poll has answered yet; zero if there is none, [`IN_POLL`].
    pub(super) woken_at: AtomicU64,
    /// Who woke it last: a task, or zero for a thread outside of every task.
    pub(crate) woken_by: AtomicU64,
    /// When the last poll that is over began; zero before there is one.
    pub(crate) entered: AtomicU64,
    pub(crate) polls: AtomicU64,
    pub(crate) busy: AtomicU64,
    /// Ticks between a wake and the poll that it led to, summed.
    pub(crate) queued: AtomicU64,
    /// The tick of the last wake that a poll has answered; zero if there was none.
    last_wake: AtomicU64,
    /// Wakes that a poll has answered, and those of them that came from the task itself.
    wakes: AtomicU64,
    self_wakes: AtomicU64,
    /// The number of the root span, once it was polled.
    pub(crate) span: AtomicU64,
    /// The runtime's own number of it; zero if it has none.
    pub(crate) runtime_id: AtomicU64,
    /// What it has given away; `None` if that is nothing.
    pub(super) given: Link<Transfers>,
    pub(super) site: Link<Site>,
    pub(super) spawned_at: Link<Location<'static>>,
    pub(super) made: AtomicU64,
    pub(super) origin: AtomicU64,
    /// Its label, and in the bits above what can abort it, see `handles`.
    pub(super) label: AtomicU32,
    /// The tree of the thread that polled it last.
    pub(crate) thread: AtomicU32,
}

pooled!(Task, max = usize::MAX, chunk = 64);

// Counters, and a waker that no panic leaves half changed.
impl RefUnwindSafe for Task {}

/// In the place of a tick: it was woken while it was polled, and is in the queue from the end of that poll on.
pub(super) const IN_POLL: u64 = 1;

/// What a task is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TaskState {
    Unpolled,
    Running,
    Waiting,
    Queued,
}

const UNPOLLED: u64 = 0;
pub(super) const RUNNING: u64 = 1;
const WAITING: u64 = 2;

impl Task {
    /// Nobody's yet.
    fn free() -> Self {
        let zero = || AtomicU64::new(0);
        Self {
            id: zero(),
            forward: Forward::new(),
            since: zero(),
            woken_at: zero(),
            woken_by: zero(),
            entered: zero(),
            polls: zero(),
            busy: zero(),
            queued: zero(),
            last_wake: zero(),
            wakes: zero(),
            self_wakes: zero(),
            span: zero(),
            runtime_id: zero(),
            given: Link::new(None),
            site: Link::new(None),
            spawned_at: Link::new(None),
            made: zero(),
            origin: zero(),
            label: AtomicU32::new(0),
            thread: AtomicU32::new(0),
        }
    }

    /// Becomes a new task.
    pub(super) fn occupy(&self, id: u64, origin: &TaskOrigin) {
        // Pairs with the Acquire fence in `origin`: whoever copies a field of this task sees that the last one is gone.
        fence(Release);
        self.span.store(0, Relaxed);
        self.thread.store(0, Relaxed);
        self.site.set(origin.site);
        self.spawned_at.put(origin.spawned_at);
        self.made.store(origin.made, Relaxed);
        self.origin.store(PackedOrigin::new(origin).0, Relaxed);
        self.set_label(origin.label);
        self.since.store(origin.made << 2 | UNPOLLED, Relaxed);
        // Release pairs with the Acquire of `origin`: the number brings the fields with it.
        self.id.store(id, Release);
    }

    /// The task is done. Returns whether it can be used again: nobody keeps its waker.
    pub(super) fn vacate(&self) -> bool {
        if let Some(given) = self.given.get() {
            given.end(self.id());
        }
        self.id.store(0, Relaxed);
        let is_free = self.forward.end();
        if is_free {
            self.clear();
        }
        is_free
    }

    /// Nothing is counted of it any more. Of one that was ready in its first poll, nothing was.
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
        counters.iter().any(|counter| counter.load(Relaxed) != 0) || self.given.get().is_some()
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
        if let Some(given) = self.given.get() {
            given.clear();
        }
    }

    /// Its number, and how it came about; `None` if this is nobody's.
    pub(crate) fn origin(&self) -> Option<(u64, TaskOrigin)> {
        // Acquire pairs with the Release in `occupy`.
        let id = self.id.load(Acquire);
        let site = self.site.get()?;
        let spawned_at = self.spawned_at.get();
        let (label, made) = (self.label(), self.made.load(Relaxed));
        let packed = PackedOrigin(self.origin.load(Relaxed));
        // Pairs with the Release fence in `occupy`: a field of a later task makes the number below another one.
        fence(Acquire);
        let is_same = id != 0 && self.id.load(Relaxed) == id;
        is_same.then(|| (id, packed.origin(site, label, spawned_at, made)))
    }

    /// Whether it was spawned through this crate: then it is a root wherever it is polled.
    #[inline]
    pub(crate) fn was_spawned(&self) -> bool {
        PackedOrigin(self.origin.load(Relaxed)).runtime() != SpawnRuntime::Unknown
    }

    /// The tick of its making.
    #[inline]
    pub(crate) fn made(&self) -> u64 {
        self.made.load(Relaxed)
    }

    #[inline]
    pub(crate) fn id(&self) -> u64 {
        self.id.load(Relaxed)
    }

    /// A poll starts. Returns when the last poll ended, and the tick of the wake that led to this one; zero if there was none.
    #[inline]
    pub(crate) fn enter(&self, now: u64, thread: u32) -> (u64, u64) {
        let before = self.since.load(Relaxed);
        let left = if before & 3 == WAITING { before >> 2 } else { 0 };
        self.since.store(now << 2 | RUNNING, Relaxed);
        self.thread.store(thread, Relaxed);
        // A wake that comes from now on asks for another poll.
        let woken_at = match self.woken_at.load(Relaxed) {
            0 => 0,
            // Without clones nobody is about to wake it. Release pairs with the Acquire of `doing`: who finds no wake finds the
            // task running.
            woken_at if self.forward.clones() == 0 => {
                self.woken_at.store(0, Release);
                self.answer(woken_at.max(left))
            }
            // Release for the same reason.
            _ => self.answer(self.woken_at.swap(0, Release).max(left)),
        };
        (left, woken_at)
    }

    #[inline]
    fn answer(&self, woken_at: u64) -> u64 {
        add_relaxed(&self.wakes, 1);
        if self.woken_by.load(Relaxed) == self.id() {
            add_relaxed(&self.self_wakes, 1);
        }
        self.last_wake.store(woken_at, Relaxed);
        woken_at
    }

    /// How often it was woken between two polls, and how often by itself.
    pub(crate) fn wakes(&self) -> (u64, u64) {
        let open = u64::from(self.woken_at.load(Relaxed) != 0);
        let by_itself = open != 0 && self.woken_by.load(Relaxed) == self.id();
        (self.wakes.load(Relaxed) + open, self.self_wakes.load(Relaxed) + u64::from(by_itself))
    }

    /// The tick of its last wake; zero if it never was.
    pub(crate) fn last_wake(&self) -> u64 {
        match (self.woken_at.load(Relaxed), self.last_wake.load(Relaxed)) {
            (0, tick) => tick,
            (IN_POLL, _) => self.since(),
            (tick, _) => tick,
        }
    }

    /// It spawns something.
    pub(crate) fn count_spawn(&self) {
        self.give().count_spawn();
    }

    /// It sends something that can carry away what it has. `now` is when its poll began.
    #[inline]
    pub(crate) fn count_send(&self, resource: u64, message: u64, now: u64) {
        self.give().count_send(resource, message, now);
    }

    #[inline]
    fn give(&self) -> &'static Transfers {
        self.given.get().unwrap_or_else(|| self.begin_to_give())
    }

    #[cold]
    fn begin_to_give(&self) -> &'static Transfers {
        let given: &'static Transfers = Box::leak(Box::new(Transfers::new()));
        self.given.set(given);
        given
    }

    /// How often it has spawned, and sent what can carry something away.
    #[inline]
    pub(crate) fn transfer_counts(&self) -> TransferCounts {
        self.given.get().map_or(TransferCounts::default(), Transfers::counts)
    }

    /// The same of a task that is done, with its number: the last of those before this one that gave something away.
    pub(crate) fn given_away_before(&self) -> Option<(u64, TransferCounts)> {
        self.given.get().map(Transfers::done).filter(|(id, _)| *id != 0)
    }

    /// The resource that it has sent to last, the number of the message there, and when the poll began in which it did.
    pub(crate) fn sent_to(&self) -> [u64; 3] {
        self.given.get().map_or([0; 3], Transfers::sent_to)
    }

    /// How it came about and the runtime's number of it, if only hooks of the runtime tell of it.
    #[cold]
    pub(crate) fn hooked(&self) -> Option<(TaskOrigin, u64)> {
        let (_, origin) = self.origin()?;
        (origin.home.runtime == SpawnRuntime::TokioHooks).then(|| (origin, self.runtime_id.load(Relaxed)))
    }

    /// A poll starts of which only hooks tell.
    #[cfg(all(feature = "tokio-hooks", tokio_unstable))]
    pub(crate) fn begin_hooked(&self, now: u64, thread: u32) {
        self.since.store(now << 2 | RUNNING, Relaxed);
        self.thread.store(thread, Relaxed);
    }

    /// That poll is over, and the task is not.
    #[cfg(all(feature = "tokio-hooks", tokio_unstable))]
    pub(crate) fn end_hooked(&self, now: u64) {
        self.leave(now, now.saturating_sub(self.since.load(Relaxed) >> 2));
    }

    /// The closure is run.
    pub(crate) fn begin_blocking(&self, now: u64, thread: u32) {
        self.thread.store(thread, Relaxed);
        self.since.store(now << 2 | RUNNING, Relaxed);
        self.polls.store(1, Relaxed);
    }

    /// The poll, that long, is over, and the task waits.
    #[inline]
    pub(crate) fn leave(&self, now: u64, busy: u64) {
        add_relaxed(&self.busy, busy);
        add_relaxed(&self.polls, 1);
        self.entered.store(now.saturating_sub(busy), Relaxed);
        // Release pairs with the Acquire of `doing`: who finds the task waiting finds the clones of its waker.
        self.since.store(now << 2 | WAITING, Release);
    }

    /// Its future is being dropped, wherever that is done.
    pub(crate) fn begin_drop(&self, now: u64) {
        self.since.store(now << 2 | RUNNING, Relaxed);
    }

    /// What it is doing, and since when.
    pub(crate) fn doing(&self) -> (TaskState, u64) {
        // Acquire of `since` pairs with the Release in `leave`, that of `woken_at` with those in `enter` and `note_wake`.
        let mut since = self.since.load(Acquire);
        let mut woken_at = self.woken_at.load(Acquire);
        // A poll that has begun in between has taken the wake.
        while since != self.since.load(Acquire) {
            since = self.since.load(Acquire);
            woken_at = self.woken_at.load(Acquire);
        }
        match since & 3 {
            UNPOLLED => (TaskState::Unpolled, since >> 2),
            RUNNING => (TaskState::Running, since >> 2),
            // Woken during the poll, it has been in the queue since the poll's end.
            _ if woken_at != 0 => (TaskState::Queued, woken_at.max(since >> 2)),
            _ => (TaskState::Waiting, since >> 2),
        }
    }

    /// Since when it is in its state, wakes apart.
    pub(crate) fn since(&self) -> u64 {
        self.since.load(Relaxed) >> 2
    }

    /// Clones of its waker that somebody keeps.
    pub(crate) fn live_wakers(&self) -> u32 {
        self.forward.clones()
    }

    /// Whether that is its waker.
    pub(crate) fn is_waker(&'static self, waker: &Waker) -> bool {
        waker::is_waker(self, waker)
    }
}

#[cfg(all(test, not(diagnose_loom)))]
mod tests {
    use super::Task;

    #[test]
    fn a_task_takes_at_most_two_hundred_bytes() {
        assert!(size_of::<Task>() <= 200, "{}", size_of::<Task>());
    }
}
