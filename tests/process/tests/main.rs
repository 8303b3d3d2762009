//! The tests of whole programs.
//!
//! They are one program, because linking takes longer than running most of them. A test that reads
//! the whole recording, or changes a switch, begins with `isolated!` and runs in its own process.

mod alarms;
mod blocked_runtime;
mod cost;
mod cpus;
mod environment;
mod exit;
mod hangs;
mod install;
mod lock_order;
mod plain;
mod reset;
mod signal;
mod talking;
