//! A future that waits, as its resource and readers know it, and the waker that it waits with.

use std::collections::BTreeMap;
use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::task::{Wake, Waker};

use crate::clock;
use crate::live;
use crate::recorder;
use crate::site::Site;
use crate::sync::Mutex;

/// What is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(dead_code)] // Each is made by a feature.
pub(crate) enum Mode {
    Lock,
    Read,
    Write,
    Acquire,
    Send,
    Receive,
    Closed,
    Initialise,
    Arrive,
    Notified,
    Join,
    Timer,
    Shutdown,
    Custom,
}

/// A future that has returned `Pending`, or a thread that is blocked.
#[derive(Debug)]
pub(crate) struct Wait {
    pub(crate) id: u64,
    pub(crate) mode: Mode,
    pub(crate) units: u64,
    /// The tasks that are joined, by number.
    pub(crate) tasks: Vec<u64>,
    /// Of a timer, the tick at which it is due; zero for all else.
    pub(crate) due: u64,
    pub(crate) at: &'static Location<'static>,
    /// Where `at` is only where the thing was made: the await that polls it.
    pub(crate) awaited: Option<&'static Site>,
    /// When it was made known, after the poll that returned `Pending`.
    pub(crate) began: u64,
    /// A moment before it can have been in the queue.
    pub(crate) asked: u64,
    /// The tree of the thread on which it was made known.
    pub(crate) thread: Option<u32>,
    /// Whether that thread is blocked.
    pub(crate) is_blocking: bool,
    task: AtomicU64,
    span: AtomicU64,
    polls: AtomicU32,
    /// When its last poll began, or the one around it.
    entered: AtomicU64,
    /// The tick of the first wake since; zero if there was none.
    woken: AtomicU64,
    /// Whether the last `Pending` was not its own: the next wake says nothing of what it waits for.
    is_forced: AtomicBool,
    /// Whether its task's own waker is not what it was given.
    is_indirect: AtomicBool,
    /// Whether it was given up. The primitive may keep the waker all the same.
    is_over: AtomicBool,
    /// Whether it is off the record.
    is_ended: AtomicBool,
    /// When it was in the queue of the record, for all to see; zero before.
    recorded: AtomicU64,
    /// What it hands wakes on to.
    outer: Mutex<Option<Waker>>,
}

/// A copy of what changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct Polled {
    pub(crate) task: u64,
    pub(crate) span: u64,
    pub(crate) polls: u32,
    /// When its last poll began, or the one around it.
    pub(crate) entered: u64,
    pub(crate) woken: u64,
    pub(crate) is_forced: bool,
    pub(crate) is_indirect: bool,
    /// Whether it keeps a clone of its task's waker.
    pub(crate) keeps_waker: bool,
    /// Clones of its own waker that the resource keeps.
    pub(crate) wakers: u64,
    /// Whether it is off the record: a thread that was blocked goes on within the same poll.
    pub(crate) is_ended: bool,
}

impl Polled {
    /// Whether it has waited for the same from then to now. It may have been polled in between, without having been woken: one
    /// that gets what it waits for is over, and keeps no waker.
    pub(crate) fn waits_as(&self, before: &Self) -> bool {
        let same = Self { polls: before.polls, entered: before.entered, ..*self };
        same == *before && (self.polls == before.polls || self.woken == 0)
    }
}

/// The leaf, its waker, the queue and a reader keep it too.
const OWN: u64 = 4;

impl Wait {
    pub(super) fn new(mode: Mode, units: u64, at: &'static Location<'static>) -> Self {
        let here = recorder::here();
        let began = clock::now();
        Self {
            id: recorder::new_span(),
            mode,
            units,
            tasks: Vec::new(),
            due: 0,
            at,
            awaited: None,
            began,
            asked: if here.stamp == 0 { began } else { here.stamp },
            thread: here.thread,
            is_blocking: false,
            task: AtomicU64::new(here.task.map_or(0, live::Task::id)),
            span: AtomicU64::new(here.span),
            polls: AtomicU32::new(0),
            entered: AtomicU64::new(0),
            woken: AtomicU64::new(0),
            is_forced: AtomicBool::new(false),
            is_indirect: AtomicBool::new(false),
            is_over: AtomicBool::new(false),
            is_ended: AtomicBool::new(false),
            recorded: AtomicU64::new(0),
            outer: Mutex::new(None),
        }
    }

    /// A poll begins, whose waker is `outer`. Returns the wake that it answers, zero if there was none.
    pub(super) fn enter(&self, outer: &Waker) -> u64 {
        let here = recorder::here();
        self.task.store(here.task.map_or(0, live::Task::id), Relaxed);
        self.span.store(here.span, Relaxed);
        self.entered.store(if here.stamp == 0 { clock::now() } else { here.stamp }, Relaxed);
        self.is_indirect.store(!here.task.is_some_and(|task| task.is_waker(outer)), Relaxed);
        let mut own = self.outer.lock();
        let old = if own.as_ref().is_some_and(|own| own.will_wake(outer)) {
            None
        } else {
            own.replace(outer.clone())
        };
        drop(own);
        // Wakers are other people's code: no lock is held when they are dropped.
        drop(old);
        self.woken.swap(0, Relaxed)
    }

    /// The poll has returned `Pending`. One that was forced to has not answered the wake.
    pub(super) fn leave(&self, is_forced: bool, answered: u64) {
        self.polls.store(self.polls.load(Relaxed).wrapping_add(1), Relaxed);
        if is_forced && answered != 0 && !self.is_forced.load(Relaxed) {
            self.woken.store(answered, Relaxed);
        } else {
            self.is_forced.store(is_forced, Relaxed);
        }
    }

    /// A poll in a `block_on` or the like has returned `Pending` because it was forced to.
    pub(super) fn force(&self) {
        self.polls.store(self.polls.load(Relaxed).wrapping_add(1), Relaxed);
        self.is_forced.store(true, Relaxed);
        self.is_indirect.store(true, Relaxed);
    }

    /// It was given up: a clone of its waker that somebody keeps wakes its task.
    pub(super) fn give_up(&self) {
        self.is_over.store(true, Relaxed);
    }

    /// It is over: a clone of its waker that somebody keeps wakes nobody any more.
    pub(super) fn end(&self) {
        let outer = self.outer.lock().take();
        drop(outer);
    }

    /// It is off the record.
    pub(super) fn leave_record(&self) {
        self.is_ended.store(true, Relaxed);
    }

    /// It is in its queue.
    pub(super) fn note_recorded(&self) {
        self.recorded.store(clock::now(), Relaxed);
    }

    /// Whether it surely was in its queue before that.
    pub(crate) fn was_recorded_before(&self, tick: u64) -> bool {
        let recorded = self.recorded.load(Relaxed);
        recorded != 0 && recorded < tick
    }

    /// Whether somebody keeps a clone of its waker, besides those who know it.
    pub(super) fn is_kept(self: &Arc<Self>) -> bool {
        Arc::strong_count(self) as u64 >= OWN
    }

    pub(crate) fn read(self: &Arc<Self>) -> Polled {
        let own = if self.is_over.load(Relaxed) { 1 } else { OWN };
        Polled {
            task: self.task.load(Relaxed),
            span: self.span.load(Relaxed),
            polls: self.polls.load(Relaxed),
            entered: self.entered.load(Relaxed),
            woken: self.woken.load(Relaxed),
            is_forced: self.is_forced.load(Relaxed),
            is_indirect: self.is_indirect.load(Relaxed),
            keeps_waker: self.outer.lock().is_some(),
            wakers: (Arc::strong_count(self) as u64).saturating_sub(own),
            is_ended: self.is_ended.load(Relaxed),
        }
    }
}

impl Wake for Wait {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if self.woken.load(Relaxed) == 0 {
            self.woken.store(clock::now(), Relaxed);
        }
        let outer = self.outer.lock().clone();
        if let Some(outer) = outer {
            outer.wake();
        }
    }
}

/// Waits that are at no resource: timers and joins. In parts, so that threads do not wait for each other.
static PARTS: [Mutex<BTreeMap<u64, Arc<Wait>>>; 64] = [const { Mutex::new(BTreeMap::new()) }; 64];

fn part(id: u64) -> &'static Mutex<BTreeMap<u64, Arc<Wait>>> {
    &PARTS[usize::try_from(id % 64).unwrap_or(0)]
}

pub(super) fn add(wait: &Arc<Wait>) {
    part(wait.id).lock().insert(wait.id, Arc::clone(wait));
}

pub(super) fn remove(id: u64) {
    let wait = part(id).lock().remove(&id);
    if let Some(wait) = wait {
        wait.leave_record();
    }
}

/// Waits that are at no resource, by number.
pub(crate) fn all_waits() -> Vec<Arc<Wait>> {
    let mut waits: Vec<Arc<Wait>> =
        PARTS.iter().flat_map(|part| part.lock().values().cloned().collect::<Vec<_>>()).collect();
    waits.sort_by_key(|wait| wait.id);
    waits
}
