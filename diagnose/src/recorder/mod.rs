//! The recorder: the thread-local writer, and the only code that runs in a user's poll.
//!
//! ```text
//! Timed::poll ─ Span::enter ─ the node: cached, or found among the parent's children, or appended
//!             │               a wait ends; the poll starts
//!             ├ the user's future
//!             └ Running::leave ─ the poll ends; a wait begins, or the call is over
//! ```
//! It never blocks on another thread that does more than a few instructions under a lock, allocates only when a path
//! is taken for the first time on a thread, and holds no lock and no borrow while user code runs.

mod cost;
mod frame;
mod local;
mod span;
mod visit;

pub(crate) use cost::poll_cost;
pub use frame::Frame;
pub use span::Span;
pub(crate) use span::{Entry, Running};
