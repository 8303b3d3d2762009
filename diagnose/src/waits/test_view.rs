//! For the tests of wrappers: what is on record of one resource.

use super::holding::{HoldingCopy, Role, all_holdings};
use super::record::{Record, all_records};
use super::wait_copy::{WaitCopy, all_waits};

/// The resource that was made at that line of a file. `None` if it is not known, or no longer.
pub(crate) fn made_at(file: &str, line: u32) -> Option<&'static Record> {
    let is_it = |record: &&'static Record| {
        record.identity().is_some_and(|(_, it)| it.made_at.file() == file && it.made_at.line() == line)
    };
    all_records().into_iter().find(is_it)
}

/// Who has a holding in it.
pub(crate) fn holdings(record: &Record) -> Vec<HoldingCopy> {
    all_holdings().into_iter().filter(|holding| holding.resource == record.id()).collect()
}

/// The units of each who holds some, the fewest first.
pub(crate) fn units(record: &Record) -> Vec<u64> {
    let held = holdings(record).into_iter().filter(|holding| holding.role == Role::Holds);
    let mut units: Vec<u64> = held.map(|holding| holding.units).collect();
    units.sort_unstable();
    units
}

/// Who waits.
pub(crate) fn queue(record: &Record) -> Vec<WaitCopy> {
    let is_its = |wait: &WaitCopy| wait.resource == record.id() && !wait.is_given_up;
    let mut queue: Vec<WaitCopy> = all_waits().filter(is_its).collect();
    queue.sort_by_key(|wait| wait.place);
    queue
}

/// Until another thread waits.
pub(crate) fn until_waiting(record: &Record) {
    while !record.has_waiting() {
        std::thread::yield_now();
    }
}
