//! `tokio_util::task::task_tracker`.
//!
//! A tracker is a resource. Each task and each token that it counts has one unit of it, and `wait`
//! waits for all units.

mod token;
mod tracked;
mod tracker;
mod wait;

pub use self::token::TaskTrackerToken;
pub use self::tracked::TrackedFuture;
pub use self::tracker::TaskTracker;
pub use self::wait::TaskTrackerWaitFuture;
