//! The tests of conditions that the library must survive.
//!
//! They are one program, because linking takes longer than running most of them. A test that reads
//! the whole recording, or changes a switch, begins with `isolated!` and runs in its own process.

mod acquisitions;
mod blocked_stderr;
mod clock;
mod deep;
mod driver;
mod dumps;
mod exits;
mod file_size;
mod forks;
mod hostile_names;
mod interrupts;
mod labels;
mod one_instant;
mod scale;
mod signals;
mod switches;
mod task_attributes;
mod trigger;
mod waker;
