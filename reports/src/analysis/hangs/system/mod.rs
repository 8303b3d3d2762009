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
mod node;
mod possible_owners;
mod queues;
mod rules;
mod shared_nodes;
mod tasks;
mod threads;

pub(crate) use build::{System, task_node};
pub(crate) use graph::{FixedPoint, NodeId};
pub(crate) use node::{Evidence, Node};
pub(crate) use rules::{exceeds_permits, waits_for_event};
