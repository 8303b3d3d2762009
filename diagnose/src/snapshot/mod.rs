//! Captures: from the trees of all threads to one [`Snapshot`]. Cold code, on whichever thread asks.
//!
//! ```text
//! trees ── merge ──▶ Merged, by path ── less what stood there at the last reset ── build ──▶ Snapshot
//! ```
//! No thread is stopped, and none is waited for, but for the few instructions in which it changes the very node that is
//! read: one that was preempted there is given up to 50 ms, and then the node is counted as unreadable. Each node is read consistently by itself, children before their
//! parents, so that a parent's time covers its children's.

mod build;
mod calibrate;
mod candidates;
mod capture;
mod capture_context;
mod cost;
mod entry_points;
mod holdings;
mod live_spans;
mod lock_order;
mod lost_wakes;
mod merged;
mod numbers;
mod quantiles;
mod reset;
mod runtimes;
mod span_order;
mod task_copy;
mod texts;
mod total_times;
mod unrecorded;
mod waits;

#[cfg(unix)]
pub(crate) use capture::{CaptureTurn, turn};
pub(crate) use entry_points::{alive, running};
pub use entry_points::{lock_order, snapshot, tree, waiters};
pub use reset::reset;
