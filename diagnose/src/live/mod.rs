//! Live spans and tasks: state of each span that has returned `Pending`, kept outside its future.
//!
//! ```text
//! Span, Point ─ slot ──▶ LiveSlot   id, parent, node, state, polls: one cache line, never moves
//! Span ──────── root ──▶ Task       id, name, origin, wakes: one per task, reused
//! ```
//! A span takes its slot at its first `Pending`, or at its creation if unpolled futures are listed.
//! It frees the slot when it is ready, panics or is dropped, on any thread. The owner of the span
//! is the slot's only writer. Readers take no lock and copy ([`LiveSlot::read`]). The id shows
//! whether a slot was reused: no two spans of a process share one.

// Tasks of runtimes: only tokio's wrappers use all of it.
#![cfg_attr(not(feature = "tokio"), allow(dead_code))]

pub(crate) mod current;
mod ended;
mod forward;
mod handles;
mod live_slot;
#[cfg(all(test, diagnose_loom))]
mod loom;
mod memory;
mod outputs;
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
pub(crate) use handles::{ABORT, HANDLE, ON_DROP};
pub(crate) use live_slot::{
    ArmSlot, LiveSlot, RunState, SlotCopy, all, over, put, put_of_arm, take, take_for_arm,
};
pub(crate) use memory::{Memory, is_pinned, pinned_words};
pub(crate) use outputs::{note_output, output_of};
pub(crate) use task::Task;
pub(crate) use task_origin::{SpawnRuntime, SpawnTarget, TaskKind, TaskOrigin};
pub(crate) use tasks::{
    add_task, all_tasks, has_wait_wakers, has_wakers, is_in_poll, last_reset, note_reset, remove_task,
    set_wakers, task_parts,
};
pub(crate) use transfers::TransferCounts;
pub(crate) use unspawned_root::{
    end_task, give_back_spare, is_unused_spare, leave_task, new_spare, replace_spare, spare_root, take_root,
};
pub(crate) use waker::{Lendable, Lent, PollWaker, Promoted, lent_table, promoted_table};
