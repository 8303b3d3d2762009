//! What this thread is doing now: the bottom room.
//!
//! The recorder writes it, the live registry and the waits read it, and it knows none of them: it imports nothing. Plain cells
//! without a destructor, so that they can be used until the thread's very last instruction.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What a thread is doing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Context {
    /// The number of the running span; zero between polls.
    pub(crate) span: u64,
    /// The last reading of the clock in the running poll; zero between polls.
    pub(crate) stamp: u64,
    /// The number of the thread's tree; `None` while it has none.
    pub(crate) tree: Option<u32>,
}

/// How often the threads that have had a tree have spawned, used what is wrapped, and waited for it. Written by the tree's thread
/// only.
#[derive(Debug, Default)]
pub(crate) struct ThreadCounts {
    /// Locks taken, messages sent and received, and the like.
    pub(crate) uses: AtomicU64,
    /// Futures that have waited for such.
    pub(crate) waits: AtomicU64,
    /// Tasks that were listed by whoever has spawned them.
    pub(crate) spawns: AtomicU64,
}

/// Numbers that are unique in the process, taken from `next` in blocks.
#[derive(Debug)]
struct Numbers {
    next: Cell<u64>,
    end: Cell<u64>,
}

thread_local! {
    static SPAN: Cell<u64> = const { Cell::new(0) };
    static STAMP: Cell<u64> = const { Cell::new(0) };
    /// Plus one; zero is none.
    static TREE: Cell<u64> = const { Cell::new(0) };
    /// Of that tree.
    static COUNTS: Cell<Option<&'static ThreadCounts>> = const { Cell::new(None) };
    /// The number of the running task; zero outside of tasks.
    static TASK: Cell<u64> = const { Cell::new(0) };
    /// Where the next reading of the clock is to be stored: when a wait begins.
    static END: Cell<Option<&'static AtomicU64>> = const { Cell::new(None) };
    static WAKE: Cell<u64> = const { Cell::new(0) };
    static SPANS: Numbers = const { Numbers { next: Cell::new(0), end: Cell::new(0) } };
    static TASKS: Numbers = const { Numbers { next: Cell::new(0), end: Cell::new(0) } };
    static RESOURCES: Numbers = const { Numbers { next: Cell::new(0), end: Cell::new(0) } };
}

/// What this thread is doing.
#[inline]
pub(crate) fn context() -> Context {
    let tree = TREE.with(Cell::get).checked_sub(1);
    Context { span: span(), stamp: stamp(), tree: tree.and_then(|tree| u32::try_from(tree).ok()) }
}

/// The number of the running span; zero between polls.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn span() -> u64 {
    SPAN.with(Cell::get)
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn set_span(span: u64) {
    SPAN.with(|cell| cell.set(span));
}

/// The last reading of the clock in the running poll; zero between polls.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn stamp() -> u64 {
    STAMP.with(Cell::get)
}

/// The clock was read. `is_over`: with that, the thread is outside of every poll.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn note_reading(now: u64, is_over: bool) {
    STAMP.with(|cell| cell.set(if is_over { 0 } else { now }));
    if END.with(Cell::get).is_some() {
        end(now);
    }
}

#[cold]
#[inline(never)]
fn end(now: u64) {
    if let Some(cell) = END.with(Cell::take) {
        cell.store(now, Relaxed);
    }
}

/// The next reading of the clock on this thread is stored there. Returns where it was to be stored before.
pub(crate) fn note_end(cell: &'static AtomicU64) -> Option<&'static AtomicU64> {
    END.with(|end| end.replace(Some(cell)))
}

/// No reading is stored there any more. Returns whether one was to be.
pub(crate) fn forget_end(cell: &'static AtomicU64) -> bool {
    END.with(|end| {
        let is_it = end.get().is_some_and(|other| std::ptr::eq(other, cell));
        if is_it {
            end.set(None);
        }
        is_it
    })
}

/// The thread has the tree of that number from now on, or none.
pub(crate) fn set_tree(tree: Option<(u32, &'static ThreadCounts)>) {
    TREE.with(|cell| cell.set(tree.map_or(0, |(tree, _)| u64::from(tree) + 1)));
    COUNTS.with(|cell| cell.set(tree.map(|(_, counts)| counts)));
}

/// Counts that on this thread.
#[inline]
pub(crate) fn count(of: impl FnOnce(&ThreadCounts) -> &AtomicU64) {
    if let Some(counts) = COUNTS.with(Cell::get) {
        let counter = of(counts);
        counter.store(counter.load(Relaxed).wrapping_add(1), Relaxed);
    }
}

/// Calls that function as if nothing was running on this thread, with a tree of that number and with numbers of tasks that no
/// reader sees.
pub(crate) fn apart(tree: u32, counts: &'static ThreadCounts, call: impl FnOnce()) {
    let before = (context(), task(), COUNTS.with(Cell::get));
    let numbers = TASKS.with(|numbers| (numbers.next.replace(1 << 62), numbers.end.replace(1 << 63)));
    set_span(0);
    replace_task(0);
    set_tree(Some((tree, counts)));
    call();
    TASKS.with(|Numbers { next, end }| (next.set(numbers.0), end.set(numbers.1)));
    let (Context { span, stamp, tree }, task, counts) = before;
    set_tree(tree.zip(counts));
    set_span(span);
    STAMP.with(|cell| cell.set(stamp));
    replace_task(task);
}

/// The number of the running task; zero outside of tasks.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn task() -> u64 {
    TASK.with(Cell::get)
}

/// Says which task runs. Returns what was said before.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn replace_task(task: u64) -> u64 {
    TASK.with(|cell| cell.replace(task))
}

/// The reading of the clock that a wake was noted with, for the next that it is handed on to; zero if there is none.
#[inline]
pub(crate) fn wake_stamp() -> u64 {
    WAKE.with(Cell::get)
}

#[inline]
pub(crate) fn set_wake_stamp(stamp: u64) {
    WAKE.with(|cell| cell.set(stamp));
}

/// A number that no span of the process has had.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn new_span() -> u64 {
    /// Numbers that a thread takes at once.
    const BLOCK: u64 = 1 << 12;
    static NEXT: AtomicU64 = AtomicU64::new(1);
    SPANS.with(|numbers| numbers.take(&NEXT, BLOCK))
}

/// A number that no task of the process has had. Numbers of one thread are in order, those of two are not.
#[inline]
pub(crate) fn new_task() -> u64 {
    /// Few, so that the numbers that people read stay small.
    const BLOCK: u64 = 32;
    static NEXT: AtomicU64 = AtomicU64::new(1);
    TASKS.with(|numbers| numbers.take(&NEXT, BLOCK))
}

/// A number that no resource of the process has had. As of tasks, those of one thread are in order.
#[inline]
pub(crate) fn new_resource() -> u64 {
    const BLOCK: u64 = 32;
    static NEXT: AtomicU64 = AtomicU64::new(1);
    RESOURCES.with(|numbers| numbers.take(&NEXT, BLOCK))
}

impl Numbers {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn take(&self, next: &AtomicU64, block: u64) -> u64 {
        let number = self.next.get();
        if number == self.end.get() {
            return self.fill(next, block);
        }
        self.next.set(number + 1);
        number
    }

    #[cold]
    fn fill(&self, next: &AtomicU64, block: u64) -> u64 {
        let first = next.fetch_add(block, Relaxed);
        self.next.set(first + 1);
        self.end.set(first + block);
        first
    }
}
