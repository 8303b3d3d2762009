//! The time from a future's creation to its first poll, mostly without extra clock readings.
//!
//! A future counts as polled at once if it is polled in the task poll that created it. Otherwise
//! its unpolled time begins at the end of that poll. So a poll that leaves unpolled futures behind
//! records its end.
//!
//! Outside every recorded poll, the clock is read at creation for the first [`ALWAYS`] futures of a
//! thread and for one in [`ALWAYS`] later ones. It is also read for functions whose futures have
//! waited for their first poll before. All other futures count as polled at once.

use std::cell::Cell;

use super::local::with_polls;
use crate::clock;
use crate::live;
use crate::site::Site;
use crate::tree::Node;

/// Number of readings at the start of a thread, and the sampling interval after them.
const ALWAYS: u32 = 64;

/// Ticks from which a future counts as having waited for its first poll: about ten microseconds.
/// The counter of aarch64 often runs at 24 MHz.
const LATE: u64 = if cfg!(target_arch = "aarch64") { 1 << 8 } else { 1 << 15 };

/// Marks a creation word that holds a tick. Other words hold the number of a poll, or zero.
const TICK: u64 = 1 << 63;

/// The polls of tasks on a thread: a part of its [`Local`](super::local::Local).
#[derive(Debug)]
pub(super) struct TaskPolls {
    /// The number of the running poll, which is odd and unique in the process; even between polls.
    number: Cell<u64>,
    /// Futures created in the running poll and not polled yet, minus those dropped; above them
    /// [`NESTED`].
    unpolled: Cell<u32>,
    /// With [`NESTED`], the number after the last nested poll.
    last: Cell<u64>,
    /// Number of futures to be created outside every poll before the next clock reading.
    unread: Cell<u32>,
    /// Number of clock readings for such futures.
    read: Cell<u32>,
}

impl TaskPolls {
    pub(super) const fn new() -> Self {
        Self {
            number: Cell::new(0),
            unpolled: Cell::new(0),
            last: Cell::new(0),
            unread: Cell::new(0),
            read: Cell::new(0),
        }
    }
}

/// Another task was polled inside the running poll, and took the next numbers.
const NESTED: u32 = 1 << 31;

/// A poll of a task, and the number of unpolled futures that it has created.
#[derive(Debug, Clone, Copy)]
pub(super) struct TaskPoll {
    number: u64,
    unpolled: u32,
}

/// Starts numbering the polls of a thread that got `tree`. No other thread uses these numbers.
pub(super) fn begin_tree(tree: u32) {
    /// Bits below the tree's number. They start at a clock reading, so a tree that is leased again
    /// reuses no number.
    const SHIFT: u32 = 40;
    with_polls(|polls| {
        let number = u64::from(tree & 0x3f_ffff) << SHIFT | clock::now() & ((1 << SHIFT) - 2);
        polls.number.set(number);
    });
}

/// Starts the poll of a task.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn begin_poll() {
    with_polls(|polls| polls.number.set(polls.number.get() + 1));
}

/// Returns whether the running poll leaves futures behind that are not polled yet.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn leaves_unpolled() -> bool {
    with_polls(|polls| polls.unpolled.get() != 0)
}

/// Ends the poll of a task that leaves no unpolled futures behind.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn end_polled() {
    with_polls(|polls| polls.number.set(polls.number.get() + 1));
}

/// Ends the poll of a task at `now`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn end_poll(node: &'static Node, now: u64) {
    with_polls(|polls| {
        let number = polls.number.get();
        polls.number.set(number + 1);
        if polls.unpolled.get() != 0 {
            end_unpolled(polls, number, node, now);
        }
    });
}

#[cold]
#[inline(never)]
fn end_unpolled(polls: &TaskPolls, number: u64, node: &'static Node, now: u64) {
    let unpolled = polls.unpolled.replace(0);
    if unpolled & NESTED != 0 {
        polls.number.set(polls.last.get());
    }
    if let (true, Some(ends)) = (unpolled & !NESTED != 0, node.ends()) {
        ends.note(number, now);
    }
}

/// Suspends the running poll, if there is one: another one begins inside it.
pub(super) fn suspend_poll() -> TaskPoll {
    with_polls(|polls| {
        let number = polls.number.get();
        polls.number.set(number + number % 2);
        TaskPoll { number, unpolled: polls.unpolled.replace(0) }
    })
}

/// Resumes a suspended poll.
pub(super) fn resume_poll(poll: TaskPoll) {
    with_polls(|polls| {
        if poll.number % 2 == 0 {
            return polls.unpolled.set(poll.unpolled);
        }
        polls.last.set(polls.number.replace(poll.number));
        polls.unpolled.set(poll.unpolled | NESTED);
    });
}

/// Records the creation of a future of `site`. Returns the creation word for its span.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn make(site: &'static Site) -> u64 {
    with_polls(|polls| {
        let poll = polls.number.get();
        if poll % 2 != 0 {
            polls.unpolled.set(polls.unpolled.get().wrapping_add(1));
            return poll;
        }
        match polls.unread.get().checked_sub(1) {
            Some(unread) if !site.is_late() => {
                polls.unread.set(unread);
                0
            }
            _ => make_outside(polls),
        }
    })
}

/// Records a creation outside every poll, with a clock reading.
#[cold]
fn make_outside(polls: &TaskPolls) -> u64 {
    let read = polls.read.get();
    polls.read.set(read.saturating_add(1));
    polls.unread.set(if read < ALWAYS { 0 } else { ALWAYS - 1 });
    clock::now() | TICK
}

/// Records a first poll. Returns the ticks since the creation, or since a reset after it; zero if
/// unknown or polled at once.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn unpolled(made: u64, now: u64, site: &'static Site, maker: Option<&'static Node>) -> u64 {
    if made == 0 || forget(made) { 0 } else { unpolled_for(made, now, site, maker) }
}

/// Uncounts a future that is polled or dropped. Returns whether this is still the poll that created
/// it.
#[cfg_attr(not(debug_assertions), inline(always))]
fn forget(made: u64) -> bool {
    with_polls(|polls| {
        let is_same = made == polls.number.get();
        if is_same {
            polls.unpolled.set(polls.unpolled.get().wrapping_sub(1));
        }
        is_same
    })
}

#[cold]
fn unpolled_for(made: u64, now: u64, site: &'static Site, maker: Option<&'static Node>) -> u64 {
    let since = |tick: u64| now.saturating_sub(tick.max(live::last_reset()));
    if made & TICK != 0 {
        site.note_unpolled(now.saturating_sub(made & !TICK) >= LATE);
        return since(made & !TICK);
    }
    // `None` if that poll is not over, because it is around this one.
    maker.and_then(Node::ends).and_then(|ends| ends.of(made)).map_or(0, since)
}

/// Records the drop of a future without a poll.
pub(super) fn drop_unpolled(made: u64) {
    if made != 0 {
        forget(made);
    }
}

/// The tick in the creation word; `None` if there was no clock reading.
pub(super) fn tick(made: u64) -> Option<u64> {
    (made & TICK != 0).then_some(made & !TICK)
}
