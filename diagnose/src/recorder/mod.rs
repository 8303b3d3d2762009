//! The thread-local writer: the only code of this crate inside a user's poll.
//!
//! ```text
//! Timed::poll ─ Span::enter ─ find the node: cached, among the parent's children, or appended
//!             │               the wait ends; the poll starts
//!             ├ the user's future
//!             └ Span::leave ─ the poll ends; a wait begins, or the call is over
//! ```
//! The code compiled into each future calls `enter` and `leave`. Each calls one function for its
//! case. In a debug build, none of these functions is inlined, because an inlined function would
//! occupy stack for the whole poll.
//!
//! A poll of a known path takes no lock and allocates nothing. The first visit of a path may take a
//! lock, for a few instructions. No lock and no borrow is held while user code runs.

mod arm;
mod await_state;
mod awaits;
mod enter;
mod first_poll;
mod frame;
mod last_wait;
mod local;
mod poll_entry;
mod ready_root;
mod reparent;
mod resume;
mod resume_root;
mod root;
mod running;
mod running_poll;
mod span;
#[cfg(feature = "tracing-layer")]
mod traced;

pub use arm::Arm;
pub(crate) use arm::{AwaitEntry, Point, RunningAwait};
pub(crate) use awaits::{begin_await, begin_macro, begin_through, end_await, end_through, leave_macro};
pub use frame::Frame;
pub(crate) use local::{apart, set_spawned};
pub(crate) use poll_entry::PollEntry;
pub(crate) use running::{
    awaited, current_node, hand_nothing_down, hand_nothing_up, own_tree_number, running_path,
};
pub(crate) use running_poll::RunningPoll;
pub use span::Span;
#[cfg(feature = "tracing-layer")]
pub(crate) use traced::TracedSpan;
