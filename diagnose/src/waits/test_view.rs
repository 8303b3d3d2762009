//! Reads the records of one resource, for the tests of wrappers.

use super::holding_slot::{HoldingCopy, Role, holdings as all_holdings};
use super::record::{Record, all_records};
use super::wait_copy::{WaitCopy, all_waits};

/// Returns the live resource that was made at that line.
pub(crate) fn made_at(file: &str, line: u32) -> Option<&'static Record> {
    let is_it = |record: &&'static Record| {
        record.identity().is_some_and(|(_, it)| it.made_at.file() == file && it.made_at.line() == line)
    };
    all_records().into_iter().find(is_it)
}

pub(crate) fn holdings(record: &Record) -> Vec<HoldingCopy> {
    all_holdings().filter(|holding| holding.resource == record.id()).collect()
}

/// Returns the units of each holding, in ascending order, without those that have none.
pub(crate) fn units(record: &Record) -> Vec<u64> {
    let held = holdings(record).into_iter().filter(|holding| holding.role == Role::Holds);
    let mut units: Vec<u64> = held.map(|holding| holding.units).collect();
    units.sort_unstable();
    units
}

/// Returns its waits in queue order.
pub(crate) fn queue(record: &Record) -> Vec<WaitCopy> {
    let is_its = |wait: &WaitCopy| wait.resource == record.id() && !wait.is_given_up;
    let mut queue: Vec<WaitCopy> = all_waits().filter(is_its).collect();
    queue.sort_by_key(|wait| wait.place);
    queue
}

/// Spins until another thread's wait is listed. A wait is counted before it is listed.
pub(crate) fn until_waiting(record: &Record) {
    while !record.has_waiting() || queue(record).is_empty() {
        std::thread::yield_now();
    }
}
