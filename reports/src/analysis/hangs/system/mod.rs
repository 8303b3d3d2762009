//! The dependency graph of a snapshot, and its least fixed point: what can still make progress.
//!
//! ```text
//! Facts ─▶ build ─┬─ rules         one kind of wait each    ─▶ graph  nodes, edges, the fixed point
//!                 ├─ shared_nodes  resources and their ends
//!                 ├─ queues        fair locks
//!                 ├─ threads       threads, workers, pools
//!                 └─ join_arms     arms of a `join!`
//! ```
//! What is left over is not explained here.

mod build;
mod graph;
mod join_arms;
mod queues;
mod rules;
mod shared_nodes;
mod threads;

pub(crate) use build::{Node, System, Trust, task_gate};
pub(crate) use graph::{Gate, Solved};
pub(crate) use rules::{is_short, is_told};
