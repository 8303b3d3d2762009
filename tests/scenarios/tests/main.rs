//! The tests of scenarios.
//!
//! They are one program, because linking takes longer than running most of them. A test that reads
//! the whole recording, or changes a switch, begins with `isolated!` and runs in its own process.

mod buffered;
mod cache;
mod daphne;
mod deck;
mod dependency;
mod designs;
mod distribution;
mod exhausted;
mod fifty_thousand;
mod missed_waker;
mod no_waker;
mod outlier;
mod panics;
mod patterns;
mod queued;
mod read_send;
mod reset_in_the_queue;
mod runtimes_come_and_go;
mod shares;
mod simple;
mod thousand_dumps;
mod unpolled;
mod usage;
mod waits_that_end_elsewhere;
mod wall;
mod within;
