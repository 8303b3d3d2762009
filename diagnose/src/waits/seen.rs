//! For the tests of wrappers: what is on record of one resource.

use std::sync::Arc;

use super::record::{Record, all_records};
use super::stake::{Staked, all_stakes};
use super::wait::Wait;

/// The resource that was made at that line of a file. `None` if it is not known, or no longer.
pub(crate) fn made_at(file: &str, line: u32) -> Option<&'static Record> {
    let is_it = |record: &&'static Record| {
        record.identity().is_some_and(|(_, it)| it.made_at.file() == file && it.made_at.line() == line)
    };
    all_records().into_iter().find(is_it)
}

/// Who has a stake in it.
pub(crate) fn stakes(record: &Record) -> Vec<Staked> {
    all_stakes().into_iter().filter(|stake| stake.resource == record.id()).collect()
}

/// The units of each stake, the fewest first.
pub(crate) fn units(record: &Record) -> Vec<u64> {
    let mut units: Vec<u64> = stakes(record).iter().map(|stake| stake.units).collect();
    units.sort_unstable();
    units
}

/// Who waits.
pub(crate) fn queue(record: &Record) -> Vec<Arc<Wait>> {
    record.queue().0
}

/// Until another thread waits.
pub(crate) fn until_waiting(record: &Record) {
    while !record.has_waiting() {
        std::thread::yield_now();
    }
}
