//! The span tree of a thread: time spent, per path of sites.
//!
//! ```text
//! Tree ─ root ─┬─ node (site `serve`) ─┬─ node (site `read`)
//!              │                       └─ node (site `handle`) ── node (site `lookup`)
//!              └─ node (site `flush`)
//! ```
//! A tree has one writer, the thread that leases it, and any number of readers, which take no lock.
//! Nodes are appended and never move, change their parent or go away. A tree outlives its thread
//! and is leased to a later one. So a reference to a node is `&'static`, and its tree and path
//! never change.

mod child_index;
mod durations;
mod histogram;
mod link;
#[cfg(all(test, diagnose_loom))]
mod loom;
mod node;
mod node_polls;
mod node_times;
mod octaves;
mod poll_ends;
mod poll_stamp;
mod poll_totals;
mod root_polls;
mod thread;

pub(crate) use durations::DurationsCopy;
pub(crate) use histogram::{BUCKETS, Histogram};
pub(crate) use link::Link;
pub(crate) use node::{Node, NodeKey};
pub(crate) use node_times::{TimesCopy, WaitAccount};
pub(crate) use octaves::{DurationCount, Octaves};
pub(crate) use poll_totals::{PassingChain, PollSum};
#[cfg(unix)]
pub(crate) use thread::leased;
pub(crate) use thread::{Tree, all, is_nested, lease};
