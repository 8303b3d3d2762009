//! Looks up the ids of a snapshot, and answers questions that need no rule.
//!
//! ```text
//! Snapshot ─▶ lookup ─▶ predicates  (questions about one task or wait)
//! ```
//! All modules use `id_map` (maps by id) and `steps` (a counter of the solver's work). Nothing here
//! decides what can make progress.

mod id_map;
mod lookup;
mod predicates;
mod steps;

pub(crate) use id_map::{IdMap, IdSet, NumberOf, with_capacity};
pub(crate) use lookup::{Facts, UnrecordedAwait};
pub(crate) use predicates::{
    STARVED_NS, asks_for_signal, buffers_messages, closing_ends, completes_by_itself, exceeds_permits,
    forwards_unpolled, has_no_waker, has_waited_long, is_active, is_block_on_main, is_blocked, is_in_place,
    is_main, is_pending, queue_side, records_handles, units_asked, waits_for_event,
};
pub(crate) use steps::step;
#[cfg(all(test, feature = "read"))]
pub(crate) use steps::tests::shapes;
