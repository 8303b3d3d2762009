//! The tests of whole programs.
//!
//! They are one program, because linking takes longer than running most of them. A test that looks
//! at all that is recorded, or changes a switch, begins with `isolated!` and has a process of its
//! own.

mod alarms;
mod blocked_runtime;
mod cost;
mod environment;
mod exit;
mod hangs;
mod install;
mod lock_order;
mod plain;
mod signal;
mod talking;
