//! A profile for the Firefox Profiler, <https://profiler.firefox.com>.
//!
//! ```text
//! profile   the header: categories, marker types, three threads
//! thread    call paths as samples with a weight: wall, busy, idle
//! markers   tasks, waits, running polls, verdicts, findings and alarms, on the clock
//! tables    the columns of JSON that all of these consist of
//! ```
//! The format is the
//! [processed profile format](https://github.com/firefox-devtools/profiler/blob/main/docs-developer/processed-profile-format.md)
//! in its version 55, which newer readers convert.

mod markers;
mod profile;
mod tables;
mod thread;

pub(crate) use profile::write;
