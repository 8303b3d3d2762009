//! How long a future was there before its first poll, mostly without a reading of the clock where it is made.
//!
//! What is made and polled within the same poll of its task was never unpolled. What is polled later counts from the end of the
//! poll in which it was made: a poll that leaves such futures behind notes its end. Outside of every recorded poll the clock is
//! read where a future is made, for the first [`ALWAYS`] of a thread, for one in [`ALWAYS`] of the others, and for each of a
//! function that has been seen to wait for its first poll; the rest counts as polled at once.

use std::cell::Cell;

use crate::clock;
use crate::site::Site;
use crate::tree::Node;

/// See the head of this file.
const ALWAYS: u32 = 64;

/// Ticks from which on a future has waited for its first poll: some ten microseconds.
const LATE: u64 = 1 << 15;

/// Above a tick, in the word that a span has of its making; otherwise that is the number of the poll, or zero.
const TICK: u64 = 1 << 63;

thread_local! {
    static POLLS: TaskPolls = const {
        TaskPolls { running: Cell::new(0), last: Cell::new(0), unpolled: Cell::new(0), unread: Cell::new(0), read: Cell::new(0) }
    };
}

/// The polls of tasks on a thread.
#[derive(Debug)]
struct TaskPolls {
    /// The number of the running one; zero between polls.
    running: Cell<u64>,
    /// The number of the last one: unique in the process.
    last: Cell<u64>,
    /// Futures that were made in the running one and not polled yet, less those that were dropped.
    unpolled: Cell<u32>,
    /// How many futures will be made outside of every poll before the clock is read for one.
    unread: Cell<u32>,
    /// For how many such futures the clock was read.
    read: Cell<u32>,
}

/// A poll of a task, and how many futures it has made that are not polled yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct TaskPoll {
    number: u64,
    unpolled: u32,
}

impl TaskPoll {
    /// Between polls.
    pub(super) const NONE: Self = Self { number: 0, unpolled: 0 };
}

/// The thread has that tree from now on: its polls get numbers that no other thread's have.
pub(super) fn begin_tree(tree: u32) {
    /// Numbers above that of the tree; a tree that is leased again goes on from where nobody else has been by the clock.
    const SHIFT: u32 = 40;
    POLLS.with(|polls| {
        let last = u64::from(tree & 0x3f_ffff) << SHIFT | clock::now() & ((1 << SHIFT) - 1);
        polls.last.set(last.max(1));
    });
}

/// The poll of a task begins.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn begin_poll() {
    POLLS.with(|polls| {
        let number = polls.last.get() + 1;
        polls.last.set(number);
        polls.running.set(number);
    });
}

/// That poll ends there.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn end_poll(node: &'static Node, now: u64) {
    POLLS.with(|polls| {
        let number = polls.running.replace(0);
        if polls.unpolled.get() != 0 {
            polls.unpolled.set(0);
            note_end(node, number, now);
        }
    });
}

/// The poll that is running, in which another one begins.
pub(super) fn poll() -> TaskPoll {
    POLLS.with(|polls| TaskPoll { number: polls.running.get(), unpolled: polls.unpolled.get() })
}

/// That poll goes on.
pub(super) fn set_poll(poll: TaskPoll) {
    POLLS.with(|polls| {
        polls.running.set(poll.number);
        polls.unpolled.set(poll.unpolled);
    });
}

#[cold]
fn note_end(node: &'static Node, number: u64, now: u64) {
    if let Some(ends) = node.ends() {
        ends.note(number, now);
    }
}

/// A future of that site is made. Returns what is kept of that.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn make(site: &'static Site) -> u64 {
    POLLS.with(|polls| {
        let poll = polls.running.get();
        if poll != 0 {
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

/// It is made outside of every poll, and the clock is read.
#[cold]
fn make_outside(polls: &TaskPolls) -> u64 {
    let read = polls.read.get();
    polls.read.set(read.saturating_add(1));
    polls.unread.set(if read < ALWAYS { 0 } else { ALWAYS - 1 });
    clock::now() | TICK
}

/// It is polled for the first time. Returns for how long it was there.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn unpolled(made: u64, now: u64, site: &'static Site, maker: Option<&'static Node>) -> u64 {
    if made == 0 || forget(made) { 0 } else { unpolled_for(made, now, site, maker) }
}

/// It is polled, or dropped. Returns whether that is in the poll in which it was made.
#[cfg_attr(not(debug_assertions), inline(always))]
fn forget(made: u64) -> bool {
    POLLS.with(|polls| {
        let is_same = made == polls.running.get();
        if is_same {
            polls.unpolled.set(polls.unpolled.get().wrapping_sub(1));
        }
        is_same
    })
}

#[cold]
fn unpolled_for(made: u64, now: u64, site: &'static Site, maker: Option<&'static Node>) -> u64 {
    if made & TICK != 0 {
        let unpolled = now.saturating_sub(made & !TICK);
        site.note_unpolled(unpolled >= LATE);
        return unpolled;
    }
    // A poll that is not over is around this one.
    let end = maker.and_then(Node::ends).and_then(|ends| ends.of(made));
    end.map_or(0, |end| now.saturating_sub(end))
}

/// It is dropped without a poll.
pub(super) fn drop_unpolled(made: u64) {
    if made != 0 {
        forget(made);
    }
}

/// The tick of the making, as far as it is known.
pub(super) fn tick(made: u64) -> Option<u64> {
    (made & TICK != 0).then_some(made & !TICK)
}
