//! What is alive now: every span that has returned `Pending` once, outside the futures.
//!
//! ```text
//! Span  ── anchor ─▶ Slot   id, parent's id, node, state since when, polls     one cache line each, in chunks that
//! At    ── anchor ─▶ Slot                                                      never move
//! Root  ───────────▶ Task   number, name, spawned where and by whom, wakes     one for each task, used again
//! ```
//! A span gets its slot with its first `Pending`, or when it is made if that is asked for, and gives it back when it is
//! ready, panics or is dropped, wherever that happens. Who holds the anchor is its only writer; readers take no lock and
//! copy (`Slot::read`). A slot that has changed hands is known by its id: no two spans of a process have the same.

// Tasks of runtimes: used in full by tokio's wrappers.
#![cfg_attr(not(feature = "tokio"), allow(dead_code))]

pub(crate) mod current;
mod forward;
mod handles;
mod live_slot;
#[cfg(all(test, diagnose_loom))]
mod loom;
#[cfg(feature = "tokio")]
pub(crate) mod runtimes;
mod task;
mod task_origin;
mod tasks;
mod transfers;
pub(crate) mod unpolled;
mod unspawned_root;
mod wake;
mod waker;
#[cfg(feature = "tokio")]
pub(crate) mod workers;

pub(crate) use current::{CurrentPoll, current_poll};
pub(crate) use forward::Forward;
pub(crate) use handles::{ABORT, HANDLE, SET};
pub(crate) use live_slot::{LiveSlot, SlotCopy, SlotRef, SlotState, all, over, put, take};
pub(crate) use task::{Task, TaskState};
pub(crate) use task_origin::{SpawnRuntime, SpawnTarget, TaskKind, TaskOrigin};
pub(crate) use tasks::{
    add_task, all_tasks, has_leaf_wakers, has_wakers, is_in_poll, last_reset, note_reset, remove_task,
    set_wakers, task_parts,
};
pub(crate) use transfers::TransferCounts;
pub(crate) use unspawned_root::{end_task, give_back_spare, leave_task, meet, meet_outermost};
pub(crate) use waker::{Lender, Lent, PollWaker, Promoted, lent_table, promoted_table};
