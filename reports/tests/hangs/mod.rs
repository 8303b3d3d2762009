//! Verdicts: what hangs, what only waits. One behaviour per test, on snapshots that are made by
//! hand.

mod aborts;
mod arms;
mod channels;
mod export;
mod futurelock;
mod locks;
mod opaque;
mod quiet;
mod random;
mod silent;
mod size;
mod threads;
mod wakers;
mod warnings;
