//! `tokio_util::task`, with tracked tasks listed, and a wait for all of them recorded.

// tokio-util marks few of these functions `must_use`, so they must not warn here.
#![allow(clippy::must_use_candidate)]

mod abort_on_drop;
pub mod task_tracker;

pub use self::abort_on_drop::AbortOnDropHandle;
pub use self::task_tracker::TaskTracker;
pub use ::tokio_util::task::*;
