//! Finds the waiting tasks that may hang, in a few bytes per task. This cheap check decides whether
//! a snapshot is worth taking.
//!
//! It knows why most tasks of a healthy program wait, and keeps all others as suspects:
//! ```text
//! clear    it runs, or is woken
//!          unrecorded code keeps a waker of it: a socket, a thread
//!          it waits for a timer; for a task that is clear or done; for a message that a clear task
//!          can send, or a slot that one can free; for a `Notify` or a barrier that a clear task
//!          may have got at its spawn; or for a lock or permits whose holders are clear, wait for
//!          no other, and cannot hand them to a future that is not polled
//! suspect  a late task that is not clear; also a blocked thread, a late poll or a late timer,
//!          none of which clears a task
//! ```
//! The solver of the reports has these rules and more. So each task that it finds stuck is a
//! suspect here, but a suspect may still be able to progress. Changes during a sieve are seen at
//! the next one.

use std::sync::atomic::Ordering::Relaxed;

use diagnose_reports::sort::{sort, sort_by_key};

use super::late::Late;
use crate::clock;
use crate::live::{self, RunState, Task, TaskKind};
use crate::waits::{self, Glance, Role, WaitMode};

/// The result of a sieve.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Suspects {
    /// Number of suspects.
    pub(super) count: u64,
    /// Hash of the suspects and of the ticks of their last change.
    pub(super) mark: u64,
}

impl Suspects {
    fn add(&mut self, id: u64, since: u64) {
        self.count += 1;
        let mixed = (id ^ since.rotate_left(32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.mark = self.mark.wrapping_add(mixed ^ mixed >> 29);
    }

    /// Compares with the suspects of the last request for verdicts.
    pub(super) fn late(self, before: Self) -> Late {
        Late { polls: false, anything: self.count > 0, is_new: self != before }
    }
}

/// A task with the facts that the sieve collects about it.
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
struct KnownSuspect {
    id: u64,
    task: &'static Task,
    /// Number of wakers of the task that recorded waits have.
    recorded_wakers: u32,
    is_clear: bool,
    /// Whether it waits for a timer that is not due.
    has_timer: bool,
    /// Whether one of its futures, polled or not, waits for a lock.
    has_lock: bool,
    /// Whether it has futures that it does not poll: holdings used there may never be used again.
    has_set_aside: bool,
}

impl KnownSuspect {
    /// Returns whether it can go on and then polls all of its futures.
    fn can_go_on(&self) -> bool {
        self.is_clear && !self.has_set_aside
    }
}

/// All tasks, sorted by id.
struct KnownTasks(Vec<KnownSuspect>);

/// Channels, locks and semaphores with waits, sorted by number. Each entry is the number above
/// [`FLAG_BITS`] bits of flags.
struct Resources(Vec<u64>);

/// A clear task can send to the channel.
const HAS_SENDER: u64 = 1;
/// A task or a thread holds the lock, or has reserved places of the channel.
const HELD: u64 = 1 << 1;
/// One of these holders is not known to release it.
const STUCK: u64 = 1 << 2;
/// A future that its task does not poll waits for the resource.
const SET_ASIDE: u64 = 1 << 3;
/// A clear task can receive from the channel.
const HAS_RECEIVER: u64 = 1 << 4;
/// The number of flag bits.
const FLAG_BITS: u32 = 5;

/// Number of rounds in which clear tasks clear those that wait for them. A task further behind
/// stays a suspect.
const ROUNDS: usize = 8;

/// Sieves all tasks and waits. `now` and `threshold` are in ticks, `threshold_ns` is the same time.
pub(super) fn suspects(now: u64, threshold: u64, threshold_ns: u64) -> Suspects {
    let instant_ns = clock::instant_ns();
    let is_late = |since: u64| now.saturating_sub(since) >= threshold;
    let mut found = Suspects::default();
    let mut tasks = KnownTasks::new();
    let mut resources = Vec::new();
    let mut is_any_blocked = false;
    for wait in glances() {
        let mut is_aside = false;
        if let Some(known) = tasks.get_mut(wait.task) {
            is_aside = is_set_aside(&wait, known.task);
            known.recorded_wakers += u32::from(wait.has_task_waker);
            known.has_set_aside |= is_aside;
            known.has_timer |= !is_aside && is_timer(&wait) && !is_due(&wait, instant_ns);
            known.has_lock |= is_lock(&wait);
        }
        if wait.is_blocking {
            is_any_blocked = true;
            found.add(wait.id, wait.began);
        } else if is_timer(&wait) && !wait.is_woken && is_due(&wait, instant_ns.saturating_sub(threshold_ns))
        {
            found.add(wait.id, wait.due);
        }
        if is_message(&wait) || is_lock(&wait) || is_slot(&wait) {
            let flags = if is_aside { SET_ASIDE } else { 0 };
            let entry = wait.resource << FLAG_BITS | flags;
            if resources.last() != Some(&entry) {
                resources.push(entry);
            }
        }
    }
    for slot in live::all().filter_map(live::LiveSlot::read) {
        if let Some(known) = tasks.get_mut(slot.task).filter(|_| slot.state == live::RunState::Waiting) {
            known.has_set_aside |= slot.since < known.task.entered.load(Relaxed);
        }
    }
    let is_any_poll_late = tasks.0.iter().any(|known| {
        let (doing, since) = known.task.doing();
        matches!(doing, RunState::Running | RunState::Queued) && is_late(since)
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

/// Returns whether its task no longer polls it.
fn is_set_aside(wait: &Glance, task: &Task) -> bool {
    !wait.is_blocking && wait.entered < task.entered.load(Relaxed)
}

/// Returns whether it waits for a message that only a sender can provide.
fn is_message(wait: &Glance) -> bool {
    let is_waiting = wait.mode == WaitMode::Receive && wait.has_wakers && !wait.is_given_up;
    is_waiting && wait.record.is_some_and(waits::Record::is_empty_channel)
}

fn is_timer(wait: &Glance) -> bool {
    wait.mode == WaitMode::Timer && !wait.is_blocking && !wait.is_given_up
}

/// Returns whether a timer is due at that moment. The moment is unknown while tokio's clock is
/// paused.
fn is_due(wait: &Glance, at: u64) -> bool {
    wait.due != 0 && wait.due <= at
}

/// Returns whether it waits for a lock or permits that are free once their holders go on, or for a
/// tracker whose tasks hold it.
fn is_lock(wait: &Glance) -> bool {
    wait.is_for_units() && !wait.is_blocking && !wait.is_given_up
}

/// Returns whether it waits for a free slot of a channel.
fn is_slot(wait: &Glance) -> bool {
    wait.is_for_slot() && !wait.is_blocking && !wait.is_given_up
}

impl KnownTasks {
    fn new() -> Self {
        let all = || live::all_tasks().filter(|task| task.id() != 0);
        let mut tasks = Vec::with_capacity(all().count());
        tasks.extend(all().map(|task| KnownSuspect {
            id: task.id(),
            task,
            recorded_wakers: 0,
            is_clear: false,
            has_timer: false,
            has_lock: false,
            has_set_aside: false,
        }));
        sort_by_key(&mut tasks, |known| known.id);
        Self(tasks)
    }

    fn get_mut(&mut self, id: u64) -> Option<&mut KnownSuspect> {
        let index = self.find(id)?;
        self.0.get_mut(index)
    }

    /// Returns the index of a task. Most ids are consecutive, so the distance from the first id is
    /// tried first.
    fn find(&self, id: u64) -> Option<usize> {
        let first = self.0.first()?.id;
        let guess = usize::try_from(id.checked_sub(first)?).ok()?;
        if self.0.get(guess).is_some_and(|known| known.id == id) {
            return Some(guess);
        }
        // Ids are unique and sorted, so the index is not above the guess.
        let end = self.0.len().min(guess);
        self.0[..end].binary_search_by_key(&id, |known| known.id).ok()
    }

    /// Returns whether the task can go on, or has ended.
    fn is_clear(&self, id: u64) -> bool {
        self.find(id).is_none_or(|index| self.0[index].is_clear)
    }

    /// Returns the threads of local tasks that can go on, sorted; `None` for one that no thread has
    /// polled yet.
    fn threads_of_clear_local_tasks(&self) -> Vec<Option<u32>> {
        let clear = self.0.iter().filter(|known| known.is_clear && known.task.is_local());
        let mut threads: Vec<Option<u32>> = clear.map(|known| known.task.local_thread()).collect();
        sort(&mut threads);
        threads.dedup();
        threads
    }

    /// Returns whether the thread that polls this task, which is not clear, runs local tasks that
    /// can go on. `clear` are the threads of such tasks.
    fn has_clear_task_of_set(&self, id: u64, clear: &[Option<u32>]) -> bool {
        let thread = self.find(id).map(|index| self.0[index].task.thread.load(Relaxed));
        let may_be_there = |other: Option<u32>| clear.binary_search(&other).is_ok();
        if thread.is_none() { !clear.is_empty() } else { may_be_there(thread) || may_be_there(None) }
    }

    /// Returns the threads of local tasks that wait and are not clear, most of them in a
    /// `block_on`: the numbers of their trees, sorted.
    fn waiting_threads(&self) -> Vec<u32> {
        let is_waiting = |known: &&KnownSuspect| {
            !known.is_clear && known.task.is_local() && known.task.doing().0 == RunState::Waiting
        };
        let threads = self.0.iter().filter(is_waiting).map(|known| known.task.thread.load(Relaxed));
        let mut threads: Vec<u32> = threads.collect();
        sort(&mut threads);
        threads
    }

    fn are_all_clear(&self) -> bool {
        self.0.iter().all(|known| known.is_clear)
    }

    /// Marks the tasks that can go on without help from any recorded task.
    fn clear_by_themselves(&mut self) {
        let has_wakers = live::has_wakers();
        for known in &mut self.0 {
            let is_opaque = known.task.live_wakers() > known.recorded_wakers;
            known.is_clear = match known.task.doing().0 {
                RunState::Running | RunState::Queued => true,
                // A timer does not clear a task that has set aside a future and waits for a lock,
                // as with an arm of a `join!` beside the timer.
                RunState::Waiting => {
                    known.has_timer && !(known.has_set_aside && known.has_lock)
                        || is_opaque
                        || !has_wakers
                        || known.task.hooked().is_some()
                }
                _ => known.task.origin().is_some_and(|(_, origin)| origin.work == TaskKind::Blocking),
            };
        }
    }
}

impl Resources {
    fn new(mut entries: Vec<u64>) -> Self {
        sort(&mut entries);
        entries.dedup_by(|next, last| {
            let is_same = *next >> FLAG_BITS == *last >> FLAG_BITS;
            *last |= if is_same { *next } else { 0 };
            is_same
        });
        Self(entries)
    }

    fn get_mut(&mut self, resource: u64) -> Option<&mut u64> {
        let index = self.0.binary_search_by_key(&resource, |entry| entry >> FLAG_BITS).ok()?;
        self.0.get_mut(index)
    }

    fn flags(&mut self, resource: u64) -> u64 {
        self.get_mut(resource).map_or(0, |entry| *entry & ((1 << FLAG_BITS) - 1))
    }
}

/// Marks tasks that wait for clear tasks. Receivers and senders clear each other, holders clear the
/// tasks that wait for their locks or permits, and joined tasks clear the joining ones.
fn clear_waiting(tasks: &mut KnownTasks, resources: &mut Resources) {
    for _ in 0..ROUNDS {
        if tasks.are_all_clear() {
            return;
        }
        resources.0.iter_mut().for_each(|entry| *entry &= !STUCK);
        let has_others = tasks.0.iter().any(KnownSuspect::can_go_on);
        let going_on = tasks.0.iter().filter(|known| known.can_go_on());
        let youngest = going_on.map(|known| known.task.made()).max().unwrap_or(0);
        let waiting_threads = tasks.waiting_threads();
        let local_threads = tasks.threads_of_clear_local_tasks();
        for holding in waits::holdings() {
            let Some(entry) = resources.get_mut(holding.resource) else { continue };
            *entry |= match holding.role {
                Role::Holds if tasks.can_release(holding.task) => HELD,
                Role::Holds => HELD | STUCK,
                // Code after a `block_on` runs only once the task of the `block_on` has ended.
                Role::Sends if holding.task == 0 && !has_others => {
                    let is_waiting = |thread| waiting_threads.binary_search(&thread).is_ok();
                    if holding.thread.is_some_and(is_waiting) { 0 } else { HAS_SENDER }
                }
                Role::Sends if tasks.may_use(holding.task, has_others) => HAS_SENDER,
                Role::Receives if holding.task != 0 && tasks.may_use(holding.task, has_others) => {
                    HAS_RECEIVER
                }
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
                WaitMode::LocalSet => tasks.has_clear_task_of_set(wait.task, &local_threads),
                WaitMode::Join => wait.joined().into_iter().any(|id| tasks.is_clear(id)),
                _ if is_message(&wait) => resources.flags(wait.resource) & (HAS_SENDER | HELD) == HAS_SENDER,
                _ if wait.may_be_notified_since(youngest) => true,
                _ if is_slot(&wait) => {
                    let flags = resources.flags(wait.resource);
                    flags & (HAS_RECEIVER | HELD | SET_ASIDE) == HAS_RECEIVER
                }
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

impl KnownTasks {
    /// Returns whether the end of a channel that this task used last may be used again. A task that
    /// is gone, or a thread, has left it where any task that goes on may use it.
    fn may_use(&self, id: u64, has_others: bool) -> bool {
        self.find(id).map_or(has_others, |index| self.0[index].can_go_on())
    }

    /// Returns whether the task will release its holdings. A task that has ended has leaked them.
    fn can_release(&self, id: u64) -> bool {
        self.find(id).is_some_and(|index| self.0[index].can_go_on() && !self.0[index].has_lock)
    }
}
