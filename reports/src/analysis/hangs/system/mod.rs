//! The dependency graph of a snapshot, and its least fixed point: what can still make progress.
//!
//! ```text
//! Facts ─▶ build ─┬─ tasks            wakes, aborts, polls that sleep
//!                 ├─ rules            one kind of wait each
//!                 ├─ queues           waits ahead at fair locks
//!                 ├─ writers          writers ahead at other locks
//!                 ├─ shared_nodes     resources and their holdings
//!                 ├─ possible_owners  tasks that may have a resource without a record
//!                 ├─ threads          threads, workers, blocking pools
//!                 └─ join_arms        arms of a `join!`
//!                 ▼
//!                graph of nodes ─▶ FixedPoint
//! ```
//! `stuck` explains why a node is stuck, and `verdict` what that means.

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
mod writers;

pub(crate) use build::{System, task_node};
pub(crate) use graph::{FixedPoint, NodeId};
pub(crate) use node::{Evidence, Node};
