//! A future that waits, as readers know it, and the waker that it waits with.
//!
//! Waits come from a pool and are used again, so what readers do is copy ([`Wait::copy`]) and look at the number. A primitive is
//! polled with a waker that is lent from the stack; the first clone of that takes a wait, and so does a `Pending`.

use std::panic::{Location, RefUnwindSafe, UnwindSafe};
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU32, AtomicU64, fence};
use std::task::{RawWakerVTable, Waker};

use super::record::Record;
use crate::clock;
use crate::context;
use crate::live::{self, Forward, Lender, Lent, Promoted, lent_table, promoted_table};
use crate::pool::{self, pooled};
use crate::site::Site;
use crate::sync::{Mutex, add_relaxed};
use crate::tree::Link;

/// What is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(dead_code)] // Each is made by a feature.
#[repr(u32)]
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

const MODES: [Mode; 14] = [
    Mode::Lock,
    Mode::Read,
    Mode::Write,
    Mode::Acquire,
    Mode::Send,
    Mode::Receive,
    Mode::Closed,
    Mode::Initialise,
    Mode::Arrive,
    Mode::Notified,
    Mode::Join,
    Mode::Timer,
    Mode::Shutdown,
    Mode::Custom,
];

/// A future that has returned `Pending`, or a thread that is blocked. Written by whoever polls it, but for the wake.
#[derive(Debug)]
pub(crate) struct Wait {
    /// Unique in the process; zero while this is nobody's.
    id: AtomicU64,
    forward: Forward,
    /// See the constants below.
    flags: AtomicU32,
    mode: AtomicU32,
    /// The resource, and the number of that; zero if it waits for none.
    record: Link<Record>,
    resource: AtomicU64,
    /// How many were put into the queue of the record before it.
    place: AtomicU64,
    /// How many were there before it can have been.
    asked: AtomicU64,
    units: AtomicU64,
    /// The tasks that are joined, by number.
    tasks: Mutex<Vec<u64>>,
    /// Of a timer, the tick at which it is due; zero for all else.
    due: AtomicU64,
    at: Link<Location<'static>>,
    /// Where `at` is only where the thing was made: the await that polls it.
    awaited: Link<Site>,
    /// When the poll ended that returned `Pending`; zero before that.
    began: AtomicU64,
    /// The tree of the thread on which it began, plus one.
    thread: AtomicU64,
    task: AtomicU64,
    span: AtomicU64,
    polls: AtomicU64,
    /// The last reading of the clock before its last poll.
    entered: AtomicU64,
    /// The tick of the first wake since; zero if there was none.
    woken: AtomicU64,
}

pooled!(Wait, max = 1 << 24, chunk = 64);

// Counters, and a waker that no panic leaves half changed.
impl UnwindSafe for Wait {}
impl RefUnwindSafe for Wait {}

/// It waits, for all to see.
const LISTED: u32 = 1;
/// The thread is blocked.
const BLOCKING: u32 = 1 << 1;
/// The last `Pending` was not its own: the next wake says nothing of what it waits for.
const FORCED: u32 = 1 << 2;
/// Its task's own waker is not what it was given.
const INDIRECT: u32 = 1 << 3;
/// It was given up. The primitive may keep the waker all the same.
const OVER: u32 = 1 << 4;

static TABLE: RawWakerVTable = promoted_table::<Wait>();
static LENT: RawWakerVTable = lent_table::<WaitWaker>();

/// A copy of what changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct Polled {
    pub(crate) task: u64,
    pub(crate) span: u64,
    pub(crate) polls: u64,
    /// The last reading of the clock before its last poll.
    pub(crate) entered: u64,
    pub(crate) woken: u64,
    pub(crate) is_forced: bool,
    pub(crate) is_indirect: bool,
    /// Clones of its own waker that the resource keeps. While there are any, it keeps one of its task's.
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

/// A copy of a wait.
#[derive(Debug, Clone)]
pub(crate) struct Waiting {
    wait: &'static Wait,
    pub(crate) id: u64,
    pub(crate) mode: Mode,
    pub(crate) units: u64,
    pub(crate) tasks: Vec<u64>,
    /// Zero for what is no timer.
    pub(crate) due: u64,
    pub(crate) at: &'static Location<'static>,
    pub(crate) awaited: Option<&'static Site>,
    /// The number of the resource; zero if it waits for none.
    pub(crate) resource: u64,
    pub(crate) place: u64,
    pub(crate) asked: u64,
    pub(crate) began: u64,
    pub(crate) thread: Option<u32>,
    pub(crate) is_blocking: bool,
    /// Whether it was given up, and only its waker is left.
    pub(crate) is_given_up: bool,
    pub(crate) polled: Polled,
}

impl Waiting {
    /// What changes, as it is now.
    pub(crate) fn read(&self) -> Polled {
        let polled = self.wait.polled();
        // Acquire: what was read is of this wait, if its number is still there.
        fence(Acquire);
        let is_ended = polled.is_ended || self.wait.id.load(Relaxed) != self.id;
        Polled { is_ended, ..polled }
    }
}

/// What a wait has to say when it begins.
#[derive(Debug)]
pub(super) struct Begun {
    pub(super) record: Option<&'static Record>,
    pub(super) mode: Mode,
    pub(super) units: u64,
    pub(super) tasks: Vec<u64>,
    pub(super) due: u64,
    pub(super) at: &'static Location<'static>,
    pub(super) awaited: Option<&'static Site>,
    pub(super) asked: u64,
    pub(super) is_blocking: bool,
}

impl Wait {
    fn free() -> Self {
        let zero = || AtomicU64::new(0);
        Self {
            id: zero(),
            forward: Forward::new(),
            flags: AtomicU32::new(0),
            mode: AtomicU32::new(0),
            record: Link::new(None),
            resource: zero(),
            place: zero(),
            asked: zero(),
            units: zero(),
            tasks: Mutex::new(Vec::new()),
            due: zero(),
            at: Link::new(None),
            awaited: Link::new(None),
            began: zero(),
            thread: zero(),
            task: zero(),
            span: zero(),
            polls: zero(),
            entered: zero(),
            woken: zero(),
        }
    }

    /// One that is not listed yet. `None` if there are too many.
    pub(super) fn take() -> Option<&'static Self> {
        let wait: &'static Self = pool::take()?;
        // Pairs with the Acquire fence in `copy`: whoever copies a field of this wait sees that the last one is gone.
        fence(Release);
        wait.flags.store(0, Relaxed);
        wait.polls.store(0, Relaxed);
        wait.woken.store(0, Relaxed);
        wait.forward.begin();
        // Release pairs with the Acquire in `copy`.
        wait.id.store(context::new_span(), Release);
        Some(wait)
    }

    /// It is listed, and in the queue of its record.
    pub(super) fn begin(&'static self, begun: Begun, outer: Option<&Waker>) {
        let Begun { record, mode, units, tasks, due, at, awaited, asked, is_blocking } = begun;
        self.mode.store(mode as u32, Relaxed);
        self.units.store(units, Relaxed);
        if !tasks.is_empty() {
            *self.tasks.lock() = tasks;
        }
        self.due.store(due, Relaxed);
        self.at.set(at);
        self.awaited.put(awaited);
        self.asked.store(asked, Relaxed);
        self.record.put(record);
        self.resource.store(record.map_or(0, Record::id), Relaxed);
        self.place.store(record.map_or(0, Record::enqueue), Relaxed);
        self.thread.store(context::context().tree.map_or(0, |tree| u64::from(tree) + 1), Relaxed);
        let is_indirect = self.note_poll(outer);
        if context::stamp() == 0 || is_blocking {
            self.began.store(clock::now(), Relaxed);
        } else {
            self.began.store(0, Relaxed);
            // It waits from the end of this poll on, where the recorder reads the clock.
            if let Some(before) = context::note_end(&self.began) {
                before.store(clock::now(), Relaxed);
            }
        }
        let flags = LISTED | if is_blocking { BLOCKING } else { 0 } | if is_indirect { INDIRECT } else { 0 };
        // Release pairs with the Acquire of `copy`: whoever finds it listed finds the rest.
        self.flags.store(flags, Release);
    }

    /// Who polls it. Returns whether the waker that it was given is not the task's own.
    fn note_poll(&self, outer: Option<&Waker>) -> bool {
        let here = live::here();
        self.task.store(here.task, Relaxed);
        self.span.store(here.span, Relaxed);
        self.entered.store(if here.stamp == 0 { clock::now() } else { here.stamp }, Relaxed);
        !outer.is_some_and(live::current::is_waker)
    }

    /// A later poll begins. Returns the wake that it answers, zero if there was none.
    pub(super) fn enter(&self, outer: &Waker) -> u64 {
        let is_indirect = self.note_poll(Some(outer));
        self.set(INDIRECT, is_indirect);
        if self.woken.load(Relaxed) == 0 { 0 } else { self.woken.swap(0, Relaxed) }
    }

    /// The poll has returned `Pending`. One that was forced to has not answered the wake.
    pub(super) fn leave(&self, is_forced: bool, answered: u64) {
        add_relaxed(&self.polls, 1);
        if is_forced && answered != 0 && self.flags.load(Relaxed) & FORCED == 0 {
            self.woken.store(answered, Relaxed);
        } else {
            self.set(FORCED, is_forced);
        }
    }

    /// A poll in a `block_on` or the like has returned `Pending` because it was forced to.
    pub(super) fn force(&self) {
        add_relaxed(&self.polls, 1);
        self.set(FORCED | INDIRECT, true);
    }

    fn set(&self, flag: u32, on: bool) {
        let flags = self.flags.load(Relaxed);
        self.flags.store(if on { flags | flag } else { flags & !flag }, Relaxed);
    }

    pub(super) fn is_listed(&self) -> bool {
        self.flags.load(Relaxed) & LISTED != 0
    }

    /// It waits no longer. One that was given up, as a future of `recv` that is made anew for every poll, may have left its
    /// waker with the primitive, and its task may count on that; otherwise a clone that somebody keeps wakes nobody any more.
    pub(super) fn end(&'static self, is_given_up: bool) {
        let was_listed = self.is_listed();
        if was_listed {
            self.set(LISTED, false);
            if context::forget_end(&self.began) {
                self.began.store(context::stamp(), Relaxed);
            }
            if let Some(record) = self.record.get() {
                record.dequeue(self.place.load(Relaxed), (!is_given_up).then(|| self.waited()));
            }
        }
        if self.forward.clones() != 0 {
            if is_given_up {
                self.set(OVER, was_listed);
            } else {
                self.forward.replace(None);
            }
        }
        if self.forward.end() {
            Promoted::free(self);
        }
    }

    /// For how long, up to the poll that ends it.
    fn waited(&self) -> u64 {
        let now = match context::stamp() {
            0 => clock::now(),
            stamp => stamp,
        };
        now.saturating_sub(self.began.load(Relaxed))
    }

    fn polled(&self) -> Polled {
        let flags = self.flags.load(Relaxed);
        Polled {
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

    /// A copy, if it waits, or was given up and its waker is still kept.
    fn copy(&'static self) -> Option<Waiting> {
        // Acquire pairs with the Release in `take`.
        let id = self.id.load(Acquire);
        // Acquire pairs with the Release in `begin`.
        let flags = self.flags.load(Acquire);
        let is_given_up = flags & OVER != 0 && self.forward.clones() != 0;
        if id == 0 || (flags & LISTED == 0 && !is_given_up) {
            return None;
        }
        let began = self.began.load(Relaxed);
        let waiting = Waiting {
            wait: self,
            id,
            mode: MODES[self.mode.load(Relaxed) as usize % MODES.len()],
            units: self.units.load(Relaxed),
            tasks: if self.mode.load(Relaxed) == Mode::Join as u32
                || self.mode.load(Relaxed) == Mode::Shutdown as u32
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
            began: if began == 0 { clock::now() } else { began },
            thread: self.thread.load(Relaxed).checked_sub(1).and_then(|thread| u32::try_from(thread).ok()),
            is_blocking: flags & BLOCKING != 0,
            is_given_up,
            polled: self.polled(),
        };
        // Pairs with the Release fence in `take`: a field of a later wait makes the number below another one.
        fence(Acquire);
        (self.id.load(Relaxed) == id).then_some(waiting)
    }
}

impl Promoted for Wait {
    fn forward(&self) -> &Forward {
        &self.forward
    }

    fn table() -> &'static RawWakerVTable {
        &TABLE
    }

    fn note_wake(&self) {
        if self.woken.load(Relaxed) == 0 {
            let now = clock::now();
            self.woken.store(now, Relaxed);
            context::set_wake_stamp(now);
        }
    }

    fn end_wake() {
        context::set_wake_stamp(0);
    }

    /// Not asked: a wait is woken by the primitive, wherever that is.
    fn is_polled_here(&self) -> bool {
        false
    }

    fn free(&'static self) {
        self.id.store(0, Relaxed);
        pool::put(self);
    }
}

/// The waker of a first poll, on its stack.
#[derive(Debug)]
pub(super) struct WaitWaker {
    lent: Lent<Wait>,
}

impl WaitWaker {
    pub(super) const fn new() -> Self {
        Self { lent: Lent::new() }
    }

    pub(super) fn table() -> &'static RawWakerVTable {
        &LENT
    }

    /// The wait that its first clone has taken.
    pub(super) fn wait(&self) -> Option<&'static Wait> {
        self.lent.promoted()
    }
}

impl Lender for WaitWaker {
    type Promoted = Wait;

    fn promote(&self) -> Option<&'static Wait> {
        let wait = Wait::take()?;
        if !self.lent.set(wait) {
            wait.end(false);
        }
        self.lent.promoted()
    }

    fn note_wake(&self) {}

    fn lent(&self) -> &Lent<Wait> {
        &self.lent
    }
}

/// Copies of all waits.
pub(crate) fn all_waits() -> impl Iterator<Item = Waiting> {
    pool::all::<Wait>().filter_map(Wait::copy)
}
