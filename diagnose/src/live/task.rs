//! A task: a root span with its waker, and what is known of it from outside its polls.
//!
//! ```text
//!  spawned        poll            Pending           wake            poll            Ready, drop
//!  unpolled ────▶ running ──────▶ waiting ────────▶ queued ───────▶ running ──────▶ done
//! ```
//! Tasks are never freed, only used again for later ones once nobody keeps a waker, so that a wake needs no lock to find
//! its task.

use std::panic::RefUnwindSafe;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::task::Waker;

use super::given::{Counts, Given};
use super::origin::{Origin, Packed, Runtime};
use super::tasks::has_wakers;
use super::waker::{PollWaker, Wakers};
use crate::clock;
use crate::recorder::current_task;
use crate::sync::{Mutex, add_relaxed};
use crate::tree::Link;

/// What is under the lock of a task.
#[derive(Debug)]
pub(super) struct Own {
    origin: Option<Packed>,
    /// The executor's waker: there while somebody keeps a clone of the task's.
    pub(super) outer: Option<Waker>,
}

/// One task. Counters are written by the thread that polls it, the wake by whoever wakes it.
#[derive(Debug)]
pub(crate) struct Task {
    /// Numbered from 1 in the order in which tasks came to be known; zero while this is nobody's.
    id: AtomicU64,
    pub(super) own: Mutex<Own>,
    /// The runtime's own number of it; zero if it has none.
    pub(crate) runtime_id: AtomicU64,
    /// The number of the root span, once it was polled.
    pub(crate) span: AtomicU64,
    /// Since when it is in its state: the tick above two bits.
    since: AtomicU64,
    /// When the last poll that is over began; zero before there is one.
    pub(crate) entered: AtomicU64,
    /// The tree of the thread that polled it last.
    pub(crate) thread: AtomicU32,
    pub(crate) polls: AtomicU32,
    pub(crate) busy: AtomicU64,
    /// Ticks between a wake and the poll that it led to, summed.
    pub(crate) queued: AtomicU64,
    /// The tick of the first wake that no poll has answered yet; zero if there is none.
    woken_at: AtomicU64,
    /// Who woke it last: a task, or zero for a thread outside of every task.
    pub(crate) woken_by: AtomicU64,
    /// The tick of that wake; zero if it never was.
    pub(crate) last_wake: AtomicU64,
    pub(crate) wakes: AtomicU32,
    pub(crate) self_wakes: AtomicU32,
    /// What it has given away; `None` if that is nothing.
    given: Link<Given>,
    pub(super) wakers: Wakers,
}

// Counters, and locks that no panic leaves half changed.
impl RefUnwindSafe for Task {}

/// What a task is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Doing {
    Unpolled,
    Running,
    Waiting,
    Queued,
}

const UNPOLLED: u64 = 0;
const RUNNING: u64 = 1;
const WAITING: u64 = 2;

impl Task {
    /// Nobody's yet.
    pub(super) fn new() -> Self {
        let zero = || AtomicU64::new(0);
        Self {
            id: zero(),
            own: Mutex::new(Own { origin: None, outer: None }),
            runtime_id: zero(),
            span: zero(),
            since: zero(),
            entered: zero(),
            thread: AtomicU32::new(0),
            polls: AtomicU32::new(0),
            busy: zero(),
            queued: zero(),
            woken_at: zero(),
            woken_by: zero(),
            last_wake: zero(),
            wakes: AtomicU32::new(0),
            self_wakes: AtomicU32::new(0),
            given: Link::new(None),
            wakers: Wakers::new(),
        }
    }

    /// Becomes a new task.
    pub(super) fn occupy(&self, id: u64, origin: Origin) {
        for counter in [
            &self.runtime_id,
            &self.span,
            &self.entered,
            &self.busy,
            &self.queued,
            &self.woken_at,
            &self.woken_by,
            &self.last_wake,
        ] {
            counter.store(0, Relaxed);
        }
        for counter in [&self.thread, &self.polls, &self.wakes, &self.self_wakes] {
            counter.store(0, Relaxed);
        }
        self.wakers.begin();
        if let Some(given) = self.given.get() {
            given.clear();
        }
        self.since.store(origin.made << 2 | UNPOLLED, Relaxed);
        let mut own = self.own.lock();
        own.origin = Some(Packed::new(origin));
        self.id.store(id, Relaxed);
    }

    /// The task is done. Returns whether it can be used again: nobody keeps its waker.
    pub(super) fn vacate(&self) -> bool {
        if let Some(given) = self.given.get() {
            given.end(self.id());
        }
        let mut own = self.own.lock();
        own.origin = None;
        self.id.store(0, Relaxed);
        self.wakers.end()
    }

    /// Its number, and how it came about; `None` if this is nobody's.
    pub(crate) fn origin(&self) -> Option<(u64, Origin)> {
        let own = self.own.lock();
        own.origin.as_ref().map(|packed| (self.id(), packed.origin()))
    }

    /// Whether it was spawned through this crate: then it is a root wherever it is polled.
    #[cold]
    pub(crate) fn was_spawned(&self) -> bool {
        self.own.lock().origin.as_ref().is_some_and(|packed| packed.origin().home.runtime != Runtime::Unknown)
    }

    #[inline]
    pub(crate) fn id(&self) -> u64 {
        self.id.load(Relaxed)
    }

    /// A poll starts. Returns the waker for it, when the last poll ended, and the tick of the wake that led to this one; zero
    /// if there was none.
    #[inline]
    pub(crate) fn enter(
        &'static self,
        now: u64,
        thread: u32,
        outer: &Waker,
    ) -> (Option<PollWaker>, u64, u64) {
        let before = self.since.load(Relaxed);
        let left = if before & 3 == WAITING { before >> 2 } else { 0 };
        self.since.store(now << 2 | RUNNING, Relaxed);
        self.thread.store(thread, Relaxed);
        // A wake that comes from now on asks for another poll.
        let woken = self.woken_at.load(Relaxed) != 0;
        // Release pairs with the Acquire of `doing`: who finds no wake finds the task running.
        let woken_at = if woken { self.woken_at.swap(0, Release) } else { 0 };
        (has_wakers().then(|| self.waker(outer)), left, woken_at)
    }

    /// It spawns something.
    pub(crate) fn note_spawn(&self) {
        self.give().note_spawn();
    }

    /// It sends something that can carry away what it has. `now` is when its poll began.
    #[inline]
    pub(crate) fn note_send(&self, resource: u64, message: u64, now: u64) {
        self.give().note_send(resource, message, now);
    }

    #[inline]
    fn give(&self) -> &'static Given {
        self.given.get().unwrap_or_else(|| self.begin_to_give())
    }

    #[cold]
    fn begin_to_give(&self) -> &'static Given {
        let given: &'static Given = Box::leak(Box::new(Given::new()));
        self.given.set(given);
        given
    }

    /// How often it has spawned, and sent what can carry something away.
    #[inline]
    pub(crate) fn given_away(&self) -> Counts {
        self.given.get().map_or(Counts::default(), Given::counts)
    }

    /// The same of a task that is done, with its number: the last of those before this one that gave something away.
    pub(crate) fn given_away_before(&self) -> Option<(u64, Counts)> {
        self.given.get().map(Given::done).filter(|(id, _)| *id != 0)
    }

    /// The resource that it has sent to last, the number of the message there, and when the poll began in which it did.
    pub(crate) fn sent_to(&self) -> [u64; 3] {
        self.given.get().map_or([0; 3], Given::sent_to)
    }

    /// How it came about and the runtime's number of it, if only hooks of the runtime tell of it.
    #[cold]
    pub(crate) fn hooked(&self) -> Option<(Origin, u64)> {
        let (_, origin) = self.origin()?;
        (origin.home.runtime == Runtime::TokioHooks).then(|| (origin, self.runtime_id.load(Relaxed)))
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
        self.polls.store(self.polls.load(Relaxed).wrapping_add(1), Relaxed);
        self.entered.store(now.saturating_sub(busy), Relaxed);
        // Release pairs with the Acquire of `doing`: who finds the task waiting finds the clones of its waker.
        self.since.store(now << 2 | WAITING, Release);
    }

    /// Its future is being dropped, wherever that is done.
    pub(crate) fn begin_drop(&self, now: u64) {
        self.since.store(now << 2 | RUNNING, Relaxed);
    }

    /// What it is doing, and since when.
    pub(crate) fn doing(&self) -> (Doing, u64) {
        let mut since = self.since.load(Acquire);
        let mut woken_at = self.woken_at.load(Acquire);
        // A poll that has begun in between has taken the wake.
        while since != self.since.load(Acquire) {
            since = self.since.load(Acquire);
            woken_at = self.woken_at.load(Acquire);
        }
        match since & 3 {
            UNPOLLED => (Doing::Unpolled, since >> 2),
            RUNNING => (Doing::Running, since >> 2),
            // Woken during the poll, it has been in the queue since the poll's end.
            _ if woken_at != 0 => (Doing::Queued, woken_at.max(since >> 2)),
            _ => (Doing::Waiting, since >> 2),
        }
    }

    /// Since when it is in its state, wakes apart.
    pub(crate) fn since(&self) -> u64 {
        self.since.load(Relaxed) >> 2
    }

    /// Clones of its waker that somebody keeps.
    pub(crate) fn live_wakers(&self) -> u32 {
        self.wakers.live()
    }

    /// It was woken, whether by its waker or otherwise.
    pub(super) fn woken(&self) {
        let by = current_task();
        self.woken_by.store(by, Relaxed);
        self.wakes.fetch_add(1, Relaxed);
        if by != 0 && by == self.id() {
            self.self_wakes.fetch_add(1, Relaxed);
        }
        let now = clock::now();
        self.last_wake.store(now, Relaxed);
        // Only the first wake counts: the poll that answers it answers all.
        let _ = self.woken_at.compare_exchange(0, now, Relaxed, Relaxed);
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
