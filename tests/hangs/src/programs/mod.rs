//! The programs, by what is wrong with them, and controls with which nothing is.

mod arms;
mod controls;
mod cycles;
mod futurelock;
mod leaks;
mod more_controls;
mod more_cycles;
mod pools;
mod rings;
mod snoozed;
mod time;
mod wakeups;
mod workers;

use crate::row::Section;
use time::ms;

/// All of them.
pub const SECTIONS: &[Section] = &[
    futurelock::SECTION,
    arms::SECTION,
    snoozed::SECTION,
    cycles::SECTION,
    rings::SECTION,
    more_cycles::SECTION,
    pools::SECTION,
    leaks::SECTION,
    wakeups::SECTION,
    workers::SECTION,
    controls::SECTION,
    more_controls::SECTION,
];
