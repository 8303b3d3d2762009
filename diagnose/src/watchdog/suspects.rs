//! Which tasks that wait may be in a hang: a first sieve, in a few bytes a task, before a snapshot is taken for it.
//!
//! It knows why most tasks of a healthy program wait, and passes everything else on:
//! ```text
//! clear    it runs, or is woken
//!          something that is not recorded keeps a waker of it: a socket, a thread
//!          it waits for a timer, for a task that is clear or done, for a message that a clear task can send, or for a lock
//!          that clear tasks hold which wait for no other, and that cannot be handed to a future which is not polled
//! suspect  what is not clear, and late; and a blocked thread, a late poll or a late timer, which clear nobody
//! ```
//! The solver of the reports has the same rules and more, so whatever it finds stuck is a suspect here; it may find that a
//! suspect can go on. What changes meanwhile is seen at the next look.

use std::sync::atomic::Ordering::Relaxed;

use super::late::Late;
use crate::live::{self, Task, TaskKind, TaskState};
use crate::waits::{self, Glance, Role, WaitMode};

/// Whom the sieve has passed on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Suspects {
    /// How many.
    pub(super) count: u64,
    /// Another number if they are others, or have moved since.
    pub(super) mark: u64,
}

impl Suspects {
    fn add(&mut self, id: u64, since: u64) {
        self.count += 1;
        let mixed = (id ^ since.rotate_left(32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.mark = self.mark.wrapping_add(mixed ^ mixed >> 29);
    }

    /// What there is to ask about, if it was `before` the last time.
    pub(super) fn late(self, before: Self) -> Late {
        Late { polls: false, anything: self.count > 0, is_new: self != before }
    }
}

/// A task, and what is known of it.
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
struct KnownSuspect {
    id: u64,
    task: &'static Task,
    /// How many of the wakers that are kept are kept by waits on record.
    kept: u32,
    is_clear: bool,
    /// It waits for a timer that is not due.
    has_timer: bool,
    /// It waits for a lock, in this future of it or in that.
    has_lock: bool,
    /// It has futures that it does not poll: what was used there may be used no more.
    has_set_aside: bool,
}

impl KnownSuspect {
    /// Whether all of its futures are polled when it goes on, and it does.
    fn goes_on(&self) -> bool {
        self.is_clear && !self.has_set_aside
    }
}

/// The tasks, by number.
struct Table(Vec<KnownSuspect>);

/// Channels and locks that are waited for, by number above what has been seen there.
struct Resources(Vec<u64>);

/// A clear task sends there.
const SENT: u64 = 1;
/// A task or a thread holds the lock, or reserved places of the channel.
const HELD: u64 = 1 << 1;
/// One who is not clear does.
const STUCK: u64 = 1 << 2;
/// A future waits for it that its task does not poll.
const SET_ASIDE: u64 = 1 << 3;
const FLAGS: u32 = 4;

/// So often what is clear is passed on to who waits for it. What stands further behind is suspect.
const ROUNDS: usize = 8;

/// Sieves all tasks and waits. `now` and `threshold` are ticks.
pub(super) fn suspects(now: u64, threshold: u64) -> Suspects {
    let is_late = |since: u64| now.saturating_sub(since) >= threshold;
    let mut found = Suspects::default();
    let mut tasks = Table::new();
    let mut resources = Vec::new();
    let mut is_any_blocked = false;
    for wait in glances() {
        let mut is_aside = false;
        if let Some(known) = tasks.get_mut(wait.task) {
            is_aside = is_set_aside(&wait, known.task);
            known.kept += u32::from(wait.keeps_task);
            known.has_set_aside |= is_aside;
            known.has_timer |= !is_aside && is_timer(&wait) && wait.due > now;
            known.has_lock |= is_lock(&wait);
        }
        if wait.is_blocking {
            is_any_blocked = true;
            found.add(wait.id, wait.began);
        } else if wait.mode == WaitMode::Timer && !wait.is_woken && wait.due.saturating_add(threshold) < now {
            found.add(wait.id, wait.due);
        }
        if is_message(&wait) || is_lock(&wait) {
            let flags = if is_aside { SET_ASIDE } else { 0 };
            let entry = wait.resource << FLAGS | flags;
            if resources.last() != Some(&entry) {
                resources.push(entry);
            }
        }
    }
    for slot in live::all().filter_map(live::LiveSlot::read) {
        if let Some(known) = tasks.get_mut(slot.task).filter(|_| slot.state == live::SlotState::Waiting) {
            known.has_set_aside |= slot.since < known.task.entered.load(Relaxed);
        }
    }
    let is_any_poll_late = tasks.0.iter().any(|known| {
        let (doing, since) = known.task.doing();
        matches!(doing, TaskState::Running | TaskState::Queued) && is_late(since)
    });
    if !is_any_blocked && !is_any_poll_late {
        tasks.clear_by_themselves();
        clear_waiting(&mut tasks, &mut Resources::new(resources));
    }
    for known in tasks.0.iter().filter(|known| !known.is_clear) {
        let (_, since) = known.task.doing();
        if is_late(since) || known.has_set_aside {
            found.add(known.id, since);
        }
    }
    found
}

fn glances() -> impl Iterator<Item = Glance> {
    waits::wait_parts().into_iter().flatten().filter_map(waits::WaitCell::glance)
}

/// Whether its task polls it no more.
fn is_set_aside(wait: &Glance, task: &Task) -> bool {
    !wait.is_blocking && wait.entered < task.entered.load(Relaxed)
}

/// Whether it waits for what can only come from a sender.
fn is_message(wait: &Glance) -> bool {
    let is_waiting = wait.mode == WaitMode::Receive && wait.has_wakers && !wait.is_given_up;
    is_waiting && wait.record.is_some_and(waits::Record::is_empty_channel)
}

fn is_timer(wait: &Glance) -> bool {
    wait.mode == WaitMode::Timer && !wait.is_blocking && !wait.is_given_up
}

/// Whether it waits for a lock that is free once whoever holds it goes on.
fn is_lock(wait: &Glance) -> bool {
    let is_lock = matches!(wait.mode, WaitMode::Lock | WaitMode::Read | WaitMode::Write);
    is_lock && !wait.is_blocking && !wait.is_given_up && wait.record.is_some_and(waits::Record::is_lock)
}

impl Table {
    fn new() -> Self {
        let all = || live::all_tasks().filter(|task| task.id() != 0);
        let mut tasks = Vec::with_capacity(all().count());
        tasks.extend(all().map(|task| KnownSuspect {
            id: task.id(),
            task,
            kept: 0,
            is_clear: false,
            has_timer: false,
            has_lock: false,
            has_set_aside: false,
        }));
        tasks.sort_unstable_by_key(|known| known.id);
        Self(tasks)
    }

    fn get_mut(&mut self, id: u64) -> Option<&mut KnownSuspect> {
        let index = self.find(id)?;
        self.0.get_mut(index)
    }

    /// Most numbers follow each other, so it is most often as far from the first as its number is.
    fn find(&self, id: u64) -> Option<usize> {
        let first = self.0.first()?.id;
        let guess = usize::try_from(id.checked_sub(first)?).ok()?;
        if self.0.get(guess).is_some_and(|known| known.id == id) {
            return Some(guess);
        }
        // Those before it have smaller numbers, and none twice.
        let end = self.0.len().min(guess);
        self.0[..end].binary_search_by_key(&id, |known| known.id).ok()
    }

    /// Whether it can go on, or is done.
    fn is_clear(&self, id: u64) -> bool {
        self.find(id).is_none_or(|index| self.0[index].is_clear)
    }

    fn are_all_clear(&self) -> bool {
        self.0.iter().all(|known| known.is_clear)
    }

    /// Marks those that need nobody on record to go on.
    fn clear_by_themselves(&mut self) {
        let has_wakers = live::has_wakers();
        for known in &mut self.0 {
            let is_opaque = known.task.live_wakers() > known.kept;
            known.is_clear = match known.task.doing().0 {
                TaskState::Running | TaskState::Queued => true,
                TaskState::Waiting => {
                    known.has_timer || is_opaque || !has_wakers || known.task.hooked().is_some()
                }
                TaskState::Unpolled => {
                    known.task.origin().is_some_and(|(_, origin)| origin.work == TaskKind::Blocking)
                }
            };
        }
    }
}

impl Resources {
    fn new(mut entries: Vec<u64>) -> Self {
        entries.sort_unstable();
        entries.dedup_by(|next, kept| {
            let is_same = *next >> FLAGS == *kept >> FLAGS;
            *kept |= if is_same { *next } else { 0 };
            is_same
        });
        Self(entries)
    }

    fn get_mut(&mut self, resource: u64) -> Option<&mut u64> {
        let index = self.0.binary_search_by_key(&resource, |entry| entry >> FLAGS).ok()?;
        self.0.get_mut(index)
    }

    /// What has been seen there.
    fn flags(&mut self, resource: u64) -> u64 {
        self.get_mut(resource).map_or(0, |entry| *entry & ((1 << FLAGS) - 1))
    }
}

/// Passes on what is clear: from senders to receivers, from those that hold a lock to those that wait for it, and from tasks to
/// those that join them.
fn clear_waiting(tasks: &mut Table, resources: &mut Resources) {
    for _ in 0..ROUNDS {
        if tasks.are_all_clear() {
            return;
        }
        resources.0.iter_mut().for_each(|entry| *entry &= !STUCK);
        for holding in waits::holdings() {
            let Some(entry) = resources.get_mut(holding.resource) else { continue };
            *entry |= match holding.role {
                Role::Holds if tasks.lets_go(holding.task) => HELD,
                Role::Holds => HELD | STUCK,
                Role::Sends if tasks.may_send(holding.task) => SENT,
                _ => 0,
            };
        }
        let mut has_changed = false;
        for wait in glances().filter(|wait| !wait.is_blocking && !wait.is_given_up) {
            let Some(known) = tasks.get_mut(wait.task).filter(|known| !known.is_clear) else { continue };
            if is_set_aside(&wait, known.task) {
                continue;
            }
            let can_come = match wait.mode {
                WaitMode::Join => wait.joined().into_iter().any(|id| tasks.is_clear(id)),
                _ if is_message(&wait) => resources.flags(wait.resource) & (SENT | HELD) == SENT,
                _ => is_lock(&wait) && resources.flags(wait.resource) == HELD,
            };
            if let Some(known) = tasks.get_mut(wait.task).filter(|_| can_come) {
                known.is_clear = true;
                has_changed = true;
            }
        }
        if !has_changed {
            return;
        }
    }
}

impl Table {
    /// Whether a sender that was used last there may be used again.
    fn may_send(&self, id: u64) -> bool {
        self.find(id).is_none_or(|index| self.0[index].goes_on())
    }

    /// Whether what is held there is let go of, by any of its futures. A task that is no more has forgotten it.
    fn lets_go(&self, id: u64) -> bool {
        self.find(id).is_some_and(|index| self.0[index].goes_on() && !self.0[index].has_lock)
    }
}
