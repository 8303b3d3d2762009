//! Which tasks that wait may be in a hang: a first sieve, in a few bytes a task, before a snapshot is taken for it.
//!
//! It knows why most tasks of a healthy program wait, and passes everything else on:
//! ```text
//! clear    it runs, or is woken
//!          something that is not recorded keeps a waker of it: a socket, a thread
//!          it waits for a timer, for a task that is clear or done, or for a message that a clear task can send
//! suspect  what is not clear, and late; and a blocked thread, a late poll or a late timer, which clear nobody
//! ```
//! The solver of the reports has the same rules and more, so whatever it finds stuck is a suspect here; it may find that a
//! suspect can go on. What changes meanwhile is seen at the next look.

use std::sync::atomic::Ordering::Relaxed;

use super::late::Late;
use crate::live::{self, Doing, Task, Work};
use crate::waits::{self, Glance, Mode, Role};

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
struct Known {
    id: u64,
    task: &'static Task,
    /// How many of the wakers that are kept are kept by waits on record.
    kept: u32,
    is_clear: bool,
    /// It has futures that it does not poll: what was used there may be used no more.
    has_set_aside: bool,
}

/// The tasks, by number.
struct Table(Vec<Known>);

/// Channels, by number above whether a clear task has been seen to send there, above whether somebody holds places of it.
struct Channels(Vec<u64>);

const CLEAR: u64 = 1;
const HELD: u64 = 2;
const FLAGS: u32 = 2;

/// So often what is clear is passed on to who waits for it. What stands further behind is suspect.
const ROUNDS: usize = 8;

/// Sieves all tasks and waits. `now` and `threshold` are ticks.
pub(super) fn suspects(now: u64, threshold: u64) -> Suspects {
    let is_late = |since: u64| now.saturating_sub(since) >= threshold;
    let mut found = Suspects::default();
    let mut tasks = Table::new();
    let mut channels = Vec::new();
    let mut is_any_blocked = false;
    for wait in glances() {
        if let Some(known) = tasks.get_mut(wait.task) {
            known.kept += u32::from(wait.keeps_task);
            known.has_set_aside |= is_set_aside(&wait, known.task);
        }
        if wait.is_blocking {
            is_any_blocked = true;
            found.add(wait.id, wait.began);
        } else if wait.mode == Mode::Timer && !wait.is_woken && wait.due.saturating_add(threshold) < now {
            found.add(wait.id, wait.due);
        }
        if is_message(&wait) {
            channels.push(wait.resource << FLAGS);
        }
    }
    for slot in live::all().filter_map(live::Slot::read) {
        if let Some(known) = tasks.get_mut(slot.task).filter(|_| slot.state == live::State::Waiting) {
            known.has_set_aside |= slot.since < known.task.entered.load(Relaxed);
        }
    }
    let is_any_poll_late = tasks.0.iter().any(|known| {
        let (doing, since) = known.task.doing();
        matches!(doing, Doing::Running | Doing::Queued) && is_late(since)
    });
    if !is_any_blocked && !is_any_poll_late {
        tasks.clear_by_themselves();
        clear_waiting(&mut tasks, &mut Channels::new(channels), now);
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
    waits::wait_parts().into_iter().flatten().filter_map(waits::Wait::glance)
}

/// Whether its task polls it no more.
fn is_set_aside(wait: &Glance, task: &Task) -> bool {
    !wait.is_blocking && wait.entered < task.entered.load(Relaxed)
}

/// Whether it waits for what can only come from a sender.
fn is_message(wait: &Glance) -> bool {
    let is_waiting = wait.mode == Mode::Receive && wait.has_wakers && !wait.is_given_up;
    is_waiting && wait.record.is_some_and(waits::Record::is_empty_channel)
}

impl Table {
    fn new() -> Self {
        let all = || live::all_tasks().filter(|task| task.id() != 0);
        let mut tasks = Vec::with_capacity(all().count());
        tasks.extend(all().map(|task| Known {
            id: task.id(),
            task,
            kept: 0,
            is_clear: false,
            has_set_aside: false,
        }));
        tasks.sort_unstable_by_key(|known| known.id);
        Self(tasks)
    }

    fn get_mut(&mut self, id: u64) -> Option<&mut Known> {
        let index = self.0.binary_search_by_key(&id, |known| known.id).ok().filter(|_| id != 0)?;
        self.0.get_mut(index)
    }

    /// Whether it can go on, or is done.
    fn is_clear(&self, id: u64) -> bool {
        let index = self.0.binary_search_by_key(&id, |known| known.id);
        index.is_err() || index.is_ok_and(|index| self.0[index].is_clear)
    }

    /// Marks those that need nobody on record to go on.
    fn clear_by_themselves(&mut self) {
        let has_wakers = live::has_wakers();
        for known in &mut self.0 {
            let is_opaque = known.task.live_wakers() > known.kept;
            known.is_clear = match known.task.doing().0 {
                Doing::Running | Doing::Queued => true,
                Doing::Waiting => is_opaque || !has_wakers || known.task.hooked().is_some(),
                Doing::Unpolled => {
                    known.task.origin().is_some_and(|(_, origin)| origin.work == Work::Blocking)
                }
            };
        }
    }
}

impl Channels {
    fn new(mut channels: Vec<u64>) -> Self {
        channels.sort_unstable();
        channels.dedup();
        Self(channels)
    }

    fn find(&self, resource: u64) -> Option<usize> {
        self.0.binary_search_by_key(&resource, |channel| channel >> FLAGS).ok()
    }
}

/// Passes on what is clear, from senders to receivers and from tasks to those that join them.
fn clear_waiting(tasks: &mut Table, channels: &mut Channels, now: u64) {
    for _ in 0..ROUNDS {
        for stake in waits::stakes() {
            let Some(channel) = channels.find(stake.resource) else { continue };
            match stake.role {
                Role::Holds => channels.0[channel] |= HELD,
                Role::Sends if tasks.may_send(stake.task) => channels.0[channel] |= CLEAR,
                _ => {}
            }
        }
        let mut has_changed = false;
        for wait in glances().filter(|wait| !wait.is_blocking && !wait.is_given_up) {
            let can_come = match wait.mode {
                Mode::Timer => wait.due > now,
                Mode::Join => wait.joined().into_iter().any(|id| tasks.is_clear(id)),
                _ => {
                    is_message(&wait) && {
                        let channel = channels.find(wait.resource).map_or(0, |channel| channels.0[channel]);
                        channel & (CLEAR | HELD) == CLEAR
                    }
                }
            };
            let Some(known) = tasks.get_mut(wait.task).filter(|_| can_come) else { continue };
            if !known.is_clear && !is_set_aside(&wait, known.task) {
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
        let index = self.0.binary_search_by_key(&id, |known| known.id);
        index.map_or(true, |index| self.0[index].is_clear && !self.0[index].has_set_aside)
    }
}
