//! The tests of a program that adopts diagnose with one line.
//!
//! They are one program, because linking takes longer than running most of them. A test that reads
//! the whole recording, or changes a switch, begins with `isolated!` and runs in its own process.

// `isolated!` is the first statement of a test, before its items.
#![allow(clippy::items_after_statements)]

mod async_std;
mod attributes;
mod hooks;
mod output;
mod runtimes;
mod smol;
mod stack;
mod tasks;
mod workers;
mod wrappers;
