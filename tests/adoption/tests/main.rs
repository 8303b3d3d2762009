//! The tests of what a program with one line more does.
//!
//! They are one program, because linking takes longer than running most of them. A test that looks at
//! all that is recorded, or changes a switch, begins with `isolated!` and has a process of its own.

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
