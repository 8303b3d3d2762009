//! `futures::channel`: channels whose ends and waits are on record.

pub mod mpsc;
pub mod oneshot;

// All that is there today is wrapped.
#[allow(unreachable_pub)]
pub use ::futures::channel::*;
