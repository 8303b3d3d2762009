//! `futures::channel`: channels whose ends and waits are on record.

pub mod mpsc;
pub mod oneshot;

// All that is there today is wrapped: this is for what a later version adds.
#[allow(unreachable_pub, unused_imports)]
pub use ::futures::channel::*;
