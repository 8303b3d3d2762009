//! The current task, span and tree of this thread. The bottom module of the crate.
//!
//! The recorder writes them; the live registry and the waits read them. This module imports no
//! other. Its cells have no destructor, so they are usable until the thread ends.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The running span of a thread, its clock and its tree.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Context {
    /// The id of the running span; zero between polls.
    pub(crate) span: u64,
    /// The tick of the last clock reading in the running poll; zero between polls.
    pub(crate) stamp: u64,
    /// The number of the thread's tree; `None` if it has none.
    pub(crate) tree: Option<u32>,
}

/// Counts of spawns, uses and waits on the threads that have leased a tree. Written by the tree's
/// thread only.
#[derive(Debug, Default)]
pub(crate) struct ThreadCounts {
    /// Number of locks taken, messages sent or received, and other operations on resources.
    pub(crate) uses: AtomicU64,
    /// Number of futures that waited for an operation on a resource.
    pub(crate) waits: AtomicU64,
    /// Number of tasks listed by their spawner.
    pub(crate) spawns: AtomicU64,
}

/// Numbers that are unique in the process, taken from a global counter in blocks.
#[derive(Debug)]
struct Numbers {
    next: Cell<u64>,
    end: Cell<u64>,
}

/// The cells of a thread. They are one struct, because each access to a thread-local of a library
/// looks up its address.
#[derive(Debug)]
struct Cells {
    span: Cell<u64>,
    stamp: Cell<u64>,
    /// Where to store the next clock reading: the tick at which a wait begins.
    end: Cell<Option<&'static AtomicU64>>,
    /// The id of the running task; zero outside of tasks.
    task: Cell<u64>,
    wake: Cell<u64>,
    /// Whether an await that owns a join handle polls it next.
    joins: Cell<bool>,
    /// The number of the tree, plus one; zero if there is none.
    tree: Cell<u64>,
    /// The counts of that tree.
    counts: Cell<Option<&'static ThreadCounts>>,
    spans: Numbers,
    tasks: Numbers,
    resources: Numbers,
}

thread_local! {
    static CELLS: Cells = const {
        Cells {
            span: Cell::new(0),
            stamp: Cell::new(0),
            end: Cell::new(None),
            task: Cell::new(0),
            wake: Cell::new(0),
            joins: Cell::new(false),
            tree: Cell::new(0),
            counts: Cell::new(None),
            spans: Numbers::new(),
            tasks: Numbers::new(),
            resources: Numbers::new(),
        }
    };
}

#[inline]
pub(crate) fn context() -> Context {
    let tree = CELLS.with(|cells| cells.tree.get()).checked_sub(1);
    Context { span: span(), stamp: stamp(), tree: tree.and_then(|tree| u32::try_from(tree).ok()) }
}

/// The id of the running span; zero between polls.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn span() -> u64 {
    CELLS.with(|cells| cells.span.get())
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn set_span(span: u64) {
    CELLS.with(|cells| cells.span.set(span));
}

/// Records that an await is about to poll a join handle that it owns.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn await_handle() {
    CELLS.with(|cells| cells.joins.set(true));
}

/// Returns whether the join handle that is polled now belongs to the await that polls it. True once
/// per await.
#[cfg(feature = "tokio")]
#[inline]
pub(crate) fn take_awaited_handle() -> bool {
    CELLS.with(|cells| cells.joins.replace(false))
}

/// The tick of the last clock reading in the running poll; zero between polls.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn stamp() -> u64 {
    CELLS.with(|cells| cells.stamp.get())
}

/// Records a clock reading. With `is_over`, the thread is outside of every poll from then on.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn note_reading(now: u64, is_over: bool) {
    CELLS.with(|cells| {
        cells.stamp.set(if is_over { 0 } else { now });
        if cells.end.get().is_some() {
            end(now);
        }
    });
}

/// Records a clock reading while no end of a wait is due: see [`is_end_due`].
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn set_stamp(stamp: u64) {
    CELLS.with(|cells| cells.stamp.set(stamp));
}

/// Returns whether the next reading has to be stored where a wait begins.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn is_end_due() -> bool {
    CELLS.with(|cells| cells.end.get().is_some())
}

#[cold]
#[inline(never)]
fn end(now: u64) {
    if let Some(cell) = CELLS.with(|cells| cells.end.take()) {
        cell.store(now, Relaxed);
    }
}

/// Stores the next clock reading of this thread in `cell`. Returns the cell that it replaces.
pub(crate) fn note_end(cell: &'static AtomicU64) -> Option<&'static AtomicU64> {
    CELLS.with(|cells| cells.end.replace(Some(cell)))
}

/// Stops storing a reading in `cell`. Returns whether one was still due.
pub(crate) fn forget_end(cell: &'static AtomicU64) -> bool {
    CELLS.with(|cells| {
        let is_it = cells.end.get().is_some_and(|other| std::ptr::eq(other, cell));
        if is_it {
            cells.end.set(None);
        }
        is_it
    })
}

/// Sets or clears the thread's tree.
pub(crate) fn set_tree(tree: Option<(u32, &'static ThreadCounts)>) {
    CELLS.with(|cells| {
        cells.tree.set(tree.map_or(0, |(tree, _)| u64::from(tree) + 1));
        cells.counts.set(tree.map(|(_, counts)| counts));
    });
}

/// Increments a counter of this thread's tree.
#[inline]
pub(crate) fn count(of: impl FnOnce(&ThreadCounts) -> &AtomicU64) {
    if let Some(counts) = CELLS.with(|cells| cells.counts.get()) {
        let counter = of(counts);
        counter.store(counter.load(Relaxed).wrapping_add(1), Relaxed);
    }
}

/// Runs `call` as if nothing else ran on this thread, with the tree `tree` and with task ids that
/// no reader sees.
pub(crate) fn apart(tree: u32, counts: &'static ThreadCounts, call: impl FnOnce()) {
    let before = (context(), task(), CELLS.with(|cells| cells.counts.get()));
    let numbers = CELLS.with(|cells| (cells.tasks.next.replace(1 << 62), cells.tasks.end.replace(1 << 63)));
    set_span(0);
    replace_task(0);
    set_tree(Some((tree, counts)));
    call();
    CELLS.with(|cells| (cells.tasks.next.set(numbers.0), cells.tasks.end.set(numbers.1)));
    let (Context { span, stamp, tree }, task, counts) = before;
    set_tree(tree.zip(counts));
    set_span(span);
    set_stamp(stamp);
    replace_task(task);
}

/// The id of the running task; zero outside of tasks.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn task() -> u64 {
    CELLS.with(|cells| cells.task.get())
}

/// Sets the id of the running task. Returns the previous one.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn replace_task(task: u64) -> u64 {
    CELLS.with(|cells| cells.task.replace(task))
}

/// The tick at which a wake was recorded, for the next waker that it is forwarded to; zero if there
/// is none.
#[inline]
pub(crate) fn wake_stamp() -> u64 {
    CELLS.with(|cells| cells.wake.get())
}

#[inline]
pub(crate) fn set_wake_stamp(stamp: u64) {
    CELLS.with(|cells| cells.wake.set(stamp));
}

/// An id that no other span of the process has.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn new_span() -> u64 {
    /// Number of ids that a thread takes at once.
    const BLOCK: u64 = 1 << 12;
    static NEXT: AtomicU64 = AtomicU64::new(1);
    CELLS.with(|cells| cells.spans.take(&NEXT, BLOCK))
}

/// An id that no other task of the process has. The ids of one thread ascend; those of two threads
/// may interleave.
#[inline]
pub(crate) fn new_task() -> u64 {
    /// Small, so that the ids in reports stay small.
    const BLOCK: u64 = 32;
    static NEXT: AtomicU64 = AtomicU64::new(1);
    CELLS.with(|cells| cells.tasks.take(&NEXT, BLOCK))
}

/// An id of a span and one of a task, as [`new_span`] and [`new_task`] make them. `None` if the
/// thread has to take more numbers first.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn next_ids() -> Option<(u64, u64)> {
    CELLS.with(|cells| Some((cells.spans.next()?, cells.tasks.next()?)))
}

/// An id that no other resource of the process has. The ids of one thread ascend.
#[inline]
pub(crate) fn new_resource() -> u64 {
    const BLOCK: u64 = 32;
    static NEXT: AtomicU64 = AtomicU64::new(1);
    CELLS.with(|cells| cells.resources.take(&NEXT, BLOCK))
}

impl Numbers {
    const fn new() -> Self {
        Self { next: Cell::new(0), end: Cell::new(0) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn take(&self, next: &AtomicU64, block: u64) -> u64 {
        self.next().unwrap_or_else(|| self.fill(next, block))
    }

    /// The next number that the thread has taken.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn next(&self) -> Option<u64> {
        let number = self.next.get();
        if number == self.end.get() {
            return None;
        }
        self.next.set(number + 1);
        Some(number)
    }

    #[cold]
    fn fill(&self, next: &AtomicU64, block: u64) -> u64 {
        let first = next.fetch_add(block, Relaxed);
        self.next.set(first + 1);
        self.end.set(first + block);
        first
    }
}
