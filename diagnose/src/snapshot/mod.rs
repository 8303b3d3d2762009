//! Captures: merge the trees of all threads into one [`Snapshot`]. Cold code.
//!
//! ```text
//! trees ── merge ──▶ Merged, by path ── less what stood there at the last reset ── build ──▶ Snapshot
//! ```
//! A capture runs on the calling thread and stops no other. It waits only for a thread that is
//! changing the very node being read, which takes a few instructions. A thread preempted there gets
//! up to 50 ms; after that, the node counts as unreadable. Each node is consistent in itself.
//! Children are read before their parents, so that a parent's time covers its children's.

mod block_ons;
mod build;
mod calibrate;
mod callers;
mod candidates;
mod capture;
mod capture_context;
mod confined;
mod cost;
mod draining;
mod entry_points;
mod guard_use;
mod holdings;
mod kinds;
mod latency;
mod leftovers;
mod live_spans;
mod local_sets;
mod lock_order;
mod lost_wakes;
mod merged;
mod merged_path;
mod numbers;
mod replaced_labels;
mod reset;
mod resource_queue;
mod runtimes;
mod span_order;
mod statics;
mod task_copy;
mod texts;
mod total_times;
mod unrecorded;
mod usage;

mod waits;

pub(crate) use build::set_long_polls;
#[cfg(unix)]
pub(crate) use capture::{CaptureTurn, turn};
pub(crate) use entry_points::{alive, running};
pub use entry_points::{lock_order, snapshot, tree, waiters};
pub(crate) use replaced_labels::free_numbers_soon;
pub use reset::reset;
