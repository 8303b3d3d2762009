//! The recorder: the thread-local writer, and the only code that runs in a user's poll.
//!
//! ```text
//! Timed::poll ─ Span::enter ─ the node: cached, or found among the parent's children, or appended
//!             │               a wait ends; the poll starts
//!             ├ the user's future
//!             └ Span::leave ─ the poll ends; a wait begins, or the call is over
//! ```
//! In a release build most of it is inlined into each future's poll, where a call would cost as much as it does; in a debug
//! build nothing is, because every inlined function would take its part of the stack for the length of the poll.
//!
//! A poll of a known path takes no lock and allocates nothing; where a lock is taken, on the first visit of something,
//! no one holds it for more than a few instructions. No lock and no borrow is held while user code runs.

mod arm;
mod await_state;
mod awaits;
mod enter;
mod first_poll;
mod frame;
mod local;
mod poll_entry;
mod reparent;
mod root;
mod running;
mod running_poll;
mod span;

pub use arm::Arm;
pub(crate) use arm::{AwaitEntry, Point, RunningAwait};
pub(crate) use awaits::{begin_await, begin_macro, begin_through, end_await, end_through, leave_macro};
pub use frame::Frame;
pub(crate) use local::apart;
pub(crate) use poll_entry::PollEntry;
pub(crate) use running::{
    awaited, current_node, hand_nothing_down, hand_nothing_up, own_tree_number, running_path, set_spawned,
};
pub(crate) use running_poll::RunningPoll;
pub use span::Span;
