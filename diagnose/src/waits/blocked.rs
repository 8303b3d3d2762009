//! A thread that is blocked by a resource.

use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use super::record::Record;
use super::wait::{self, Mode, Wait};
use crate::clock;
use crate::recorder;
use crate::switch;

/// For as long as the thread is blocked: it stands in the queue of the resource.
#[derive(Debug)]
pub(crate) struct Blocked {
    record: &'static Record,
    place: u64,
    began: u64,
}

impl Blocked {
    /// The thread is about to block. `None` while recording is off.
    #[cold]
    #[allow(dead_code)] // By what is a feature.
    pub(crate) fn begin(
        record: Option<&'static Record>,
        mode: Mode,
        units: u64,
        at: &'static Location<'static>,
    ) -> Option<Self> {
        let record = record.filter(|_| switch::records())?;
        // A thread that has recorded nothing yet is known by its tree from now on.
        recorder::with_records(|_| ());
        let mut wait = Wait::new(mode, units, at);
        wait.is_blocking = true;
        let began = wait.began;
        let place = record.enqueue(&Arc::new(wait));
        record.blocked.fetch_add(1, Relaxed);
        Some(Self { record, place, began })
    }
}

/// For as long as a runtime goes away: the thread waits for blocking code.
#[derive(Debug)]
#[allow(dead_code)] // By what is a feature.
pub(crate) struct Shutdown(u64);

#[allow(dead_code)]
impl Shutdown {
    /// The thread is about to wait for these tasks. `None` while recording is off, and if there are none.
    #[cold]
    pub(crate) fn begin(tasks: Vec<u64>, at: &'static Location<'static>) -> Option<Self> {
        if tasks.is_empty() || !switch::records() {
            return None;
        }
        // See above.
        recorder::with_records(|_| ());
        let mut wait = Wait::new(Mode::Shutdown, 1, at);
        (wait.is_blocking, wait.tasks) = (true, tasks);
        let wait = Arc::new(wait);
        wait::add(&wait);
        Some(Self(wait.id))
    }
}

impl Drop for Shutdown {
    fn drop(&mut self) {
        wait::remove(self.0);
    }
}

impl Drop for Blocked {
    fn drop(&mut self) {
        self.record.blocked.fetch_sub(1, Relaxed);
        self.record.dequeue(self.place, Some(clock::now().saturating_sub(self.began)));
    }
}
