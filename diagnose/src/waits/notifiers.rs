//! The tasks that may notify waiters of a resource that has no ends or guards. That is a `Notify`,
//! or a semaphore that gets more permits.

use std::panic::{Location, RefUnwindSafe, UnwindSafe};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::holding::Holding;
use super::holding_slot::Role;
use super::record::Record;
use super::resource::Resource;
use crate::live;
use crate::switch;
use crate::sync::Mutex;

/// Up to `MAX` notifiers are tracked. Past that the oldest is replaced by an unknown one.
const MAX: usize = 16;

/// One holding per task that has used the resource, or per thread outside of all tasks.
#[derive(Debug)]
pub(crate) struct Notifiers {
    /// The last two notifiers: most often one task waits and one notifies.
    last: [AtomicU64; 2],
    all: Mutex<NotifierList>,
}

#[derive(Debug)]
struct NotifierList {
    users: Vec<(u64, Holding)>,
    is_over: bool,
}

/// Returns the task whose poll runs on this thread, or else the thread; 0 if the thread has no
/// tree.
#[inline]
fn user() -> u64 {
    let here = live::current_poll();
    if here.task == 0 { here.thread.map_or(0, |thread| u64::from(thread) | 1 << 63) } else { here.task }
}

impl Notifiers {
    pub(crate) const fn new() -> Self {
        Self {
            last: [AtomicU64::new(0), AtomicU64::new(0)],
            all: Mutex::new(NotifierList { users: Vec::new(), is_over: false }),
        }
    }

    /// Records that the running task uses `it` at `at`, and returns its record.
    #[inline]
    pub(crate) fn used(&self, it: &Resource, at: &'static Location<'static>) -> Option<&'static Record> {
        let record = it.record();
        self.note(record, at);
        record
    }

    /// Records that the running task is about to notify one waiter of `it`, or all.
    // Called before the wake: afterwards the queue is empty.
    #[inline]
    pub(crate) fn record_notify(&self, it: &Resource, at: &'static Location<'static>, all: bool) {
        if let Some(record) = self.used(it, at) {
            record.set_last_notified(at, all);
        }
    }

    #[inline]
    pub(crate) fn note(&self, record: Option<&'static Record>, at: &'static Location<'static>) {
        if record.is_some() {
            let user = user();
            // A thread without a tree gets one.
            if user == 0 || self.last.iter().all(|last| last.load(Relaxed) != user) {
                self.add(record, at);
            }
        }
    }

    #[cold]
    fn add(&self, record: Option<&'static Record>, at: &'static Location<'static>) {
        if !switch::records() {
            return;
        }
        // The holding is created outside of the lock, and before the call of `user()`, because it
        // gives the thread a number.
        let holding = Holding::take_part(record, Role::Uses, at);
        let user = user();
        self.last[1].store(self.last[0].swap(user, Relaxed), Relaxed);
        let mut all = self.all.lock();
        let mut first = None;
        if all.users.iter().all(|(other, _)| *other != user) {
            if all.users.len() == MAX {
                first = Some(all.users.remove(0));
            }
            all.users.push((user, holding));
        }
        let was_over = all.is_over;
        all.is_over |= first.is_some();
        drop(all);
        if let (Some((_, first)), false) = (first, was_over) {
            first.lose();
        }
    }
}

// Counters and holdings: a panic leaves none of them half changed.
impl UnwindSafe for Notifiers {}
impl RefUnwindSafe for Notifiers {}
