//! The programs, by what is wrong with them, and controls with which nothing is.

mod arms;
mod behind;
mod blocks;
mod boxes;
mod carried;
mod controls;
mod crates;
mod crates_controls;
mod cycles;
mod derefs;
mod dropped;
mod elsewhere;
mod endings;
mod futurelock;
mod guessed;
mod handed_on;
mod handles;
mod inside;
mod issues;
mod jobs;
mod late;
mod leaks;
mod left;
#[allow(clippy::items_after_statements)]
mod lent;
mod local_sets;
mod methods;
mod more_controls;
mod more_cycles;
mod moved;
mod opaque;
mod outputs;
mod outside;
mod overtaken;
mod owners;
mod passed;
mod pools;
mod queues;
mod released;
mod replaced;
mod rings;
mod shown;
mod signals;
mod sleeping;
mod snoozed;
mod spared;
mod supervised;
mod time;
mod trackers;
mod unseen;
mod upgradable;
mod values;
mod wakeups;
mod woken;
mod workers;

use crate::row::Section;
use time::ms;

/// In the order of the table in `docs/hangs.md`. A `static`: the programs are compiled here alone,
/// not once more in each crate that names them.
pub static ALL: &[Section] = &[
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
    moved::SECTION,
    outside::SECTION,
    issues::SECTION,
    owners::SECTION,
    shown::SECTION,
    unseen::SECTION,
    crates::SECTION,
    crates_controls::SECTION,
    late::SECTION,
    derefs::SECTION,
    elsewhere::SECTION,
    passed::SECTION,
    carried::SECTION,
    opaque::SECTION,
    lent::SECTION,
    handles::SECTION,
    guessed::SECTION,
    handed_on::SECTION,
    blocks::SECTION,
    boxes::SECTION,
    methods::SECTION,
    inside::SECTION,
    jobs::SECTION,
    values::SECTION,
    trackers::SECTION,
    local_sets::SECTION,
    outputs::SECTION,
    overtaken::SECTION,
    woken::SECTION,
    dropped::SECTION,
    behind::SECTION,
    left::SECTION,
    queues::SECTION,
    replaced::SECTION,
    supervised::SECTION,
    signals::SECTION,
    sleeping::SECTION,
    upgradable::SECTION,
    released::SECTION,
    endings::SECTION,
    spared::SECTION,
];
