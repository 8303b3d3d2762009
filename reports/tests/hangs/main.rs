//! Verdicts: what hangs, what only waits. One behaviour per test, on snapshots that are made by hand.

#[path = "../support/mod.rs"]
mod support;

mod channels;
mod export;
mod futurelock;
mod locks;
mod quiet;
mod random;
mod remarks;
mod size;
mod threads;
mod wakers;
