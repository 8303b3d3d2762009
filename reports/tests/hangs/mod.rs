//! Verdicts: real hangs, and waits that are none. One behavior per test, on hand-made snapshots.

mod aborts;
mod arms;
mod channels;
mod export;
mod futurelock;
mod locks;
mod moved;
mod opaque;
mod quiet;
mod random;
mod silent;
mod size;
mod supervised;
mod threads;
mod trackers;
mod upgrades;
mod wakers;
mod warnings;
mod woken;
