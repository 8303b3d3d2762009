//! A thread that is blocked by a resource.

use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use super::record::Record;
use super::wait::{Mode, Wait};
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

impl Drop for Blocked {
    fn drop(&mut self) {
        self.record.blocked.fetch_sub(1, Relaxed);
        self.record.dequeue(self.place, Some(clock::now().saturating_sub(self.began)));
    }
}
