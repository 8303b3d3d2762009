//! Who has used something that anybody who has it can tell: a notification, a semaphore to which permits are added.

use std::panic::{Location, RefUnwindSafe, UnwindSafe};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::holding::{Holding, Role};
use super::record::Record;
use super::resource::Resource;
use crate::live;
use crate::switch;
use crate::sync::Mutex;

/// So many are told apart. Beyond that the first goes, and somebody whom nobody knows is on record in its stead.
const MAX: usize = 16;

/// A holding for each task that has used it, or for each thread that has done so outside of all tasks.
#[derive(Debug)]
pub(crate) struct Notifiers {
    /// The two that used it last: most often somebody waits and somebody tells.
    last: [AtomicU64; 2],
    all: Mutex<NotifierList>,
}

#[derive(Debug)]
struct NotifierList {
    users: Vec<(u64, Holding)>,
    is_over: bool,
}

/// Who uses something now: the task whose poll is running on this thread, or the thread; zero if it has no tree.
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

    /// The running task uses that resource, there.
    #[inline]
    pub(crate) fn used(&self, it: &Resource, at: &'static Location<'static>) -> Option<&'static Record> {
        let record = it.record();
        self.note(record, at);
        record
    }

    /// The running task is about to wake one or all that wait for that resource.
    // Before it does: afterwards nobody waits any more.
    #[inline]
    pub(crate) fn tell(&self, it: &Resource, at: &'static Location<'static>, all: bool) {
        if let Some(record) = self.used(it, at) {
            record.tell(at, all);
        }
    }

    /// The running task uses it, there.
    #[inline]
    pub(crate) fn note(&self, record: Option<&'static Record>, at: &'static Location<'static>) {
        if record.is_some() {
            let user = user();
            if self.last.iter().all(|last| last.load(Relaxed) != user) {
                self.add(record, at);
            }
        }
    }

    #[cold]
    fn add(&self, record: Option<&'static Record>, at: &'static Location<'static>) {
        if !switch::records() {
            return;
        }
        // Made outside of the lock, and before the user is asked for: now the thread has a number.
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

// Counters, and holdings, which no panic leaves half changed.
impl UnwindSafe for Notifiers {}
impl RefUnwindSafe for Notifiers {}
