//! The times of one node, including open polls and waits.
//!
//! # Accounting of waits
//!
//! Waits are not stored as lengths: many spans of one node wait at once, and a wait often ends on
//! another thread, in another tree. So a wait is a difference of two ticks, each added where it
//! happens:
//!
//! ```text
//! a poll returns Pending at t0:   sum −= t0   open += 1     (in the tree of that thread)
//! the next poll starts at t1:     sum += t1   open −= 1     (in the tree of this thread)
//! read at T:                      sum + open · T            (over all trees; open waits up to T)
//! ```
//! Both fields wrap, and in one tree they may be "negative"; summed over all trees they are exact.
//! A reader that comes between the two halves of a wait is off by at most the time that its own
//! reading takes.
//!
//! A poll is added once, when it ends. While it runs, `entered` holds its start, and the kind of
//! wait that ended there, which the reader accounts for. So a poll between two waits of one kind
//! only adds its length to `busy` and subtracts it from `sum`.
//!
//! # Polls that only pass through
//!
//! A resumed body that goes straight to its child, and returns `Pending` with the child, has run
//! nothing of its own: its poll is as long as the child's. Such a poll is added at the deepest span
//! alone, as one that also counts for the ancestors:
//!
//! ```text
//! handle ├──────────┤   passes through                 nothing is written
//!  query ├──────────┤   passes through                 nothing is written
//!   recv ├──────────┤   Pending                        through += its length
//! ```
//! A capture adds the `through` of a node to its parent, and so on up the tree. An ancestor that
//! ran code of its own adds its own poll, so the sum must stop there: that ancestor's `stopped`
//! subtracts it again. See [`poll_totals`](super::poll_totals).
//!
//! # Reading
//!
//! `version` is odd while the writer is changing fields that belong together (a sequence lock with
//! one writer). A reader repeats its copy if the version was odd or has changed. The writer never
//! waits.

use std::time::Duration;

use super::poll_stamp::PollStamp;
use super::poll_totals::{PollSum, PollTotals};
use crate::sync::{AtomicU64, Ordering, add, fence, sub};

/// The account that a wait goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum WaitAccount {
    /// No annotated child was pending: the node itself waited.
    Own = 1,
    /// An annotated child was pending, and the node with it.
    Child = 2,
}

/// The account of one kind of wait.
#[derive(Debug, Default)]
struct WaitTotals {
    /// Σ ends − Σ beginnings, in ticks; wraps.
    sum: AtomicU64,
    /// Number of beginnings − number of ends; wraps.
    open: AtomicU64,
}

/// The times of one node, in ticks; see the module documentation. Written by the tree's thread
/// only.
#[derive(Debug, Default)]
#[repr(C)]
pub(crate) struct NodeTimes {
    version: AtomicU64,
    /// Start of the running poll as a packed [`PollStamp`]; zero if none is running.
    entered: AtomicU64,
    /// End of the last finished poll.
    left: AtomicU64,
    own: WaitTotals,
    child: WaitTotals,
}

/// A consistent copy of [`NodeTimes`] and [`PollTotals`], with the open parts up to the moment of
/// reading.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TimesCopy {
    /// Σ of finished polls, in ticks: the node's own, and those that also count for its ancestors.
    pub(crate) busy: u64,
    pub(crate) polls: u64,
    pub(crate) through: PollSum,
    /// Start of the running poll, and its length so far.
    pub(crate) running: Option<(u64, u64)>,
    /// End of the last finished poll; below it, of the last that also counts for the ancestors.
    pub(crate) left: u64,
    pub(crate) passed: u64,
    /// Σ of waits, in ticks; wraps, and is exact only when summed over all trees.
    pub(crate) own_idle: u64,
    pub(crate) child_idle: u64,
    /// Number of open waits; wraps, and is exact only when summed over all trees.
    pub(crate) pending: u64,
}

/// Attempts of a reader before it reports the node as unreadable. A change takes the writer a few
/// nanoseconds. If the version stays odd for many attempts, the operating system has stopped the
/// writer, which then needs time to resume.
#[cfg(not(diagnose_loom))]
pub(super) const ATTEMPTS: u32 = SPINS + 500;
#[cfg(diagnose_loom)]
pub(super) const ATTEMPTS: u32 = 1; // The checker tries every first attempt.
/// Number of attempts without a pause.
const SPINS: u32 = 1_000;
/// Time between two of the later attempts.
const PAUSE: Duration = Duration::from_micros(100);

impl NodeTimes {
    /// Starts a poll, and ends the wait that its span was in, if any.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn enter(&self, now: u64, ended: Option<WaitAccount>) {
        self.entered.store(PollStamp::new(now, ended).0, Ordering::Relaxed);
    }

    /// The start of the running poll.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn entered(&self) -> u64 {
        PollStamp(self.entered.load(Ordering::Relaxed)).tick()
    }

    /// The kind of wait that ended with the start of the running poll.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn ended(&self) -> Option<WaitAccount> {
        PollStamp(self.entered.load(Ordering::Relaxed)).ended()
    }

    /// Ends the running poll, before which a wait of kind `ended` ended, and after which one of
    /// kind `begun` begins. Returns the poll's length.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn leave(
        &self,
        spent: &PollTotals,
        now: u64,
        (ended, begun): (Option<WaitAccount>, Option<WaitAccount>),
        is_through: bool,
    ) -> u64 {
        let entered = self.entered();
        let length = now.saturating_sub(entered);
        // Not a closure: the compiler would call it as a function.
        let version = self.begin_change();
        self.entered.store(0, Ordering::Relaxed);
        self.left.store(now, Ordering::Relaxed);
        if is_through {
            spent.through.add(length);
            spent.passed.store(now, Ordering::Relaxed);
        } else {
            spent.alone.add(length);
        }
        match (ended, begun) {
            (Some(ended), Some(begun)) if ended == begun => sub(&self.account(begun).sum, length),
            _ => {
                if let Some(wait) = ended {
                    self.account(wait).end(entered);
                }
                if let Some(wait) = begun {
                    self.account(wait).begin(now);
                }
            }
        }
        self.end_change(version);
        length
    }

    /// Ends a running poll that only passed through: it is added at the deepest span.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn pass(&self) {
        self.entered.store(0, Ordering::Relaxed);
    }

    /// Ends a wait without a poll here: the span is dropped, or its next poll is on another path.
    pub(crate) fn end_wait(&self, now: u64, wait: WaitAccount) {
        self.change(|| self.account(wait).end(now));
    }

    /// Begins a wait without a poll here: the span has waited on another path until now.
    pub(crate) fn begin_wait(&self, now: u64, wait: WaitAccount) {
        self.change(|| self.account(wait).begin(now));
    }

    /// Returns whether a poll is running.
    #[inline]
    pub(crate) fn is_running(&self) -> bool {
        self.entered.load(Ordering::Relaxed) != 0
    }

    /// A consistent copy. `now` is called after the copy is made. Returns `None` if every attempt
    /// met the writer in the middle of a change.
    ///
    /// Open waits count up to `until`, the same tick for all trees. A wait that is open in this
    /// tree may be closed in another one. The result then must not depend on when each tree is
    /// read.
    pub(super) fn read(&self, spent: &PollTotals, until: u64, now: impl Fn() -> u64) -> Option<TimesCopy> {
        for attempt in 0..ATTEMPTS {
            // Acquire pairs with the Release at the end of `change`: a reader that sees an even
            // version sees its fields.
            let version = self.version.load(Ordering::Acquire);
            let entered = self.entered.load(Ordering::Relaxed);
            let (mut own, mut child) = (self.own.read(), self.child.read());
            let (alone, through) = (spent.alone.read(), spent.through.read());
            let mut reading = TimesCopy {
                busy: alone.busy.wrapping_add(through.busy),
                polls: alone.polls.wrapping_add(through.polls),
                through,
                left: self.left.load(Ordering::Relaxed),
                passed: spent.passed.load(Ordering::Relaxed),
                ..TimesCopy::default()
            };
            // Pairs with the Release fence in `change`: if any field above is from a later change,
            // that change's odd version is seen below.
            fence(Ordering::Acquire);
            if version % 2 == 1 || self.version.load(Ordering::Relaxed) != version {
                wait_for_writer(attempt);
                continue;
            }
            if entered != 0 {
                let tick = PollStamp(entered).tick();
                reading.running = Some((tick, now().saturating_sub(tick)));
                let ended = match PollStamp(entered).ended() {
                    Some(WaitAccount::Own) => Some(&mut own),
                    Some(WaitAccount::Child) => Some(&mut child),
                    None => None,
                };
                if let Some([sum, open]) = ended {
                    *sum = sum.wrapping_add(tick);
                    *open = open.wrapping_sub(1);
                }
            }
            [reading.own_idle, reading.child_idle] =
                [own, child].map(|[sum, open]| sum.wrapping_add(open.wrapping_mul(until)));
            reading.pending = own[1].wrapping_add(child[1]);
            return Some(reading);
        }
        None
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn account(&self, wait: WaitAccount) -> &WaitTotals {
        match wait {
            WaitAccount::Own => &self.own,
            WaitAccount::Child => &self.child,
        }
    }

    /// Makes changes that a reader must see together or not at all.
    fn change(&self, changes: impl FnOnce()) {
        let version = self.begin_change();
        changes();
        self.end_change(version);
    }

    /// Begins such changes. Returns the version before them.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn begin_change(&self) -> u64 {
        let version = self.version.load(Ordering::Relaxed);
        self.version.store(version.wrapping_add(1), Ordering::Relaxed);
        // Pairs with the Acquire fence in `read`: the odd version is visible before any field is.
        fence(Ordering::Release);
        version
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn end_change(&self, version: u64) {
        // Release pairs with the Acquire load in `read`.
        self.version.store(version.wrapping_add(2), Ordering::Release);
    }
}

impl WaitTotals {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn begin(&self, now: u64) {
        sub(&self.sum, now);
        add(&self.open, 1);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn end(&self, now: u64) {
        add(&self.sum, now);
        sub(&self.open, 1);
    }

    /// Copies of `sum` and `open`.
    fn read(&self) -> [u64; 2] {
        [&self.sum, &self.open].map(|part| part.load(Ordering::Relaxed))
    }
}

#[cold]
pub(super) fn wait_for_writer(attempt: u32) {
    if attempt < SPINS {
        std::hint::spin_loop();
    } else {
        std::thread::sleep(PAUSE);
    }
}

#[cfg(all(test, not(diagnose_loom)))]
mod tests {
    use super::{NodeTimes, PollSum, PollTotals, WaitAccount};

    // tick   10       20         50      60        90
    //        ├─ poll ─┤── wait ───├─ poll ┤── wait ──▶ read
    #[test]
    fn running_polls_and_open_waits_count_up_to_the_reading() {
        let (times, spent) = (NodeTimes::default(), PollTotals::default());
        times.enter(10, None);
        let running = times.read(&spent, 15, || 15).expect("nobody writes");
        assert_eq!((running.busy, running.polls, running.running), (0, 0, Some((10, 5))));
        times.leave(&spent, 20, (None, Some(WaitAccount::Own)), false);
        times.enter(50, Some(WaitAccount::Own));
        let running = times.read(&spent, 55, || 55).expect("nobody writes");
        assert_eq!((running.running, running.own_idle, running.pending), (Some((50, 5)), 30, 0));
        times.leave(&spent, 60, (times.ended(), Some(WaitAccount::Child)), true);
        let waiting = times.read(&spent, 90, || 90).expect("nobody writes");
        assert_eq!((waiting.busy, waiting.polls, waiting.running), (20, 2, None));
        assert_eq!((waiting.through, waiting.passed), (PollSum { busy: 10, polls: 1 }, 60));
        assert_eq!((waiting.own_idle, waiting.child_idle, waiting.pending), (30, 30, 1));
    }

    // thread A   ├ poll ┤── wait ─ ─ ─ ┐
    // thread B                         ├ poll ┤
    #[test]
    fn a_wait_that_ends_in_another_tree_is_exact_in_the_sum() {
        let [(a, spent_a), (b, spent_b)] = [(); 2].map(|()| (NodeTimes::default(), PollTotals::default()));
        a.enter(10, None);
        a.leave(&spent_a, 20, (None, Some(WaitAccount::Own)), false);
        b.enter(70, Some(WaitAccount::Own));
        b.leave(&spent_b, 75, (b.ended(), None), false);
        let a = a.read(&spent_a, 100, || 100).expect("at rest");
        let b = b.read(&spent_b, 100, || 100).expect("at rest");
        assert_eq!(a.own_idle.wrapping_add(b.own_idle), 50);
        assert_eq!(a.pending.wrapping_add(b.pending), 0);
    }
}
