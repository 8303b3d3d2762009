//! The cell of a waiting future, as readers see it, and its waker.
//!
//! Cells come from a pool and are reused. So readers copy them (`WaitCell::copy`) and check that
//! the number has not changed. A primitive is polled with a waker that is lent from the stack. The
//! first clone of that waker, or a `Pending`, takes a cell from the pool.

use std::panic::{Location, RefUnwindSafe, UnwindSafe};
use std::sync::atomic::Ordering::{Relaxed, Release};
use std::sync::atomic::{AtomicU32, AtomicU64, fence};
use std::task::{RawWakerVTable, Waker};

use super::record::Record;
use super::wait_future::{WaitInfo, WaitTarget};
use crate::clock;
use crate::context;
use crate::live::{self, Forward, Lendable, Promoted, lent_table, promoted_table};
use crate::pool::{self, pooled};
use crate::recorder;
use crate::site::Site;
use crate::sync::{Mutex, add_relaxed};
use crate::tree::{Link, Node};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
pub(crate) enum WaitMode {
    Lock,
    Read,
    Write,
    Acquire,
    Send,
    Receive,
    Closed,
    Initialize,
    Arrive,
    Notified,
    Join,
    Timer,
    Shutdown,
    Custom,
    /// Runs the tasks of a `LocalSet`.
    LocalSet,
}

pub(super) const MODES: [WaitMode; 15] = [
    WaitMode::Lock,
    WaitMode::Read,
    WaitMode::Write,
    WaitMode::Acquire,
    WaitMode::Send,
    WaitMode::Receive,
    WaitMode::Closed,
    WaitMode::Initialize,
    WaitMode::Arrive,
    WaitMode::Notified,
    WaitMode::Join,
    WaitMode::Timer,
    WaitMode::Shutdown,
    WaitMode::Custom,
    WaitMode::LocalSet,
];

/// How a wait ends. The wakers that are still stored wake the task in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WaitEnd {
    /// Its future is ready.
    Ready,
    /// Its future is dropped. The task may rely on the wakers: one example is a `recv` future that
    /// is made anew for every poll.
    GivenUp,
}

/// A future that has returned `Pending`, or a blocked thread. The thread that polls it writes the
/// fields; only the wake may come from another thread.
#[derive(Debug, Default)]
pub(crate) struct WaitCell {
    /// Unique in the process; 0 while the cell is free.
    pub(super) id: AtomicU64,
    pub(super) forward: Forward,
    /// [`LISTED`] and the other flags below.
    pub(super) flags: AtomicU32,
    pub(super) mode: AtomicU32,
    /// The resource and its number; `None` and 0 if it waits for none.
    record: Link<Record>,
    pub(super) resource: AtomicU64,
    /// Number of waits put into the record's queue before this one.
    pub(super) place: AtomicU64,
    /// Number of waits put into that queue before its first poll: these are ahead.
    pub(super) asked: AtomicU64,
    pub(super) units: AtomicU64,
    /// Numbers of the joined tasks.
    pub(super) tasks: Mutex<Vec<u64>>,
    /// When a timer is due, or a blocked thread gives up, by
    /// [`instant_ns`](crate::clock::instant_ns); 0 if never, or unknown.
    pub(super) due: AtomicU64,
    pub(super) at: Link<Location<'static>>,
    /// The node in which a wait for units began: if it is cancelled, it ends in another node.
    node: Link<Node>,
    /// The await that polls the future, if `at` only names where the future was made.
    pub(super) awaited: Link<Site>,
    /// Tick at which the poll that returned `Pending` ended; 0 before that.
    pub(super) began: AtomicU64,
    /// Tree of the thread on which it began, plus one; 0 if none.
    pub(super) thread: AtomicU64,
    pub(super) task: AtomicU64,
    pub(super) span: AtomicU64,
    /// The [`Memory`](live::Memory) of its future.
    pub(super) memory: AtomicU64,
    pub(super) polls: AtomicU64,
    /// Last reading of the clock before its last poll, as a tick.
    pub(super) entered: AtomicU64,
    /// The node that ran when it was polled last, such as the node of the await.
    pub(super) polled_in: Link<Node>,
    /// Tick of the first wake since the last poll; 0 if none.
    pub(super) woken: AtomicU64,
}

pooled!(WaitCell, max = 1 << 24, chunk = 64);

// Counters and a waker: a panic leaves none of them half changed.
impl UnwindSafe for WaitCell {}
impl RefUnwindSafe for WaitCell {}

/// The wait is visible to readers.
pub(super) const LISTED: u32 = 1;
/// The thread is blocked.
pub(super) const BLOCKING: u32 = 1 << 1;
/// The last `Pending` was forced, so the next wake says nothing about the resource.
pub(super) const FORCED: u32 = 1 << 2;
/// The wait was polled with a waker other than its task's own.
pub(super) const INDIRECT: u32 = 1 << 3;
/// The wait was given up. The primitive may still store its waker.
pub(super) const OVER: u32 = 1 << 4;
/// The future does not move before it ends.
pub(super) const PINNED: u32 = 1 << 5;
/// The future was ready. The primitive may still store its waker.
pub(super) const READY: u32 = 1 << 6;
/// The future was ready, and the primitive does not use its waker any more.
pub(super) const RESTS: u32 = 1 << 7;

static TABLE: RawWakerVTable = promoted_table::<WaitCell>();
/// Of the waker of a first poll, on the stack of that poll.
pub(super) static LENT: RawWakerVTable = lent_table::<WaitCell>();

#[derive(Debug, Clone, Copy)]
pub(super) struct WaitStart {
    /// The tick at which a blocked thread gives up; 0 if it never does.
    pub(super) gives_up: u64,
    pub(super) asked: u64,
    pub(super) is_pinned: bool,
    pub(super) memory: live::Memory,
}

impl WaitCell {
    /// Takes a cell that is not listed yet. Returns `None` if the pool is full.
    pub(super) fn take() -> Option<&'static Self> {
        let wait: &'static Self = pool::take()?;
        wait.renew();
        wait.woken.store(0, Relaxed);
        wait.forward.begin();
        Some(wait)
    }

    /// Becomes another wait, which is not listed yet, with the wakers that are stored.
    pub(super) fn renew(&self) {
        self.id.store(0, Relaxed);
        // Pairs with the Acquire fence in `copy`: a reader that copies a field of this wait sees
        // that the previous wait is gone.
        fence(Release);
        self.flags.store(0, Relaxed);
        self.polls.store(0, Relaxed);
        // Release pairs with the Acquire in `copy`: a reader that sees the number sees that the
        // wait is not listed yet.
        self.id.store(context::new_span(), Release);
    }

    /// Lists the wait of a future that was polled with `outer`, or of a blocked thread.
    pub(super) fn begin(&'static self, info: WaitInfo, start: WaitStart, outer: Option<&Waker>) {
        let WaitStart { gives_up, asked, is_pinned, memory } = start;
        let is_blocking = outer.is_none();
        let awaited = if info.is_made_there { recorder::awaited() } else { None };
        let WaitInfo { target, mode, units, at, .. } = info;
        let (record, tasks, due) = match target {
            WaitTarget::Resource(record) => (record, Vec::new(), gives_up),
            WaitTarget::Tasks(tasks) => (None, tasks, gives_up),
            WaitTarget::Moment(due) => (None, Vec::new(), due),
        };
        context::count(|counts| &counts.waits);
        self.mode.store(mode as u32, Relaxed);
        self.units.store(units, Relaxed);
        if !tasks.is_empty() || matches!(mode, WaitMode::Join | WaitMode::Shutdown) {
            *self.tasks.lock() = tasks;
        }
        self.due.store(due, Relaxed);
        self.at.set(at);
        self.awaited.put(awaited);
        self.asked.store(asked, Relaxed);
        self.memory.store(memory.0, Relaxed);
        self.record.put(record);
        self.node.put(record.filter(|record| record.has_units()).and_then(|_| recorder::current_node()));
        self.resource.store(record.map_or(0, Record::id), Relaxed);
        self.place.store(record.map_or(0, Record::enqueue), Relaxed);
        self.thread.store(context::context().tree.map_or(0, |tree| u64::from(tree) + 1), Relaxed);
        let is_indirect = self.note_poll(outer);
        // In a `block_on` or similar, the surrounding poll does not end.
        if context::stamp() == 0 || is_blocking || is_indirect {
            self.began.store(clock::now(), Relaxed);
        } else {
            self.began.store(0, Relaxed);
            // The wait begins at the end of this poll, where the recorder reads the clock.
            if let Some(before) = context::note_end(&self.began) {
                before.store(clock::now(), Relaxed);
            }
        }
        let flags = [(is_blocking, BLOCKING), (is_indirect, INDIRECT), (is_pinned, PINNED)];
        let flags = flags.into_iter().filter(|(is_set, _)| *is_set).fold(LISTED, |all, (_, flag)| all | flag);
        // Release pairs with the Acquire of `copy`: a reader that finds it listed sees the other
        // fields.
        self.flags.store(flags, Release);
    }

    /// Records the polling task. Returns whether `outer` is not the task's own waker.
    pub(super) fn note_poll(&self, outer: Option<&Waker>) -> bool {
        let here = live::current_poll();
        self.task.store(here.task, Relaxed);
        self.span.store(here.span, Relaxed);
        self.entered.store(if here.stamp == 0 { clock::now() } else { here.stamp }, Relaxed);
        self.polled_in.put(recorder::current_node());
        !outer.is_some_and(live::current::is_waker)
    }

    /// Begins a later poll. Returns the tick of the wake that it answers, or 0 if there was none.
    pub(super) fn enter(&self, outer: &Waker) -> u64 {
        let is_indirect = self.note_poll(Some(outer));
        self.set(INDIRECT, is_indirect);
        self.forget_wake()
    }

    /// Takes the tick of the wake that the poll beginning now answers; 0 if there was none.
    pub(super) fn forget_wake(&self) -> u64 {
        // No read-modify-write is needed. A wake does not overwrite a tick, and a wake that this
        // poll causes comes later, through the primitive.
        let answered = self.woken.load(Relaxed);
        if answered != 0 {
            self.woken.store(0, Relaxed);
        }
        answered
    }

    /// Ends a poll that returned `Pending`. A forced `Pending` does not answer the wake.
    pub(super) fn leave(&self, flags: u32, is_forced: bool, answered: u64) {
        add_relaxed(&self.polls, 1);
        if is_forced && answered != 0 && flags & FORCED == 0 {
            self.woken.store(answered, Relaxed);
        } else {
            self.flags.store(if is_forced { flags | FORCED } else { flags & !FORCED }, Relaxed);
        }
    }

    /// Records a forced `Pending` in a `block_on` or similar.
    pub(super) fn force(&self) {
        add_relaxed(&self.polls, 1);
        self.set(FORCED | INDIRECT, true);
    }

    pub(super) fn set(&self, flag: u32, on: bool) {
        let flags = self.flags.load(Relaxed);
        self.flags.store(if on { flags | flag } else { flags & !flag }, Relaxed);
    }

    pub(super) fn record(&self) -> Option<&'static Record> {
        self.record.get()
    }

    pub(super) fn is_listed(&self) -> bool {
        self.flags.load(Relaxed) & LISTED != 0
    }

    #[cfg(feature = "tokio")]
    pub(super) fn is_pinned(&self) -> bool {
        self.flags.load(Relaxed) & PINNED != 0
    }

    /// Ends the wait.
    pub(super) fn end(&'static self, end: WaitEnd) {
        let is_known = self.flags.load(Relaxed) & (LISTED | READY) != 0;
        self.unlist(end);
        if end == WaitEnd::GivenUp && is_known && self.forward.clones() != 0 {
            self.show_left(OVER);
        }
        if self.forward.end() {
            Promoted::free(self);
        }
    }

    /// Takes the wait from the list.
    pub(super) fn unlist(&'static self, end: WaitEnd) {
        let was_listed = self.is_listed();
        if was_listed {
            self.set(LISTED, false);
            if context::forget_end(&self.began) {
                self.began.store(context::stamp(), Relaxed);
            }
            if let Some(record) = self.record.get() {
                // At a channel with a capacity, the waits that count are those for a free slot.
                let is_receive = self.mode.load(Relaxed) == WaitMode::Receive as u32;
                let is_uncounted = end == WaitEnd::GivenUp || is_receive && record.is_bounded_queue();
                record.dequeue(self.place.load(Relaxed), self.waited(), is_uncounted, self.call());
            }
        }
    }

    /// The call that waits, and its node.
    fn call(&self) -> Option<(&'static Location<'static>, Option<&'static Node>)> {
        Some((self.at.get()?, self.node.get()))
    }

    /// Returns the ticks from its start to the poll that ends it. For a blocked thread, which may
    /// be inside a poll, returns the ticks until now.
    fn waited(&self) -> u64 {
        let is_blocking = self.flags.load(Relaxed) & BLOCKING != 0;
        let now = match context::stamp() {
            stamp if stamp != 0 && !is_blocking => stamp,
            _ => clock::now(),
        };
        // A future that another thread drops before its first poll is over has not begun to wait.
        let began = match self.began.load(Relaxed) {
            0 => self.entered.load(Relaxed),
            began => began,
        };
        now.saturating_sub(began)
    }
}

impl Promoted for WaitCell {
    fn forward(&self) -> &Forward {
        &self.forward
    }

    #[inline]
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

    fn free(&'static self) {
        self.id.store(0, Relaxed);
        pool::put(self);
    }
}

impl Lendable for WaitCell {
    fn take() -> Option<&'static Self> {
        Self::take()
    }

    fn discard(&'static self) {
        self.end(WaitEnd::Ready);
    }
}
